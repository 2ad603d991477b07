from __future__ import annotations

import itertools

import pytest

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.judging.llm import agreed


def one(label: Label, start: int | None = None) -> dict[str, Finding]:
    end = None if start is None else start + 2
    return {"a": Finding(label, "because", "80", None if start is None else "80", start, end)}


@pytest.mark.parametrize("labels", list(itertools.product(Label, repeat=3)))
def test_only_full_agreement_makes_a_label_whichever_it_is(labels: tuple[Label, Label, Label]) -> None:
    found = agreed([one(label) for label in labels])["a"]
    assert found.label is (labels[0] if len(set(labels)) == 1 else Label.UNRESOLVED)


def test_the_evidence_of_votes_that_differ_is_kept_where_it_is_the_same() -> None:
    same = agreed([one(Label.RETAINED, 4), one(Label.CHANGED, 4), one(Label.OMITTED)])["a"]
    assert (same.start, same.end, same.heard) == (4, 6, "80")
    assert same.reason == "the votes differ: retained 1, changed 1, omitted 1"
    other = agreed([one(Label.RETAINED, 4), one(Label.CHANGED, 9)])["a"]
    assert (other.start, other.end, other.heard) == (None, None, None)
