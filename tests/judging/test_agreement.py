from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_talk2agent.judging.agreement import agreement, agreement_lines, relabelled
from pytest_talk2agent.judging.judge import Case, Judge, JudgeError
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.judging.labelled_cases import LabelledCase, read_cases
from pytest_talk2agent.judging.registry import make_judge
from pytest_talk2agent.tasks.intention import Intention

OPEN = Path(__file__).parents[3] / "shared" / "data" / "judge" / "open.jsonl"
RIGHT, CHANGED, OMITTED, UNRESOLVED = Label.RETAINED, Label.CHANGED, Label.OMITTED, Label.UNRESOLVED


class Fixed(Judge):
    """Gives each case the labels that its transcript spells by their first letters."""

    fingerprint = "fixed/1"

    def judge(self, case: Case) -> Judgement:
        letters = {label.value[0]: label for label in Label}
        labels = zip(case.intentions, case.transcript, strict=True)
        return Judgement({name: Finding(letters[letter], "given", "") for name, letter in labels}, self.fingerprint)


def _case(right: Mapping[str, Label], got: str, kind: str = "path") -> LabelledCase:
    intentions = {name: Intention.model_validate({"say": "x", "kind": kind}) for name in right}
    return LabelledCase("a", Case("", "", intentions, got), right, "because")


def test_the_shares_are_those_of_the_definition() -> None:
    cases = [
        _case({"a": RIGHT, "b": RIGHT, "c": CHANGED, "d": OMITTED}, "rrrc"),
        _case({"a": UNRESOLVED, "b": CHANGED}, "uc", kind="flag"),
    ]
    measured = agreement(cases, Fixed())
    assert measured["n"] == 6
    assert measured["accuracy"] == pytest.approx(4 / 6)
    assert measured["unresolved"] == pytest.approx(1 / 6)
    assert measured["false_retained"] == pytest.approx(1 / 3)
    chance = (2 * 3 + 2 * 2 + 1 * 0 + 1 * 1) / 36
    assert measured["kappa"] == pytest.approx((4 / 6 - chance) / (1 - chance))
    assert measured["by_label"]["retained"] == {
        "precision": pytest.approx(2 / 3),
        "recall": 1.0,
        "f1": pytest.approx(4 / 5),
        "n": 2,
    }
    assert measured["by_label"]["omitted"] == {"precision": None, "recall": 0.0, "f1": 0.0, "n": 1}
    assert measured["by_kind"]["flag"]["accuracy"] == 1.0
    assert [(row["intention"], row["expected"], row["got"]) for row in measured["disagreements"]] == [
        ("c", "changed", "retained"),
        ("d", "omitted", "changed"),
    ]
    json.dumps(measured)
    assert "expected changed, got retained" in "\n".join(agreement_lines(measured))


class Moody(Fixed):
    """Fails where the transcript says so."""

    concurrency = 3

    def judge(self, case: Case) -> Judgement:
        if case.transcript == "!":
            raise JudgeError("the provider is down")
        return super().judge(case)


def test_a_case_that_the_judge_fails_on_is_counted_and_no_label() -> None:
    cases = [_case({"a": RIGHT}, "r"), _case({"a": CHANGED}, "!"), _case({"a": OMITTED}, "o")]
    measured = agreement(cases, Moody())
    assert (measured["n"], measured["accuracy"], measured["false_retained"]) == (2, 1.0, 0.0)
    assert measured["errors"] == [{"id": "a", "error": "the provider is down"}]
    assert agreement_lines(measured)[-2:] == ["1 case not judged", "a: the provider is down"]
    with pytest.raises(JudgeError, match="down"):
        relabelled(cases, Moody())


def test_cases_come_back_in_order_however_many_are_judged_at_a_time() -> None:
    letters = "rcou" * 10
    measured = agreement([_case({"a": RIGHT}, letter) for letter in letters], Moody())
    assert [row["got"][0] for row in measured["disagreements"]] == [letter for letter in letters if letter != "r"]


def test_the_labels_of_another_judge_take_the_place_of_the_given_ones() -> None:
    [case] = relabelled([_case({"a": RIGHT, "b": OMITTED}, "cu")], Fixed())
    assert case.labels == {"a": CHANGED, "b": UNRESOLVED}
    assert agreement([case], Fixed())["accuracy"] == 1.0


def test_a_share_of_nothing_is_none() -> None:
    measured = agreement([_case({"a": RIGHT}, "r")], Fixed())
    assert (measured["accuracy"], measured["false_retained"], measured["kappa"]) == (1.0, None, None)
    empty = agreement([], Fixed())
    assert (empty["n"], empty["accuracy"], empty["kappa"]) == (0, None, None)
    assert agreement_lines(empty)


@pytest.mark.skipif(not OPEN.exists(), reason="the shared labelled cases are not here")
def test_the_lexical_judge_agrees_with_the_open_cases() -> None:
    measured = agreement(read_cases(OPEN), make_judge("lexical"))
    assert measured["n"] > 700
    assert measured["accuracy"] >= 0.95
    assert measured["false_retained"] <= 0.01
