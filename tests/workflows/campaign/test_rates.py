from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.workflows.campaign.rates import (
    NotApplicable,
    Rate,
    clustered,
    mcnemar,
    mean_interval,
    rate,
    wilson,
)


@pytest.mark.parametrize(
    ("passed", "total", "open_", "shown"),
    [
        (3, 9, 0, "3 of 9"),
        (0, 1, 1, "0 of 1, 1 unjudged"),
        (5, 10, 0, "50.0 % [23.7, 76.3] (n=10)"),
        (5, 10, 2, "50.0 to 70.0 % [23.7, 89.2] (n=10, 2 unjudged)"),
        (13, 120, 0, "10.8 % [6.4, 17.7] (n=120)"),
    ],
)
def test_a_rate_of_few_events_is_a_count(passed: int, total: int, open_: int, shown: str) -> None:
    assert str(Rate(passed, total, open_)) == shown


def test_no_events_are_no_rate_and_say_why() -> None:
    assert rate(0, 0, "no corrections") == NotApplicable("no corrections")
    assert str(NotApplicable("no audio", "text agents are not heard")) == "n/a (no audio: text agents are not heard)"


@given(st.integers(0, 200), st.integers(0, 200))
def test_wilsons_interval_holds_the_share(passed: int, failed: int) -> None:
    total = passed + failed
    if total:
        low, high = wilson(passed, total)
        assert 0 <= low <= passed / total + 1e-9
        assert passed / total - 1e-9 <= high <= 1


def test_mcnemar_is_the_exact_test_of_those_who_changed_sides() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(5, 0) == pytest.approx(2 / 2**5)
    assert mcnemar(5, 12) == mcnemar(12, 5) == pytest.approx(0.143463134765625)


def test_what_is_open_widens_the_interval_of_a_mean() -> None:
    settled = [Interval(Fraction(share, 3), Fraction(share, 3)) for share in (0, 1, 2, 3) * 5]
    opened = [Interval(value.low, Fraction(1)) for value in settled]
    one, two = clustered(settled, draws=500), clustered(opened, draws=500)
    assert one is not None
    assert two is not None
    assert one[0] == two[0]
    assert one[1] < two[1]
    assert clustered(settled[:1]) is None


@pytest.mark.parametrize(("share", "n"), [(0, 22), (1, 22), (1, 2), (Fraction(1, 3), 21), (Fraction(1, 2), 100)])
def test_where_all_fare_the_same_the_interval_claims_no_certainty(share: Fraction | int, n: int) -> None:
    values = [Interval(Fraction(share), Fraction(share))] * n
    assert mean_interval(values) == pytest.approx(wilson(int(share * n), n))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_the_interval_of_a_mean_holds_it_and_is_never_a_point(ends: list[tuple[int, int]]) -> None:
    values = [Interval(Fraction(min(pair), 3), Fraction(max(pair), 3)) for pair in ends]
    found = mean_interval(values)
    assert found is not None
    low, high = sum(value.low for value in values) / len(values), sum(value.high for value in values) / len(values)
    assert found[0] <= low + Fraction(1, 10**9)
    assert high - Fraction(1, 10**9) <= found[1]
    assert found[0] < found[1]
    assert mean_interval(values[:1]) is None
