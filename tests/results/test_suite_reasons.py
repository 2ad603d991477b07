"""Means and shares that a condition as a whole is held to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_talk2agent.results.gate import all_lost, suite_reasons, summarise
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.release import Rules
from tests.results.builders import CHANGED, OPEN, interval, judgement, lossy, result, retention, transcript, undefined

W = "whisper-tiny.en"


def reasons(rules: Rules, *rows: TaskResult) -> list[str]:
    return suite_reasons(summarise(rows), rules)


def under(limit: str, *metrics: str, passes: bool = False) -> Rules:
    return Rules(fail_under=dict.fromkeys(metrics, Fraction(limit)), inconclusive_passes=passes)


def test_a_mean_at_its_limit_passes_and_below_it_fails() -> None:
    rows = result("a"), lossy("b")
    assert reasons(under("3/4", "native", "shapley"), *rows) == []
    assert reasons(under("0.76", "native", "shapley"), *rows) == [
        f"{W}: mean native 0.75 < 0.76",
        f"{W}: mean shapley 0.75 < 0.76",
    ]
    assert reasons(under("0.76", "shapley"), *rows) == [f"{W}: mean shapley 0.75 < 0.76"]


def test_a_mean_that_unresolved_labels_leave_open_counts_as_inconclusive() -> None:
    open_ = result("b", kept=retention(interval("0", "1"), interval("0", "1")))
    assert reasons(under("0.6", "native"), result("a"), open_) == [f"{W}: mean native [0.5, 1] may be < 0.6"]
    assert reasons(under("0.6", "native", passes=True), result("a"), open_) == []
    assert reasons(under("0.5", "native"), result("a"), open_) == []


def test_a_mean_that_does_not_exist_does_not_pass() -> None:
    assert reasons(under("0.1", "native"), result(kept=undefined())) == [
        f"{W}: no item has a score, so there is no mean native"
    ]


def test_every_condition_is_held_to_it() -> None:
    rows = lossy("a"), result("a", condition="rc"), lossy("a", condition="old")
    assert [reason.partition(":")[0] for reason in reasons(under("1", "native"), *rows)] == [W, "old"]


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
    assert reasons(Rules(most={name: Fraction(1, 4)}), *rows) == []
    assert reasons(Rules(most={name: Fraction(24, 100)}), *rows) == [f"{W}: {said}, more than 0.24"]
    assert reasons(Rules(most={name: Fraction(0)}), result("a")) == []


def test_kinds_of_which_nothing_is_left() -> None:
    gone = judgement({"port": CHANGED})
    rows = [result(task, judged=gone) for task in ("a", "b")]
    assert all_lost(summarise(rows)) == [f"{W}: all 2 intentions of kind number are lost"]
    assert all_lost(summarise(rows[:1])) == [], "one intention is not a pattern"
    assert all_lost(summarise([*rows, result("c")])) == []
