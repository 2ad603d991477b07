from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.tasks.exact import exact


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=6))
def test_a_decimal_is_read_exactly(number: Decimal) -> None:
    assert exact(str(number)) == Fraction(number)


@given(st.fractions(max_denominator=10**6))
def test_a_fraction_is_read_exactly(number: Fraction) -> None:
    assert exact(str(number)) == exact(number) == number


@pytest.mark.parametrize(
    ("written", "number"), [(".5", "1/2"), ("1.", "1"), ("+2", "2"), ("1e-3", "1/1000"), (0.1, "1/10"), (3, "3")]
)
def test_other_notations(written: object, number: str) -> None:
    assert exact(written) == Fraction(number)


@pytest.mark.parametrize(
    "written", ["", "high", "nan", "inf", "1e9999", "1/0", "0x10", "1_0", "1,5", "50%", "٣", True, None, [1], "1" * 99]
)
def test_anything_else_is_one_clear_line(written: object) -> None:
    with pytest.raises(ValueError, match=r"^`.*`.*; write a decimal such as 0\.9, or a fraction such as 1/3$"):
        exact(written)
