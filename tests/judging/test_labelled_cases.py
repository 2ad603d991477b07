"""Labelled cases of the project's own (CC0): every row of the policy's table and every settled reading, all kinds.

Each was written from the policy without looking at the judge. The judge was then improved on what it got wrong, so its
agreement here is a guard against regressions, not an estimate for other cases.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.judging.cases import LabelledCase, read_cases
from pytest_talk2agent.judging.lexical import judge

CASES = read_cases(Path(__file__).with_name("cases.jsonl"))


@pytest.mark.parametrize("labelled", CASES, ids=lambda labelled: labelled.id)
def test_the_judge_agrees(labelled: LabelledCase) -> None:
    assert judge(labelled.case).labels() == dict(labelled.labels)
