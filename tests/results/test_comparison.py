"""What a run is held to, and the three-way verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_talk2agent.results.comparison import (
    Change,
    Comparison,
    Difference,
    KindChange,
    Needed,
    change_of,
    needed_text,
)
from pytest_talk2agent.results.verdict import Rules
from tests.results.builders import interval

ONE = {"native": Fraction(1), "shapley": Fraction(1)}
HALF = Fraction(1, 2)
BEFORE = {"native": interval("1/2"), "shapley": interval("3/4")}


@pytest.mark.parametrize(
    ("lower", "upper", "margin", "change"),
    [
        (0.0, 0.0, 0.0, Change.NOT_REGRESSED),
        (-0.05, 0.2, 0.05, Change.NOT_REGRESSED),
        (-0.04, -0.01, 0.05, Change.NOT_REGRESSED),  # a loss, and a tolerable one
        (-0.051, 0.2, 0.05, Change.UNDECIDED),
        (-0.2, -0.05, 0.05, Change.UNDECIDED),
        (-0.2, -0.051, 0.05, Change.REGRESSED),
        (-0.2, -0.001, 0.0, Change.REGRESSED),
        (-0.1 - 1e-15, 0.0, 0.1, Change.NOT_REGRESSED),
    ],
)
def test_the_border_is_the_margin(lower: float, upper: float, margin: float, change: Change) -> None:
    assert change_of(lower, upper, margin) is change


class TestLimits:
    def test_alone_an_item_must_keep_everything(self) -> None:
        assert Rules().limits({}, None, must_pass=False, compared=False).thresholds == ONE

    @pytest.mark.parametrize("rules", [Rules(fail_under={"native": HALF}), Rules(margin={"native": HALF})])
    def test_the_default_holds_only_where_nothing_else_is_asked_for(self, rules: Rules) -> None:
        compared = bool(rules.margin)
        assert rules.limits({}, None, must_pass=False, compared=compared).thresholds == {}

    def test_what_a_task_declares_comes_first_and_is_recorded(self) -> None:
        rules = Rules(thresholds={"native": HALF, "shapley": HALF})
        limits = rules.limits({"native": Fraction(1, 4)}, None, must_pass=False, compared=False)
        assert limits.thresholds == {"native": Fraction(1, 4), "shapley": HALF}
        assert limits.own == {"native": Fraction(1, 4)}

    def test_with_a_margin_items_are_not_compared_but_those_that_must_pass(self) -> None:
        rules = Rules(margin={"native": HALF}, tolerance=Fraction(1, 10))
        assert rules.limits({}, BEFORE, must_pass=False, compared=True).baseline is None
        pinned = rules.limits({}, BEFORE, must_pass=True, compared=True)
        assert pinned.baseline == BEFORE
        assert pinned.tolerance == 0
        assert pinned.thresholds == {}

    def test_without_a_margin_items_are_compared(self) -> None:
        limits = Rules(tolerance=HALF).limits({}, BEFORE, must_pass=False, compared=True)
        assert (limits.baseline, limits.tolerance) == (BEFORE, HALF)

    def test_without_a_baseline_what_must_pass_is_held_to_1_whatever_else_is_given(self) -> None:
        rules = Rules(thresholds={"native": HALF, "shapley": HALF}, fail_under={"native": HALF})
        limits = rules.limits({"native": Fraction(0)}, None, must_pass=True, compared=False)
        assert limits.thresholds == ONE
        assert limits.must_pass


@pytest.mark.parametrize(
    ("patterns", "task", "tags", "pinned"),
    [
        ((), "git/push", (), False),
        ((), "git/push", ("must-pass",), True),
        (("git/*",), "git/push", (), True),
        (("push",), "git/push", (), False),
        (("GIT/*",), "git/push", (), False),
    ],
)
def test_who_must_pass(patterns: tuple[str, ...], task: str, tags: tuple[str, ...], pinned: bool) -> None:
    assert Rules(must_pass=patterns).pins(task, tags) is pinned


def difference(change: Change | None, metric: str = "native", needed: Needed | None = None) -> Difference:
    margin = None if change is None else Fraction(1, 20)
    return Difference(metric, 30, (0.9, 0.9), (0.8, 0.8), (-0.1, -0.1), (-0.2, 0.01), margin, change, needed)


def comparison(*differences: Difference, kinds: tuple[KindChange, ...] = ()) -> Comparison:
    return Comparison("rc1", "main", 60, 30, 0, 0, differences, kinds, "bootstrap", 10_000, 0)


NUMBERS = KindChange("number", 40, 4, 40, 36, 0, 0, p=1e-10, adjusted=2e-10, regressed=True)
FINE, OPEN, WORSE = (difference(change) for change in (Change.NOT_REGRESSED, Change.UNDECIDED, Change.REGRESSED))


@pytest.mark.parametrize(
    ("found", "change"),
    [
        (comparison(FINE, FINE), Change.NOT_REGRESSED),
        (comparison(FINE, OPEN), Change.UNDECIDED),
        (comparison(OPEN, WORSE), Change.REGRESSED),
        (comparison(FINE, kinds=(NUMBERS,)), Change.REGRESSED),
        (comparison(difference(None)), None),
    ],
)
def test_the_worst_metric_or_kind_decides(found: Comparison, change: Change | None) -> None:
    assert found.change is change


def test_reasons_name_metric_interval_margin_and_kind() -> None:
    reasons = comparison(FINE, OPEN, WORSE, kinds=(NUMBERS,)).reasons(inconclusive_passes=False)
    assert reasons == [
        "rc1: undecided: native by [-0.200, +0.010] against main, margin 0.05",
        "rc1: regressed: native by [-0.200, +0.010] against main, margin 0.05",
        "rc1: regressed: number intentions lost 4 -> 40 of 40 (p = 2e-10, adjusted for all kinds)",
    ]


def test_an_undecided_metric_may_pass_and_a_regression_may_not() -> None:
    assert comparison(OPEN).reasons(inconclusive_passes=True) == []
    assert len(comparison(WORSE, OPEN).reasons(inconclusive_passes=True)) == 1


def test_hints_are_on_what_is_undecided() -> None:
    same, other = Needed(120, None), Needed(None, None, labels=True)
    rows = [difference(Change.UNDECIDED, name, needed) for name, needed in
            (("native", same), ("shapley", other), ("lost", same))]  # fmt: skip
    assert comparison(FINE, WORSE, *rows).hints() == [
        "rc1: native, lost undecided: about 120 tasks (30 now) would decide if the difference stays",
        "rc1: shapley undecided: unresolved labels leave it open, whatever is recorded",
    ]


@pytest.mark.parametrize(
    ("needed", "told"),
    [
        (Needed(601, None), True),
        (Needed(601, 21), True),
        (Needed(None, 21), True),
        (Needed(600, None), False),
        (Needed(601, 20), False),
        (Needed(600, 21), False),
        (Needed(None, None), False),
        (Needed(None, None, labels=True), False),
        (None, False),
    ],
)
def test_too_few_tasks_for_a_margin_are_told(needed: Needed | None, told: bool) -> None:
    hints = comparison(difference(Change.UNDECIDED, needed=needed)).hints()
    line = "rc1: 30 tasks, far too few for such a margin: a loss beyond it is neither shown nor ruled out; "
    assert [hint.startswith(line) for hint in hints[1:]] == [True] * told


def test_one_task_has_no_interval_to_show() -> None:
    found = comparison(replace(OPEN, tasks=1, interval=None))
    assert found.reasons(inconclusive_passes=False) == ["rc1: undecided: native on 1 task against main, margin 0.05"]
    assert found.hints() == ["rc1: native undecided: one task says nothing of others"]


def test_rules_are_plain_in_json() -> None:
    rules = Rules(thresholds={"native": HALF}, margin={"lost": Fraction(1, 20)}, must_pass=("git/*",))
    assert rules.to_json() == {
        "thresholds": {"native": "1/2"},
        "margin": {"lost": "1/20"},
        "fail_under": {},
        "most": {},
        "tolerance": "0",
        "inconclusive": "fail",
        "must_pass": ["git/*"],
    }


@pytest.mark.parametrize(
    ("needed", "text"),
    [
        (None, "one task says nothing of others"),
        (Needed(120, 8), "about 120 tasks (30 now) or 8 takes of each task would decide if the difference stays"),
        (Needed(120, None), "about 120 tasks (30 now) would decide if the difference stays"),
        (Needed(2626, None), "about 2,626 tasks (30 now) would decide if the difference stays"),
        (Needed(2626, 1572), "about 2,626 tasks (30 now) would decide if the difference stays"),
        (Needed(None, 1572), "1,572 takes of each task would decide if the difference stays"),
        (Needed(None, None), "the difference is about the margin: no number of recordings decides"),
        (Needed(None, None, labels=True), "unresolved labels leave it open, whatever is recorded"),
    ],
)
def test_what_would_decide_in_words(needed: Needed | None, text: str) -> None:
    assert needed_text(difference(Change.UNDECIDED, needed=needed)) == text


def test_a_comparison_is_plain_in_json() -> None:
    plain: Mapping[str, object] = comparison(FINE, kinds=(NUMBERS,)).to_json()
    assert plain["change"] == "regressed"
    assert isinstance(plain["differences"], tuple)
    assert plain["differences"][0]["margin"] == "1/20"
    assert plain["differences"][0]["change"] == "not regressed"
    assert (plain["draws"], plain["seed"]) == (10_000, 0)
