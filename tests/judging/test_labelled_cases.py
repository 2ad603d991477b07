"""Labelled cases of the project's own (CC0), one JSON object a line and one file a subject.

`cases.jsonl` has every row of the policy's table and every settled reading; `values.jsonl` has numbers, units,
currencies, dates and times in the prints of recognisers, with what they lose. Each was written from the policy without
looking at the judge. The judge was then improved on what it got wrong, so its agreement here is a guard against
regressions, not an estimate for other cases: that was 733 of 749 labels for `values.jsonl` at the first run, and 4
of 337 lost ones called retained. `scopes.jsonl` has long requests without punctuation, where only the words tell what
a negation governs: 270 of 283 labels when they were written, now all.

`unseen.jsonl` has requests that were written and labelled before the judge was run on them: 589 of 609 labels
then. What it still sees otherwise is listed below, and the labels stay as they were written.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.judging.labelled_cases import LabelledCase, read_cases
from pytest_talk2agent.judging.lexical import judge

HERE = Path(__file__).parent
CASES = [
    case
    for name in ("cases.jsonl", "values.jsonl", "scopes.jsonl", "constants.jsonl")
    for case in read_cases(HERE / name)
]


@pytest.mark.parametrize("labelled", CASES, ids=lambda labelled: labelled.id)
def test_the_judge_agrees(labelled: LabelledCase) -> None:
    assert judge(labelled.case).labels() == dict(labelled.labels)


# Case and intention: the label of the file and that of the judge.
SEEN_OTHERWISE = {
    # `be` for the letter B: the policy leaves a letter's homophone open, in a code too.
    ("blind-142", "p"): ("changed", "unresolved"),
    # `do not just warn me` asks for a warning and more: the label is wrong.
    ("blind-179", "w"): ("changed", "retained"),
    # `There is no need to forward the memo` is taken for an answer; lost it is either way.
    ("blind-195", "f"): ("changed", "omitted"),
    # `Add something` fills the place: the label is wrong.
    ("blind-243", "l"): ("omitted", "changed"),
    # `Anker` is not known to sound like `Anchor`.
    ("blind-284", "p"): ("unresolved", "changed"),
    # `seven thirty` for a script that says `oh seven thirty`: the judge takes it as said.
    ("blind-341", "t"): ("unresolved", "retained"),
}


def test_what_is_seen_otherwise_of_the_unseen_requests_is_known() -> None:
    found = {}
    for labelled in read_cases(HERE / "unseen.jsonl"):
        for name, label in judge(labelled.case).labels().items():
            if label != labelled.labels[name]:
                found[labelled.id, name] = (labelled.labels[name].value, label.value)
    assert found == SEEN_OTHERWISE
