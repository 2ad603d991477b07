"""Mean and standard deviation over repetitions, each of which is a mean over tasks (Talk2Agent, tables 2, 3 and 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Spread:
    """``mean`` over ``repetitions``, exact; ``sd`` is the sample's (n - 1), None for a single repetition."""

    mean: Fraction
    sd: float | None
    repetitions: int


def spread(values: Sequence[Fraction]) -> Spread:
    """The spread of some values; raises ValueError where there are none."""
    if not values:
        raise ValueError("no value to average")
    mean = sum(values, Fraction(0)) / len(values)
    if len(values) == 1:
        return Spread(mean, None, 1)
    variance = sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1)
    return Spread(mean, math.sqrt(variance), len(values))


def means_of(cells: Iterable[tuple[str, str, Fraction]], what: str) -> dict[str, Fraction]:
    """The mean over tasks of each repetition, from (repetition, task, score); several scores of a pair are averaged.

    Raises ValueError where two repetitions are not of the same tasks: their means could not be compared.
    """
    scores: dict[str, dict[str, list[Fraction]]] = {}
    for repetition, task, score in cells:
        scores.setdefault(repetition, {}).setdefault(task, []).append(score)
    _refuse_gaps(scores, what)
    return {
        repetition: sum((sum(found, Fraction(0)) / len(found) for found in tasks.values()), Fraction(0)) / len(tasks)
        for repetition, tasks in scores.items()
    }


def _refuse_gaps(scores: Mapping[str, Mapping[str, object]], what: str) -> None:
    everything = {task for tasks in scores.values() for task in tasks}
    for repetition, tasks in scores.items():
        if missing := sorted(everything - tasks.keys()):
            some = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
            raise ValueError(f"{what}: repetition {repetition!r} lacks {some}, which others have; complete it")
