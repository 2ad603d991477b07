"""Shares as people write them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.results.shares import share, shares


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
