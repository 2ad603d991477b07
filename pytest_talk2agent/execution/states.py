"""The states of a task on which its compiled grader is compared with the real one."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.grading.grader import GraderSource
from pytest_talk2agent.tasks.task import Task

_SHARES = (0.5, 0.7, 0.85, 0.95)
"""What random subsets retain: real transcripts lose little, and hard gates hide what happens far below."""


@dataclass(frozen=True)
class State:
    """Which intentions are retained, and which fixed criteria are turned from what the task file says."""

    retained: frozenset[str]
    flipped: frozenset[str] = frozenset()

    def holds(self, task: Task) -> dict[str, bool]:
        """Every intention and fixed criterion of the task to whether it holds."""
        fixed = {name: criterion.holds is not (name in self.flipped) for name, criterion in task.fixed.items()}
        return {**{name: name in self.retained for name in task.intentions}, **fixed}

    def held(self, task: Task, varies: Sequence[str]) -> list[str]:
        """What holds, as the grader of `open_source` takes it."""
        holds = self.holds(task)
        return [name for name in (*task.intentions, *varies) if holds[name]]

    def describe(self, task: Task) -> str:
        """The state in a few words, by what is lost or by what is kept, whichever is shorter."""
        lost = [name for name in task.intentions if name not in self.retained]
        kept = [name for name in task.intentions if name in self.retained]
        if not lost:
            words = "all retained"
        elif not kept:
            words = "all lost"
        else:
            words = f"lost {', '.join(lost)}" if len(lost) <= len(kept) else f"retained only {', '.join(kept)}"
        turned = [f"{name} {'violated' if task.fixed[name].holds else 'satisfied'}" for name in sorted(self.flipped)]
        return "; ".join([words, *turned])


def open_source(task: Task, varies: Sequence[str]) -> GraderSource:
    """The task's grader with the fixed criteria in ``varies`` as further intentions, and no limit to its range."""
    source = task.grader_source
    return dataclasses.replace(
        source,
        intentions={**source.intentions, **dict.fromkeys(varies, Fraction(0))},
        fixed={name: holds for name, holds in source.fixed.items() if name not in varies},
        range=(Fraction(-1000), Fraction(1000)),
    )


def states_of(task: Task, varies: Sequence[str], subsets: int, seed: int) -> list[State]:
    """All retained, all lost, each lost alone, each retained alone, and ``subsets`` drawn by ``seed``; each once.

    Fixed criteria that ``varies`` names are turned one by one, and at random in ``subsets`` further states.
    """
    chance = random.Random(f"{seed}/{task.id}")
    return list(dict.fromkeys(_states(list(task.intentions), varies, subsets, chance)))


def _states(names: Sequence[str], varies: Sequence[str], subsets: int, chance: random.Random) -> Iterator[State]:
    full, nothing = frozenset(names), frozenset[str]()
    yield State(full)
    yield State(nothing)
    yield from (State(full - {name}) for name in names)
    yield from (State(frozenset({name})) for name in names)
    yield from (State(_drawn(names, _SHARES[index % len(_SHARES)], chance)) for index in range(subsets))
    for name in varies:
        yield from (State(retained, frozenset({name})) for retained in (full, nothing))
    for index in range(subsets if varies else 0):
        yield State(_drawn(names, _SHARES[index % len(_SHARES)], chance), _drawn(varies, 0.5, chance))


def _drawn(names: Sequence[str], share: float, chance: random.Random) -> frozenset[str]:
    return frozenset(name for name in names if chance.random() < share)
