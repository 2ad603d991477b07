"""The verdict on one item, and the shares that people write as its limits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.grading.retention import Interval, Retention
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.verdict import (
    Limits,
    Outcome,
    Verdict,
    decide,
    share,
    shares,
    show,
    show_interval,
    show_lost,
)
from tests.results.builders import (
    CHANGED,
    KEPT,
    OMITTED,
    OPEN,
    interval,
    judgement,
    limits,
    retention,
    undefined,
)


def verdict(kept: Retention, held_to: Limits) -> Verdict:
    return decide(kept, judgement(), [], held_to)


@pytest.mark.parametrize(
    ("native", "outcome", "reasons"),
    [
        (interval("0.9"), Outcome.PASSED, ()),
        (interval("0.9", "1"), Outcome.PASSED, ()),
        (interval("0.8999", "0.9"), Outcome.INCONCLUSIVE, ("native [0.900, 0.9] may be < 0.9",)),
        (interval("0.5", "1"), Outcome.INCONCLUSIVE, ("native [0.5, 1] may be < 0.9",)),
        (interval("0.5", "0.8"), Outcome.FAILED, ("native [0.5, 0.8] < 0.9",)),
        (interval("0.5"), Outcome.FAILED, ("native 0.5 < 0.9",)),
    ],
)
def test_a_threshold_is_held_against_the_whole_interval(
    native: Interval, outcome: Outcome, reasons: tuple[str, ...]
) -> None:
    assert verdict(retention(native=native), limits(native="0.9")) == Verdict(outcome, reasons)


def test_a_limit_is_exact_where_a_binary_float_is_not() -> None:
    kept = retention(native=Interval(Fraction("0.7") + Fraction("0.1"), Fraction("0.8")))
    assert verdict(kept, limits(native="0.8")).outcome is Outcome.PASSED


def test_each_metric_is_held_to_its_own_threshold() -> None:
    kept = retention(interval("0.5"), interval("0.7"))
    assert verdict(kept, limits(native="0.5", shapley="0.7")).outcome is Outcome.PASSED
    assert verdict(kept, limits(native="0.5", shapley="0.71")).reasons == ("shapley 0.7 < 0.71",)


def test_without_limits_everything_passes() -> None:
    assert verdict(retention(interval("-1"), interval("0")), limits()) == Verdict(Outcome.PASSED)


def against(before: Interval, tolerance: str = "0") -> Limits:
    return Limits(thresholds={}, baseline={"native": before}, tolerance=Fraction(tolerance))


@pytest.mark.parametrize(
    ("native", "before", "tolerance", "outcome"),
    [
        (interval("0.7"), interval("0.7"), "0", Outcome.PASSED),
        (interval("0.7"), interval("0.7", "1"), "0", Outcome.PASSED),
        (interval("0.6"), interval("0.7"), "0.1", Outcome.PASSED),
        (interval("0.5999"), interval("0.7"), "0.1", Outcome.FAILED),
        (interval("0.5", "0.6"), interval("0.7"), "0.1", Outcome.INCONCLUSIVE),
        (interval("0.5", "0.9"), interval("0.7"), "0", Outcome.INCONCLUSIVE),
        (interval("0", "0.6"), interval("0.7", "1"), "0", Outcome.FAILED),
    ],
)
def test_a_baseline_is_compared_by_its_lower_end(
    native: Interval, before: Interval, tolerance: str, outcome: Outcome
) -> None:
    assert verdict(retention(native=native), against(before, tolerance)).outcome is outcome


def test_a_reason_names_the_tolerance_only_where_there_is_one() -> None:
    kept = retention(native=interval("0.5"))
    assert verdict(kept, against(interval("0.7", "1"))).reasons == ("native 0.5 < baseline [0.7, 1]",)
    assert verdict(kept, against(interval("0.7"), "0.1")).reasons == ("native 0.5 < baseline 0.7 - 0.1",)


def test_a_threshold_holds_beside_a_baseline() -> None:
    held_to = Limits({"native": Fraction("0.9")}, {"native": interval("0.5")})
    assert verdict(retention(native=interval("0.6")), held_to).reasons == ("native 0.6 < 0.9",)


def test_a_metric_that_the_baseline_lacks_is_not_compared() -> None:
    assert verdict(retention(interval("1"), interval("0")), against(interval("1"))).outcome is Outcome.PASSED


@pytest.mark.parametrize("label", [CHANGED, OMITTED])
def test_a_lost_critical_intention_fails_whatever_the_scores(label: Label) -> None:
    found = decide(retention(), judgement({"port": label}), ["port"], limits())
    assert found == Verdict(Outcome.FAILED, (f"critical intention port {label.value}",))


def test_an_unresolved_critical_intention_is_inconclusive() -> None:
    found = decide(retention(), judgement({"port": OPEN}), ["port"], limits())
    assert found == Verdict(Outcome.INCONCLUSIVE, ("critical intention port unresolved",))


def test_a_retained_critical_intention_passes() -> None:
    assert decide(retention(), judgement({"port": KEPT}), ["port"], limits()).outcome is Outcome.PASSED


def test_what_failed_stands_before_what_is_open() -> None:
    kept = retention(interval("0", "1"), interval("0.5"))
    found = decide(kept, judgement({"port": OPEN}), ["port"], limits("0.9", "0.9"))
    assert found.outcome is Outcome.FAILED
    assert found.reasons == (
        "shapley 0.5 < 0.9",
        "critical intention port unresolved",
        "native [0, 1] may be < 0.9",
    )


def test_a_task_with_nothing_to_lose_is_undefined_with_its_reason() -> None:
    assert verdict(undefined("the score is 1 always"), limits("1", "1")) == Verdict(
        Outcome.UNDEFINED, ("the score is 1 always",)
    )


def test_a_lost_critical_intention_fails_an_undefined_task() -> None:
    found = decide(undefined(), judgement({"port": OMITTED}), ["port"], limits("1"))
    assert found.outcome is Outcome.FAILED


def test_an_inverted_task_is_held_to_its_limits_like_any_other() -> None:
    kept = retention(interval("0.5"), interval("1"), status="inverted", reason="falls")
    assert verdict(kept, limits("1", "1")).reasons == ("native 0.5 < 1",)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1", "1"),
        ("0", "0"),
        ("0.5", "0.5"),
        ("0.123", "0.123"),
        ("1/3", "0.333"),
        ("0.9996", "1.000"),
        ("-1/4", "-0.25"),
    ],
)
def test_a_number_shows_whether_it_is_rounded(value: str, text: str) -> None:
    assert show(Fraction(value)) == text


def test_an_interval_shows_one_number_where_nothing_is_open() -> None:
    assert show_interval(interval("1/2")) == "0.5"
    assert show_interval(interval("0", "2/3")) == "[0, 0.667]"


def test_lost_shows_a_range_where_something_is_open() -> None:
    assert show_lost(retention(lost=2)) == "2"
    assert show_lost(retention(lost=1, lost_upper=3)) == "1 to 3"


@pytest.mark.parametrize(("text", "value"), [("0.9", "9/10"), (".05", "1/20"), ("1/3", "1/3"), (" 1 ", "1")])
def test_a_share_is_exact(text: str, value: str) -> None:
    assert share(text) == Fraction(value)


@pytest.mark.parametrize("text", ["", "1.01", "-0.1", "nan", "high", "1/0", "5%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number from 0 to 1$"):
        share(text)


def test_one_number_holds_for_all() -> None:
    assert shares("0.5", ("native", "shapley")) == {"native": Fraction(1, 2), "shapley": Fraction(1, 2)}


def test_numbers_by_name_hold_for_those_alone() -> None:
    assert shares(" shapley = 0.5 ", ("native", "shapley")) == {"shapley": Fraction(1, 2)}
    assert shares("shapley=0.5,native=1", ("native", "shapley")) == {"shapley": Fraction(1, 2), "native": 1}


@pytest.mark.parametrize("text", ["natve=1", "native=1,native=0", "native=1,0.5", "native=1,"])
def test_a_part_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no part of native=X,shapley=X, each at most once"):
        shares(text, ("native", "shapley"))
