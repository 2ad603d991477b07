"""Numbers of records, read back exactly from what anyone may have written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.retention import DIGITS, read_fraction


@given(st.fractions())
def test_what_is_written_is_read(value: Fraction) -> None:
    assert read_fraction(str(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-(10**30), max_value=10**30))
def test_a_decimal_is_exact(value: object) -> None:
    assert read_fraction(f"{value:f}") == Fraction(f"{value:f}")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (1, Fraction(1)),
        (-3, Fraction(-3)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("1e-05", Fraction(1, 100_000)),
        ("1E+2", Fraction(100)),
        ("-2/6", Fraction(-1, 3)),
        ("007", Fraction(7)),
        (f"1/{'9' * DIGITS}", Fraction(1, int("9" * DIGITS))),
    ],
)
def test_what_a_hand_writes_is_exact(written: object, value: Fraction) -> None:
    assert read_fraction(written) == value


@pytest.mark.parametrize(
    "written",
    [
        *("1/0", "0/0", "1/-2", "1e999999999", "1e-999999999", "1e1000", "1e300", "-1e300", "nan", "inf", "-inf", ""),
        *(" 1", "1 ", "1\n", "1_000", "\u0661", "0x10", "1/2/3", "1.5/2", "+1", "--1", "e5", "."),
        *(
            None,
            True,
            False,
            0.5,
            float("nan"),
            [],
            ["1"],
            {},
            10**300,
            "9" * 5000,
            "1/" + "9" * 5000,
            "0." + "1" * 100,
        ),
    ],
    ids=range(36),
)
def test_all_else_is_refused_in_one_short_line(written: object) -> None:
    with pytest.raises(ValueError, match=r"is not a number$") as caught:
        read_fraction(written)
    assert len(str(caught.value)) < 100
    assert "\n" not in str(caught.value)
