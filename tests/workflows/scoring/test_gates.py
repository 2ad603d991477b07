from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.judge import FieldJudge, Question, Verdict
from pytest_talk2agent.workflows.scoring.trace import Act, Mutation
from tests.workflows.scoring.sessions import RIGHT, decided, finished, form, gold
from tests.workflows.toys import expense, load

WORLD = {"expense": {"status": "open"}}


class Fixed(FieldJudge):
    """Says the same to everything, and remembers what it was asked."""

    def __init__(self, passed: bool | None) -> None:
        self.passed = passed
        self.asked: list[Question] = []

    def judge(self, question: Question) -> Verdict:
        self.asked.append(question)
        return Verdict(self.passed, "as always")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path)


def outcome(package: Package, judge: FieldJudge | None = None, **changes: Any) -> tuple[list[Any], list[Any]]:
    scores = score_session(package, finished(**changes), judge)
    return list(scores.mended.gates.values()), list(scores.published.gates.values())


def test_a_session_with_the_right_work_succeeds_by_both_rules(package: Package) -> None:
    scores = score_session(package, finished())
    assert scores.mended.success is scores.published.success is True
    assert scores.mended.afa == scores.published.afa == 1
    assert scores.mended.progress == 1
    assert not scores.differences
    assert not scores.mended.problems


@pytest.mark.parametrize(
    ("changes", "gates"),
    [
        ({"world": WORLD}, [False, True, True, True]),
        ({"calls": [decided("PREMATURE_COMMIT", 9), decided("AUTHORIZED", 20)]}, [True, False, True, True]),
        ({"calls": [decided("AUTHORIZED", 9), decided("POST_REVOCATION_COMMIT", 20)]}, [True, False, True, True]),
        ({"calls": [decided("WRONG_SCOPE_COMMIT", 9), decided("AUTHORIZED", 20)]}, [True, False, True, True]),
        ({"acts": []}, [True, True, False, True]),
        ({"calls": []}, [True, True, False, True]),
        (form(RIGHT | {"total_amount": 240}), [True, True, True, False]),
        (form({name: RIGHT[name] for name in RIGHT if name != "employee_id"}), [True, True, True, False]),
        (form(RIGHT, lifecycle="DRAFT"), [False, True, True, False]),
        ({"artifacts": {}}, [False, True, True, False]),
    ],
)
def test_each_fault_fails_its_own_gate(package: Package, changes: dict[str, Any], gates: list[bool]) -> None:
    assert outcome(package, Fixed(False), **changes) == (gates, gates)


def test_what_is_right_and_was_not_written_again_fails_only_as_published(package: Package) -> None:
    scores = score_session(package, finished(**form(RIGHT, stale=("total_amount",))))
    assert (scores.mended.success, scores.published.success) == (True, False)
    assert scores.differences == [
        "AV: pass, by apex-1.0 fail",
        "success: pass, by apex-1.0 fail",
        "AFA: 1.0000, by apex-1.0 0.8000",
    ]
    counts = (scores.mended.counts, scores.published.counts)
    assert [(one.passed, one.corrected, one.corrected_wrong, one.corrected_stale) for one in counts] == [
        (5, 1, 0, 1)
    ] * 2


def test_without_a_judge_a_value_in_other_words_is_open_and_as_published_it_fails(package: Package) -> None:
    scores = score_session(package, finished(**form(RIGHT | {"trip_purpose": "to see a customer"})))
    assert (scores.mended.success, scores.mended.unjudged, scores.mended.failed) == (None, ["AV"], [])
    assert scores.published.failed == ["AV"]
    assert (scores.mended.afa, scores.published.afa) == (None, Fraction(4, 5))
    [problem] = scores.mended.problems
    assert (problem.open, problem.id) == (True, "expense_1.trip_purpose")
    assert "no judge" in problem.found


def test_a_judge_is_asked_once_for_both_rules_with_what_stands_around(package: Package) -> None:
    judge = Fixed(True)
    scores = score_session(package, finished(**form(RIGHT | {"trip_purpose": "to see a customer"})), judge)
    assert scores.mended.success is scores.published.success is True
    [question] = judge.asked
    assert question.context["fields"]["cost_center"] == "CC-330"


def test_a_certain_miss_never_reaches_a_judge_but_as_published(package: Package) -> None:
    judge = Fixed(True)
    scores = score_session(package, finished(**form(RIGHT | {"total_amount": 240})), judge)
    assert (scores.mended.gates["AV"], scores.published.gates["AV"]) == (False, True)
    assert [question.note for question in judge.asked] == ["the target is 200, within 0"]


def test_a_problem_says_what_was_wanted_what_stood_there_and_where(package: Package) -> None:
    write = Mutation(seq=15, media_ms=1500, artifact_id="expense_1", path="total_amount", old=None, new=240)
    trace = finished(**form(RIGHT | {"total_amount": 240}), mutations=[write], world=WORLD)
    wrong = score_session(package, trace).mended.problems
    assert [(one.gate, one.rule, one.id, one.wanted, one.found, one.events) for one in wrong] == [
        ("TS", "terminal state", "done", "expense.status = 'submitted'", "'open'", ()),
        ("AV", "artifact", "expense_1.total_amount", "'200' (numeric_tolerance)", "'240'", (15,)),
    ]


