"""The two mistakes that are easiest to make, made on purpose: the vectors tell them from the truth."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from pytest_talk2agent.grading.grader import GraderSource, black_box, compile_grader
from tests.grading import definition

ABC = dict.fromkeys("abc", Fraction(0))
RANGE = (Fraction(-10), Fraction(10))


def test_binary_floats_put_a_coalition_on_the_wrong_side_of_v9() -> None:
    def in_floats(held: Collection[str]) -> Fraction:
        total = 0.7 * ("a" in held) + 0.1 * ("b" in held) + 0.2 * ("c" in held)
        return Fraction(int(total >= 0.8))

    exact = compile_grader(GraderSource("steps(0.7*a + 0.1*b + 0.2*c, 0.8, 1, 0)", ABC)).shapley()
    floats = definition.shapley(in_floats, "abc")
    assert list(floats.values()) == [Fraction(1, 2), 0, Fraction(1, 2)]
    assert list(exact.values()) == [Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)]
    # a black box that computes in floats is believed: its own threshold decides
    assert black_box(lambda held: float(in_floats(held)), "abc").shapley() == floats


def test_the_two_ends_alone_miss_the_interval_of_v7_and_v8() -> None:
    for text, unresolved, ends, truth in (
        ("floor(0.6*a + 0.4*b - 0.5*c, 0)", "abc", [0, 1], [0, 2]),
        ("0.2 + 0.6*a + 0.6*b - 1.2*a*b + 0.2*c", "ab", [0, 0], [0, 3]),
    ):
        grader = compile_grader(GraderSource(text, ABC, range=RANGE))
        corners = [(grader.value(held) - grader.base) / grader.full for held in ([], list(unresolved))]
        assert sorted(corners) == ends
        native = grader.retention([], list(unresolved)).native
        assert native is not None
        assert [native.low, native.high] == truth


def test_knife_edges_of_decimal_sums() -> None:
    ten = [f"x{index}" for index in range(10)]
    grader = compile_grader(
        GraderSource(f"steps({' + '.join(f'0.1*{name}' for name in ten)}, 1.0, 1, 0)", dict.fromkeys(ten, Fraction(0)))
    )
    assert grader.value(ten) == 1
    total = 0.0
    for _ in ten:  # not sum(), which has compensated for rounding since Python 3.12
        total += 0.1
    assert total < 1.0
