"""The gate: red for every reason there is, green for none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_talk2agent.results.condition_summary import summarise
from pytest_talk2agent.results.gate import Gate, all_lost, decide_gate, passed_at_zero, suite_reasons
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Limits, Outcome, Rules
from tests.results.builders import (
    CHANGED,
    KEPT,
    OMITTED,
    OPEN,
    interval,
    judgement,
    lossy,
    result,
    retention,
    transcript,
    undefined,
)


def gate(
    *results: TaskResult,
    errors: Mapping[str, str] | None = None,
    expected: Collection[str] = (),
    inconclusive_passes: bool = False,
    failed_tests: Collection[str] = (),
) -> Gate:
    return decide_gate(
        results, errors or {}, expected, inconclusive_passes=inconclusive_passes, failed_tests=failed_tests
    )


def open_result(task: str = "open") -> TaskResult:
    return result(task, outcome=Outcome.INCONCLUSIVE, kept=retention(interval("0", "1")))


def test_a_run_in_which_all_passed_passes() -> None:
    found = gate(result("a"), result("b"), expected=[result("a").node, result("b").node])
    assert found.passed
    assert found.reasons == ()


def test_a_run_in_which_nothing_was_judged_never_passes() -> None:
    assert gate().reasons == ("nothing was judged",)
    assert not gate().passed


def test_undefined_items_alone_judge_nothing() -> None:
    assert gate(result(outcome=Outcome.UNDEFINED, kept=undefined())).reasons == ("nothing was judged",)


def test_an_undefined_item_beside_a_judged_one_is_no_reason() -> None:
    assert gate(result("a"), result("b", outcome=Outcome.UNDEFINED, kept=undefined())).passed


def test_a_failed_item_is_named() -> None:
    assert gate(result("a"), lossy("b")).reasons == ("1 item failed: b[whisper-tiny.en-amy]",)


def test_a_test_that_pytest_failed_counts_once() -> None:
    row, failed = result("a"), lossy("b")
    found = gate(row, failed, failed_tests=[row.node, failed.node])
    assert found.reasons == ("2 items failed: a[whisper-tiny.en-amy], b[whisper-tiny.en-amy]",)


def test_inconclusive_fails_unless_it_may_pass() -> None:
    assert gate(open_result()).reasons == ("1 item inconclusive: open[whisper-tiny.en-amy]",)
    assert gate(open_result(), inconclusive_passes=True).passed


def test_an_inconclusive_item_that_pytest_failed_counts_once() -> None:
    row = open_result()
    assert gate(row, failed_tests=[row.node]).reasons == ("1 item inconclusive: open[whisper-tiny.en-amy]",)


def test_an_inconclusive_item_that_may_pass_and_that_pytest_failed_is_a_reason() -> None:
    row = open_result()
    found = gate(row, failed_tests=[row.node], inconclusive_passes=True)
    assert found.reasons == ("1 item failed: open[whisper-tiny.en-amy]",)


def test_an_error_is_a_reason_even_beside_its_own_result() -> None:
    row = result("a")
    found = gate(row, errors={row.node: "teardown failed"}, expected=[row.node])
    assert found.reasons == ("1 item could not be judged: a[whisper-tiny.en-amy]",)


def test_errors_alone_judge_nothing() -> None:
    assert gate(errors={"f.yaml::a[x]": "no audio"}).reasons == (
        "nothing was judged",
        "1 item could not be judged: a[x]",
    )


def test_an_expected_item_without_result_or_error_is_missing() -> None:
    row = result("a")
    found = gate(row, errors={"f.yaml::e[x]": "no audio"}, expected=[row.node, "f.yaml::e[x]", "f.yaml::m[x]"])
    assert "1 item without a result: m[x]" in found.reasons
    assert len(found.reasons) == 2


def test_a_long_list_is_cut_and_counted_in_a_fixed_order() -> None:
    missing = {f"f.yaml::t{number}[x]" for number in range(5)}
    assert gate(result(), expected=missing).reasons == ("5 items without a result: t0[x], t1[x], t2[x] and 2 more",)


def test_items_are_named_in_order_whoever_was_first() -> None:
    errors = dict.fromkeys(["f::e3", "f::e1", "f::e2"], "no audio")
    failed = [f"f::t{number}" for number in range(20)]
    found = gate(result(), errors=errors, failed_tests=set(failed))
    assert found.reasons == (
        "20 items failed: t0, t1, t10 and 17 more",
        "3 items could not be judged: e1, e2, e3",
    )


def test_all_reasons_are_given_at_once() -> None:
    found = gate(lossy(), open_result(), errors={"f::e": "x"}, expected=["f::m"])
    assert [reason.partition(":")[0] for reason in found.reasons] == [
        "1 item failed",
        "1 item inconclusive",
        "1 item could not be judged",
        "1 item without a result",
    ]


def test_reasons_can_be_added_and_not_taken_away() -> None:
    green = gate(result())
    assert green.with_reasons([]) is green
    red = green.with_reasons(["the moon is full"])
    assert not red.passed
    assert red.reasons == ("the moon is full",)
    assert not red.with_reasons([]).passed


def test_conditions_stand_in_the_order_of_their_first_result() -> None:
    rows = [result(condition="new"), result(condition="old"), result("b", condition="new")]
    assert [(row.condition, row.items) for row in summarise(rows)] == [("new", 2), ("old", 1)]


def test_a_mean_is_an_interval() -> None:
    rows = [result("a", kept=retention(interval("1"), interval("1/3"))), open_result("b")]
    (summary,) = summarise(rows)
    assert summary.native == interval("1/2", "1")
    assert summary.shapley == interval("2/3")


@pytest.mark.parametrize(
    "left_out",
    [
        result("b", kept=undefined(), outcome=Outcome.UNDEFINED),
        result("b", kept=retention(interval("0"), interval("0"), status="inverted")),
        result("b", kept=retention(interval("0"), interval("0")), polarity="reversal"),
    ],
    ids=["undefined", "inverted", "reversal"],
)
def test_a_mean_leaves_out_what_means_something_else(left_out: TaskResult) -> None:
    (summary,) = summarise([result("a"), left_out])
    assert summary.native == summary.shapley == interval("1")
    assert summary.left_out == 1
    assert summary.items == 2


def test_there_is_no_mean_of_nothing() -> None:
    (summary,) = summarise([result(kept=undefined())])
    assert summary.native is None
    assert summary.shapley is None


def test_labels_are_counted() -> None:
    labels = {"a": KEPT, "b": CHANGED, "c": OMITTED, "d": OPEN}
    (summary,) = summarise([result(judged=judgement(labels)), lossy("b")])
    assert (summary.lost, summary.unresolved, summary.intentions) == (3, 1, 6)
    assert summary.outcomes == {Outcome.PASSED: 1, Outcome.FAILED: 1}


ZERO = retention(interval("0"), interval("1/4"), lost=1)


def held(task: str, native: str, outcome: Outcome = Outcome.PASSED) -> TaskResult:
    """An item at Native 0 whose baseline had ``native``."""
    return result(task, outcome=outcome, kept=ZERO, held_to=Limits({}, {"native": interval(native)}))


def test_items_that_pass_with_nothing_left_are_named() -> None:
    # fault N8: what was at 0 in the baseline may stay there, but not in silence
    rows = [held(f"t{number}", "0") for number in range(5)]
    [note] = passed_at_zero([result("good"), *rows])
    names = ", ".join(f"t{number}[whisper-tiny.en-amy]" for number in range(3))
    assert note == f"5 items pass at Native 0, as in their baseline: {names} and 2 more"


def test_without_a_baseline_the_note_names_none() -> None:
    tolerated = [held("a", "1/2"), held("b", "0")]
    assert passed_at_zero(tolerated)[0].startswith("2 items pass at Native 0: a[")
    assert passed_at_zero([result("a", kept=ZERO)]) == ["1 item passes at Native 0: a[whisper-tiny.en-amy]"]


@pytest.mark.parametrize(
    "row",
    [
        held("failed", "0", Outcome.FAILED),
        result("open", kept=retention(interval("0", "1"))),
        result("undefined", kept=undefined(), outcome=Outcome.UNDEFINED),
        result("little", kept=retention(interval("1/1000"))),
    ],
)
def test_all_others_are_not(row: TaskResult) -> None:
    assert passed_at_zero([row]) == []


W = "whisper-tiny.en"


def reasons_of_rules(rules: Rules, *rows: TaskResult) -> list[str]:
    return suite_reasons(summarise(rows), rules)


def under(limit: str, *metrics: str, passes: bool = False) -> Rules:
    return Rules(fail_under=dict.fromkeys(metrics, Fraction(limit)), inconclusive_passes=passes)


def test_a_mean_at_its_limit_passes_and_below_it_fails() -> None:
    rows = result("a"), lossy("b")
    assert reasons_of_rules(under("3/4", "native", "shapley"), *rows) == []
    assert reasons_of_rules(under("0.76", "native", "shapley"), *rows) == [
        f"{W}: mean native 0.75 < 0.76",
        f"{W}: mean shapley 0.75 < 0.76",
    ]
    assert reasons_of_rules(under("0.76", "shapley"), *rows) == [f"{W}: mean shapley 0.75 < 0.76"]


def test_a_mean_that_unresolved_labels_leave_open_counts_as_inconclusive() -> None:
    open_ = result("b", kept=retention(interval("0", "1"), interval("0", "1")))
    assert reasons_of_rules(under("0.6", "native"), result("a"), open_) == [f"{W}: mean native [0.5, 1] may be < 0.6"]
    assert reasons_of_rules(under("0.6", "native", passes=True), result("a"), open_) == []
    assert reasons_of_rules(under("0.5", "native"), result("a"), open_) == []


def test_a_mean_that_does_not_exist_does_not_pass() -> None:
    assert reasons_of_rules(under("0.1", "native"), result(kept=undefined())) == [
        f"{W}: no item has a score, so there is no mean native"
    ]


def test_every_condition_is_held_to_it() -> None:
    rows = lossy("a"), result("a", condition="rc"), lossy("a", condition="old")
    assert [reason.partition(":")[0] for reason in reasons_of_rules(under("1", "native"), *rows)] == [W, "old"]


SUSPECT = replace(transcript(), detail={"suspect": ["repetition"]})


@pytest.mark.parametrize(
    ("name", "bad", "said"),
    [
        ("unresolved", result("b", judged=judgement({"port": OPEN, "service": OPEN})), "2 of 8 intentions unresolved"),
        ("empty", result("b", heard=transcript("")), "1 of 4 transcripts empty"),
        ("suspect", result("b", heard=SUSPECT), "1 of 4 transcripts suspect"),
    ],
)
def test_a_share_at_its_limit_passes_and_above_it_fails(name: str, bad: TaskResult, said: str) -> None:
    rows = result("a"), bad, result("c"), result("d")
    assert reasons_of_rules(Rules(most={name: Fraction(1, 4)}), *rows) == []
    assert reasons_of_rules(Rules(most={name: Fraction(24, 100)}), *rows) == [f"{W}: {said}, more than 0.24"]
    assert reasons_of_rules(Rules(most={name: Fraction(0)}), result("a")) == []


def test_kinds_of_which_nothing_is_left() -> None:
    gone = judgement({"port": CHANGED})
    rows = [result(task, judged=gone) for task in ("a", "b")]
    assert all_lost(summarise(rows)) == [f"{W}: all 2 intentions of kind number are lost"]
    assert all_lost(summarise(rows[:1])) == [], "one intention is not a pattern"
    assert all_lost(summarise([*rows, result("c")])) == []