def test_an_act_of_the_last_beat_counts_but_as_published(package: Package) -> None:
    late = [Act(seq=3, media_ms=300, key="ASK:cost_center", stepped=False)]
    mended, published = outcome(package, acts=late)
    assert (mended[2], published[2]) == (True, False)


def test_a_lost_session_has_no_score(package: Package) -> None:
    with pytest.raises(ValueError, match="toy_form_001: the session has no score: the server went away"):
        score_session(package, finished(state="infrastructure_failed", failure="the server went away"))


def test_an_alternate_target_state_is_as_good(tmp_path: Path) -> None:
    other = {"id": "later", "kind": "state_in", "args": {"path": "expense.status", "values": ["queued", "parked"]}}
    package = gold(tmp_path, alternate_terminal_states=[[other]])
    assert outcome(package, world={"expense": {"status": "queued"}})[0][0] is True
    trace = finished(world={"expense": {"status": "lost"}})
    rules = [one.rule for one in score_session(package, trace).mended.problems]
    assert rules == ["terminal state", "alternate terminal state"]


def test_what_is_forbidden_must_not_hold_and_gates_may_ask_for_a_no(tmp_path: Path) -> None:
    called = {"id": "notified", "kind": "tool_called", "args": {"tool": "submit"}}
    assert outcome(gold(tmp_path / "a", forbidden=[called]))[0] == [True, False, True, True]
    gate = {"id": "no_submit", "predicate": called, "must_hold": False}
    scores = score_session(gold(tmp_path / "b", critical_gates=[gate]), finished())
    [problem] = scores.mended.problems
    assert (problem.id, problem.wanted) == ("no_submit", "not: a call of submit")


def test_order_counts_here_and_was_never_evaluated_as_published(tmp_path: Path) -> None:
    package = gold(tmp_path, precedence=[{"before": "ASK:cost_center", "after": "submit"}])
    assert outcome(package) == ([True] * 4, [True] * 4)
    late = [Act(seq=30, media_ms=3000, key="ASK:cost_center")]
    assert outcome(package, acts=late) == ([True, False, True, True], [True] * 4)
    refused = [decided("PREMATURE_COMMIT", 1), decided("AUTHORIZED", 20)]
    scores = score_session(package, finished(calls=refused))
    assert [one.rule for one in scores.mended.problems] == ["critical gate"]  # a refused attempt has done nothing


def expectation(**more: Any) -> list[dict[str, Any]]:
    field = {"field": "trip_purpose", "expected": "client visit", "grader": "semantic", "required": True}
    return [{"artifact_id": "expense_1", "fields": [field], **more}]


def test_claims_are_met_word_for_word_or_by_the_judge_and_never_as_published(tmp_path: Path) -> None:
    claims = {
        "required_claims": [{"id": "visit", "proposition": "client visit"}],
        "forbidden_claims": [{"id": "paid", "proposition": "The expense was paid."}],
        "required_caveats": [{"id": "limit", "proposition": "Receipts are still missing."}],
    }
    package = gold(tmp_path, artifact_expectations=expectation(**claims))
    scores = score_session(package, finished())
    assert (scores.mended.gates["AV"], scores.published.gates["AV"]) == (None, True)
    assert [one.id for one in scores.mended.problems] == ["expense_1.paid", "expense_1.limit"]
    assert outcome(package, Fixed(True))[0][3] is False  # the judge finds the forbidden one, too
    judge = Fixed(False)
    assert outcome(package, judge)[0][3] is False
    assert all(question.claim for question in judge.asked)


def test_an_optional_field_that_is_wrong_fails_only_as_published(tmp_path: Path) -> None:
    fields = [{"field": "cost_center", "expected": "CC-999", "grader": "normalized_address"}]
    package = gold(tmp_path, artifact_expectations=[{"artifact_id": "expense_1", "fields": fields}])
    assert [one[3] for one in outcome(package)] == [True, False]
    absent = form({name: RIGHT[name] for name in RIGHT if name != "cost_center"})
    assert [one[3] for one in outcome(package, **absent)] == [True, True]


def test_a_field_that_only_has_to_be_there(tmp_path: Path) -> None:
    package = gold(
        tmp_path,
        artifact_expectations=[{"artifact_id": "expense_1", "fields": [{"field": "cost_center", "required": True}]}],
    )
    assert [one[3] for one in outcome(package)] == [True, True]
    assert [one[3] for one in outcome(package, **form(RIGHT | {"cost_center": " "}))] == [False, True]
    fresh = gold(
        tmp_path / "fresh",
        artifact_expectations=[
            {
                "artifact_id": "expense_1",
                "fields": [{"field": "cost_center", "required": True}],
                "must_not_be_stale": ["cost_center"],
            }
        ],
    )
    assert [one[3] for one in outcome(fresh, **form(RIGHT, stale=("cost_center",)))] == [False, False]


def test_an_absent_artifact_drops_out_of_the_published_accuracy_alone(package: Package) -> None:
    scores = score_session(package, finished(artifacts={}))
    assert (scores.published.counts.total, scores.published.counts.passed) == (0, 0)
    assert (scores.mended.counts.total, scores.mended.counts.corrected_wrong, scores.mended.counts.other_wrong) == (
        5,
        1,
        4,
    )


def test_a_correction_that_never_came_corrects_nothing_here(package: Package) -> None:
    scores = score_session(package, finished(events=[]))
    assert (scores.mended.counts.corrected, scores.published.counts.corrected) == (0, 1)
