"""How many recordings would decide: from the spread between tasks and within them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_talk2agent.results.release import Needed


@dataclass(frozen=True)
class Spread:
    """Variance components of a value that tasks have and takes scatter around.

    ``between`` is the variance of the tasks' true values, ``within`` that of takes of one task (None where no task has
    two), ``means`` that of the tasks' means as observed, ``takes`` the harmonic mean of takes of a task.
    """

    tasks: int
    takes: float
    means: float
    between: float
    within: float | None


def spread_of(groups: Sequence[Sequence[float]]) -> Spread:
    """The components of a one-way random layout, one group a task; needs two tasks.

    With unequal groups the harmonic mean stands for their size (Searle, Casella, McCulloch, Variance Components, 3.6).
    """
    tasks = len(groups)
    centres = [math.fsum(group) / len(group) for group in groups]
    centre = math.fsum(centres) / tasks
    means = math.fsum((value - centre) ** 2 for value in centres) / (tasks - 1)
    takes = tasks / math.fsum(1 / len(group) for group in groups)
    freedom = sum(len(group) - 1 for group in groups)
    if not freedom:
        return Spread(tasks, takes, means, means, None)
    squares = math.fsum((value - c) ** 2 for group, c in zip(groups, centres, strict=True) for value in group)
    within = squares / freedom
    return Spread(tasks, takes, means, max(0.0, means - within / takes), within)


def needed_for(spread: Spread, difference: tuple[float, float], interval: tuple[float, float], margin: float) -> Needed:
    """What would decide a difference that is undecided now; more is better in it.

    ``difference`` holds both ends of what was observed, apart where labels are unresolved; ``interval`` is the one
    around them. What lies between the two shrinks with the square root of the data; it must become smaller than what
    lies between the difference and ``-margin``, on the side on which the difference is.
    """
    (low, high), (lower, upper) = difference, interval
    room, width = (low + margin, low - lower) if low > -margin else (-(high + margin), upper - high)
    if room <= 0:
        return Needed(None, None, labels=low < high)
    if spread.means <= 0:
        return Needed(None, None)
    means = spread.means * (room / width) ** 2  # the variance of a task's mean that would do
    tasks = _whole(spread.tasks * spread.means / means)
    if spread.within is None:
        return Needed(tasks, None)
    return Needed(tasks, _whole(spread.within / (means - spread.between)) if means > spread.between else None)


def _whole(number: float) -> int:
    return math.ceil(number - 1e-9)
