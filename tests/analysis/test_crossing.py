"""The search for the level at which a rate passes a target."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.crossing import CrossingError, find_crossing

LOW, HIGH, STEP = Fraction(-10), Fraction(30), Fraction(1, 2)
TENTH = Fraction(1, 10)


@given(st.fractions(-10, 30, max_denominator=1000), st.fractions(Fraction(1, 100), 2, max_denominator=100))
def test_a_falling_line_is_met_where_it_passes(level: Fraction, slope: Fraction) -> None:
    def rate(snr: Fraction) -> Fraction:
        return TENTH + slope * (level - snr)

    if rate(LOW) <= TENTH:
        level += STEP
    crossing = find_crossing(rate, TENTH, LOW, HIGH + STEP, STEP)
    assert crossing.level == level
    assert crossing.within.level - crossing.above.level == STEP
    assert crossing.within.rate <= TENTH < crossing.above.rate


@given(st.integers(0, 80))
def test_no_level_is_measured_twice_and_few_are_measured(place: int) -> None:
    asked: list[Fraction] = []

    def rate(snr: Fraction) -> Fraction:
        asked.append(snr)
        return Fraction(int(snr < LOW + place * STEP + STEP))

    find_crossing(rate, TENTH, LOW, HIGH + 2 * STEP, STEP)
    assert len(asked) == len(set(asked)) <= 9


def test_a_rate_that_rises_again_gives_one_of_its_crossings() -> None:
    rates = {Fraction(place): Fraction(value, 10) for place, value in enumerate((9, 3, 0, 2, 0))}
    crossing = find_crossing(rates.__getitem__, TENTH, Fraction(0), Fraction(4), Fraction(1))
    assert [crossing.above.level, crossing.within.level] == [Fraction(1), Fraction(2)]


def test_a_target_out_of_reach_is_an_error() -> None:
    with pytest.raises(CrossingError, match=r"30\.0% even at 30"):
        find_crossing(lambda snr: Fraction(3, 10), TENTH, LOW, HIGH, STEP)
    with pytest.raises(CrossingError, match=r"only 5\.0% at -10"):
        find_crossing(lambda snr: Fraction(1, 20), TENTH, LOW, HIGH, STEP)


@pytest.mark.parametrize(("low", "high", "step"), [(0, 1, 0), (0, 1, -1), (1, 0, 1), (0, 1, 2), (0, 0, 1)])
def test_a_range_that_is_none(low: int, high: int, step: int) -> None:
    with pytest.raises(ValueError, match="no whole number of steps"):
        find_crossing(lambda snr: snr, TENTH, Fraction(low), Fraction(high), Fraction(step))
