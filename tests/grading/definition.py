"""The mathematics written a second time, straight from the definitions: no code is shared with the package."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import Any

_NUMBER = re.compile(r"(?<![A-Za-z_0-9.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")

Value = Callable[[Collection[str]], Fraction]


def _steps(score: Fraction, *rest: Fraction) -> Fraction:
    for threshold, value in zip(rest[:-1:2], rest[1:-1:2], strict=True):
        if threshold <= score:
            return value
    return rest[-1]


FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "all_": lambda *a: Fraction(int(all(a))),
    "any_": lambda *a: Fraction(int(any(a))),
    "no_": lambda a: 1 - a,
    "sum_": lambda *a: sum(a, Fraction(0)),
    "mean_": lambda *a: sum(a, Fraction(0)) / len(a),
    "gate_": lambda c, x, e=Fraction(0): x if c else e,
    "atleast_": lambda k, *a: Fraction(int(sum(a) >= k)),
    "steps_": _steps,
    "cap_": min,
    "floor_": max,
    "clamp_": lambda x, low, high: min(max(x, low), high),
    "best_": lambda *a: max(a),
}


def value_of(text: str, worth_when_lost: Mapping[str, Fraction], let: Mapping[str, str] | None = None) -> Value:
    """v as a function of the retained set, by running the text as Python on Fractions."""

    def prepare(source: str) -> Any:
        exact = _NUMBER.sub(r"F('\1')", source)
        return compile(re.sub(r"([a-z]+)\(", r"\1_(", exact), "grader", "eval")

    whole = prepare(text)
    parts = {name: prepare(part) for name, part in (let or {}).items()}

    def value(held: Collection[str]) -> Fraction:
        names: dict[str, Any] = {**FUNCTIONS, "F": Fraction}
        names.update({name: Fraction(1) if name in held else worth for name, worth in worth_when_lost.items()})
        for name, code in parts.items():
            names[name] = eval(code, {"__builtins__": {}}, names)
        return Fraction(eval(whole, {"__builtins__": {}}, names))

    return value


def subsets(names: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset(chosen) for size in range(len(names) + 1) for chosen in combinations(names, size)]


def shapley(value: Value, names: Sequence[str]) -> dict[str, Fraction]:
    """The textbook definition: weighted marginal contributions to every coalition."""
    table = {held: value(held) for held in subsets(names)}
    n = len(names)
    result = {}
    for name in names:
        total = Fraction(0)
        for held, worth in table.items():
            if name not in held:
                size = len(held)
                total += Fraction(factorial(size) * factorial(n - 1 - size), factorial(n)) * (
                    table[held | {name}] - worth
                )
        result[name] = total
    return result


def native(
    value: Value, names: Sequence[str], held: Collection[str], unresolved: Collection[str]
) -> tuple[Fraction, Fraction]:
    """Least and greatest N by trying every way the unresolved may fall out."""
    base = value(())
    full = value(names) - base
    scores = [(value({*held, *more}) - base) / full for more in subsets(sorted(unresolved))]
    return min(scores), max(scores)


def shapley_share(
    phi: Mapping[str, Fraction], held: Collection[str], unresolved: Collection[str]
) -> tuple[Fraction, Fraction]:
    """Least and greatest S by trying every way the unresolved may fall out."""
    whole = sum(phi.values())
    scores = [sum((phi[name] for name in {*held, *more}), Fraction(0)) / whole for more in subsets(sorted(unresolved))]
    return min(scores), max(scores)
