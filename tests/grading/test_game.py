from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import count

import pytest

from pytest_talk2agent.grading.grader import GraderSource, black_box, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError


def test_exact_results_of_every_allowed_type() -> None:
    for half in (Fraction(1, 2), "1/2", "0.5", 0.5):
        grader = black_box(lambda held, half=half: half if "a" in held else 0, ["a", "b"])  # type: ignore[misc]
        assert grader.shapley() == {"a": Fraction(1, 2), "b": Fraction(0)}
        assert grader.powerless == ("b",)


def test_floats_are_rounded_to_a_billionth() -> None:
    grader = black_box(lambda held: sum(0.1 for _ in held), list("abcdefghij"))
    assert grader.full == 1
    assert set(grader.shapley().values()) == {Fraction(1, 10)}


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_that_are_none(bad: float) -> None:
    with pytest.raises(GraderError, match="finite number"):
        black_box(lambda held: bad, ["a"])


def test_a_function_with_a_memory_is_refused() -> None:
    calls: Iterator[int] = count()
    with pytest.raises(GraderError, match="for the same set"):
        black_box(lambda held: next(calls), list("abc"))
    calls = count()
    with pytest.raises(GraderError, match="for the same set"):
        black_box(lambda held: int(next(calls) > 300), list("abcdefghi"))


def test_sizes_and_names() -> None:
    with pytest.raises(GraderError, match="1 to 22 intentions, not 23"):
        black_box(lambda held: 0, [f"x{index}" for index in range(23)])
    with pytest.raises(GraderError, match="1 to 22 intentions, not 0"):
        black_box(lambda held: 0, [])
    with pytest.raises(GraderError, match="different names"):
        black_box(lambda held: 0, ["a", "a"])


def test_more_coalitions_than_one_block() -> None:
    names = [f"x{index}" for index in range(16)]
    box = black_box(lambda held: Fraction(min(len(held) + 2 * ("x3" in held), 9), 9), names)
    same = compile_grader(
        GraderSource(f"cap({' + '.join(f'{name}/9' for name in names)} + 2*x3/9, 1)", dict.fromkeys(names, Fraction(0)))
    )
    assert box.shapley() == same.shapley()
    assert box.retention(names[:3], names[10:]) == same.retention(names[:3], names[10:])
    assert Decimal(1) == sum(box.shapley().values())
