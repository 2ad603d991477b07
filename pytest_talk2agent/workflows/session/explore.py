"""A search of schedules: the same conversation with other moments, until one goes wrong, and then less of it.

On the virtual clock the user speaks over the agent earlier or later, tools take longer, results get lost on their way.
A session that goes wrong is shrunk: what it does not need is taken away, and every number is halved while the session
still goes wrong for the same reason. What is left runs again from its log alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pytest_talk2agent.workflows.agents.protocol import Agent
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.contracts import violations
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.options import Perturbation
from pytest_talk2agent.workflows.session.replay import Replayed, replay
from pytest_talk2agent.workflows.session.run import MakeBackend, RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.stable import stable_random

LATEST_OVERLAP_MS = 6_000
LONGEST_DELAY_MS = 8_000
MOST_CHANGES = 4
MOST_SHRINKS = 200

Verdict = Callable[[Package, Replayed], "str | None"]
"""Why a session went wrong, in words that are the same for the same reason; None where it did not."""


@dataclass(frozen=True)
class Found:
    """A schedule that goes wrong: the smallest that was found, its log, why, and how many sessions that took."""

    perturbation: Perturbation
    log: EventLog
    reason: str
    tried: int
    shrunk: int


def broken_contract(package: Package, done: Replayed) -> str | None:
    """The contracts that a session broke, by name."""
    trace = trace_of(done)
    if trace.state != "finished":
        return None
    return ", ".join(sorted({one.contract for one in violations(package, trace)})) or None


class Explorer:
    """Runs one package with one agent under many schedules."""

    def __init__(
        self,
        package: Package,
        agent: Agent,
        spec: str,
        options: RunOptions | None = None,
        *,
        verdict: Verdict = broken_contract,
        backend: MakeBackend | None = None,
    ) -> None:
        self._package, self._agent, self._spec = package, agent, spec
        self._options = options or RunOptions()
        self._verdict, self._backend = verdict, backend

    def search(self, sessions: int) -> Found | None:
        """Try so many schedules, the unchanged one first; the first that goes wrong is shrunk. None where none does."""
        calls = 0
        for number in range(sessions):
            changes = self._changes(number, calls) if number else Perturbation()
            log, reason = self.run(changes)
            calls = max(calls, sum(event.type == "TOOL_CALL" for event in log.events))
            if reason is not None:
                return self._shrink(changes, log, reason, number + 1)
        return None

    def run(self, changes: Perturbation) -> tuple[EventLog, str | None]:
        """One session under a schedule, and why it went wrong."""
        options = replace(self._options, perturbation=changes)
        log = run_session(self._package, self._agent, self._spec, options, backend=self._backend)
        return log, self._verdict(self._package, replay(log.to_bytes()))

    def _changes(self, number: int, calls: int) -> Perturbation:
        draw = stable_random("explore", self._package.id, self._options.seed, number)
        overlaps: dict[str, int] = {}
        latency: dict[int, int] = {}
        lost: set[int] = set()
        for _ in range(draw.randint(1, MOST_CHANGES)):
            kind = draw.choice(["overlap", "latency", "lost"])
            if kind == "overlap" and self._package.events.events:
                overlaps[draw.choice(self._package.events.events).id] = draw.randint(0, LATEST_OVERLAP_MS)
            elif kind == "lost" and calls:
                lost.add(draw.randrange(calls))
            elif calls:
                latency[draw.randrange(calls)] = _delay(draw)
        return Perturbation(overlaps, latency, frozenset(lost))

    def _shrink(self, changes: Perturbation, log: EventLog, reason: str, tried: int) -> Found:
        """Take away and halve as long as it goes wrong for the same reason."""
        shrunk = 0
        again = True
        while again and shrunk < MOST_SHRINKS:
            again = False
            for smaller in _smaller(changes):
                shrunk += 1
                other, why = self.run(smaller)
                if why == reason:
                    changes, log, again = smaller, other, True
                    break
                if shrunk >= MOST_SHRINKS:
                    break
        return Found(changes, log, reason, tried, shrunk)


def _delay(draw: random.Random) -> int:
    return int(LONGEST_DELAY_MS * draw.random() ** 2)


def _smaller(changes: Perturbation) -> Iterator[Perturbation]:
    """Everything that is one step less than a schedule: without one change first, then with one number halved."""
    for number in sorted(changes.lost):
        yield replace(changes, lost=changes.lost - {number})
    for number in sorted(changes.latency):
        yield replace(changes, latency={key: ms for key, ms in changes.latency.items() if key != number})
    for event in sorted(changes.overlaps):
        yield replace(changes, overlaps={key: ms for key, ms in changes.overlaps.items() if key != event})
    for number, ms in sorted(changes.latency.items()):
        if ms > 1:
            yield replace(changes, latency={**changes.latency, number: ms // 2})
    for event, ms in sorted(changes.overlaps.items()):
        if ms > 1:
            yield replace(changes, overlaps={**changes.overlaps, event: ms // 2})
