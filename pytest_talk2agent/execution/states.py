"""The states of a task on which its compiled grader is compared with the real one.

Systematic and random states can miss a fault behind a gate, or one that shows only where two intentions are lost
together. So every single fault of the expression is tried, a name taken for satisfied or for violated, a number a tenth
too small or too great, ``all`` for ``any``; and where no state so far shows it, one is looked for that does.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.grading.grader import GraderSource, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
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


MOST_TRIED = 300
"""Candidates for each fault. Most need a handful; a fault that no state can show needs them all."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_PART = re.compile(r"(?P<call>all|any)\(|(?P<name>[A-Za-z_]\w*)(?![\w(])|(?P<number>(?<![\w.])\d+(?:\.\d+)?)(?![\w.])")
_OTHER = {"all": "any", "any": "all"}


def telling(
    task: Task, varies: Sequence[str], known: Sequence[State], chance: random.Random, least: Fraction
) -> list[State]:
    """Further states, so that with those ``known`` as many single faults as possible show by more than ``least``."""
    source = open_source(task, varies)
    right = compile_grader(source)
    values = {state: right.value(state.held(task, varies)) for state in known}
    found: list[State] = []
    for where, faulty in _faults(source):
        try:
            wrong = compile_grader(faulty)
        except GraderError:
            continue
        if any(abs(wrong.value(state.held(task, varies)) - value) > least for state, value in values.items()):
            continue
        for state in _candidates(task, varies, _support(source, where), chance):
            held = state.held(task, varies)
            value = right.value(held)
            if abs(wrong.value(held) - value) > least:
                values[state] = value
                found.append(state)
                break
    return found


def _faults(source: GraderSource) -> Iterator[tuple[str, GraderSource]]:
    """Every single fault, with the name of the part that has it."""
    for where, text in {"value": source.value, **source.let}.items():
        for part in _PART.finditer(text):
            for other in _others(part):
                faulty = text[: part.start()] + other + text[part.end() :]
                if where == "value":
                    yield where, dataclasses.replace(source, value=faulty)
                else:
                    yield where, dataclasses.replace(source, let={**source.let, where: faulty})


def _others(part: re.Match[str]) -> tuple[str, ...]:
    if part["call"]:
        return (f"{_OTHER[part['call']]}(",)
    if part["name"]:
        return ("1", "0")
    number = Fraction(part["number"])
    return tuple(f"{float(number * factor):.9g}" for factor in (Fraction(9, 10), Fraction(11, 10)))


def _support(source: GraderSource, where: str) -> set[str]:
    """The criteria that a part of the expression hangs on."""
    seen: set[str] = set()
    todo = [source.value if where == "value" else source.let[where]]
    while todo:
        for name in _NAME.findall(todo.pop()):
            if name not in seen:
                seen.add(name)
                todo.append(source.let.get(name, ""))
                todo.extend(source.groups[name].needs if name in source.groups else ())
    return seen & set(source.intentions)


def _candidates(task: Task, varies: Sequence[str], support: set[str], chance: random.Random) -> Iterator[State]:
    """States in which all outside of ``support`` is as it should be, which opens gates; within, all is drawn."""
    names = sorted(support)
    for index in range(MOST_TRIED if names else 0):
        # mostly a few, since much of what a part hangs on is a condition of the rest
        most = index % 6 + 2 if index % 6 < 4 else len(names)
        lost = set(chance.sample(names, min(most, chance.randint(1, len(names)))))
        yield State(frozenset(task.intentions) - lost, frozenset(varies) & lost)
