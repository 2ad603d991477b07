"""Assertions of a package on a finished session: state, calls, what was said and not said, handoff (after VAmoS).

Each gives a finding for a gate: it held, it did not, or nobody can tell. A negative check that found nothing is not
judged unless the session reached the moment that it names; what it did find is a fault at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError, Source, read_source
from pytest_talk2agent.workflows.package.work import Gate
from pytest_talk2agent.workflows.scoring.assertion_spec import (
    Assertion,
    Assertions,
    CallCheck,
    HandoffCheck,
    NotSaidCheck,
    SaidCheck,
    StateCheck,
)
from pytest_talk2agent.workflows.scoring.course import Course, Moment, Place, Said, has_all, same_value
from pytest_talk2agent.workflows.scoring.grade import Truth
from pytest_talk2agent.workflows.scoring.predicates import ABSENT, Finding, value_at
from pytest_talk2agent.workflows.scoring.trace import ToolCall

FILE = "grading/assertions.yaml"
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Asserted:
    """What became of one assertion, or of one that is built in: its gate, and the caller's request it is about."""

    gate: Gate
    finding: Finding
    request: str | None = None


def assertions_of(package: Package) -> Assertions:
    """What `grading/assertions.yaml` says; nothing where the package has none.

    Raises:
        PackageError: with everything that is wrong in it, by line.
    """
    if package.assertions is None:
        return Assertions()
    source = Source(package.folder / FILE, package.assertions)
    if source.path.is_file():
        source.root = read_source(source.path).root
    read = source.validate(Assertions)
    for place, problem in read.problems(package) if read is not None else ():
        source.fault(place, problem)
    if source.problems or read is None:
        raise PackageError(source.problems)
    return read


class Checker:
    """Checks assertions on one session; ``once`` is the moment that it must reach for a negative one to be judged."""

    def __init__(self, course: Course, once: str | None) -> None:
        self._course = course
        self._once = once

    def check(self, one: Assertion) -> Finding:
        """Check an assertion of any kind."""
        if one.state is not None:
            return self._state(one.id, one.state)
        if one.call is not None:
            return self._call(one.id, one.call)
        if one.said is not None:
            return self._said(one.id, one.said)
        if one.not_said is not None:
            return self._not_said(one.id, one.not_said)
        assert one.handoff is not None
        return self._handoff(one.id, one.handoff)

    def clean(self, name: str, kind: str, wanted: str, found: str) -> Finding:
        """A negative check that found nothing: it holds if the session got far enough, and is unjudged if not."""
        reached = self._once is not None and self._course.moment(self._once) is not None
        if reached:
            return Finding(name, kind, True, wanted, found)
        return Finding(name, kind, None, wanted, f"{found}, but the session never reached {self._once}")

    def _state(self, name: str, state: StateCheck) -> Finding:
        world = self._course.trace.world
        if state.path is not None:
            there, value = value_at(world, state.path)
            held = there and same_value(value, state.equals)
            shown = repr(value) if there else ABSENT
            return Finding(name, "state", held, f"{state.path} is {state.equals!r}", shown, self._changes(state.path))
        table = world.get(state.table or "", {})
        rows = [row for row in table.values() if isinstance(row, Mapping) and has_all(row, state.where)]
        where = f"{state.table}{f' where {_pairs(state.where)}' if state.where else ''}"
        if state.count is not None and len(rows) != state.count:
            return Finding(
                name, "state", False, f"{where}: {state.count} rows", f"{len(rows)} rows", self._changes(where)
            )
        if state.equals is not None:
            wrong = [row for row in rows if not has_all(row, state.equals)]
            if wrong or not rows:
                shown = "; ".join(_pairs({key: row.get(key) for key in state.equals}) for row in wrong[:_MOST_SHOWN])
                wanted = f"{where}: {_pairs(state.equals)}"
                return Finding(name, "state", False, wanted, shown or "no such row", self._changes(state.table or ""))
        if state.only is not None:
            return self._only(name, state.table or "", state.only)
        if state.count == 0:
            return self.clean(name, "state", f"no row of {where}", "there is none")
        return Finding(name, "state", True, where, f"{len(rows)} rows")

    def _only(self, name: str, table: str, allowed: Iterable[str]) -> Finding:
        changed: dict[str, int] = {}
        for change in self._course.trace.world_changes:
            if change.path.startswith(f"{table}."):
                rest = change.path.removeprefix(f"{table}.")
                whole = isinstance(change.old, Mapping) or isinstance(change.new, Mapping)
                changed.setdefault(rest if whole else rest.rpartition(".")[0], change.seq)
        wanted = f"no row of {table} changes but {', '.join(allowed) or 'none'}"
        others = {key: seq for key, seq in changed.items() if key not in allowed}
        if others:
            return Finding(name, "state", False, wanted, f"changed: {', '.join(others)}", tuple(others.values()))
        return self.clean(name, "state", wanted, "no other changed")

    def _changes(self, path: str) -> tuple[int, ...]:
        changes = self._course.trace.world_changes
        return tuple(one.seq for one in changes if one.path == path or one.path.startswith(f"{path}."))

    def _call(self, name: str, call: CallCheck) -> Finding:
        made = [one for one in self._course.trace.calls if one.tool == call.tool and has_all(one.args, call.args)]
        what = f"{call.tool}({_pairs(call.args)})"
        if call.never:
            if made:
                return Finding(name, "call", False, f"{what} is never called", _calls(made), _seqs(made))
            return self.clean(name, "call", f"{what} is never called", "it was not called")
        order, ordered = self._order(call.after, call.before)
        wanted = f"{what} succeeds{'' if call.times is None else f' {call.times} times'}{order}"
        if ordered is None:
            return Finding(name, "call", False, wanted, f"the session never reached {call.after}", _seqs(made))
        after, before = ordered
        good = [one for one in made if one.ok and after <= (one.media_ms, one.seq) < before]
        held = bool(good) if call.times is None else len(good) == call.times
        return Finding(name, "call", held, wanted, _calls(made), _seqs(good or made))

    def _order(self, after: str | None, before: str | None) -> tuple[str, tuple[Place, Place] | None]:
        """The order in words, and the places between which something counts; None where the first is never reached."""
        words = f"{f' after {after}' if after else ''}{f' before {before}' if before else ''}"
        first = self._course.moment(after) if after else Moment((-1, -1), (-1, -1))
        last = self._course.moment(before) if before else None
        if first is None:
            return words, None
        return words, (first.begin, last.begin if last is not None else (1 << 62, 0))

    def _said(self, name: str, said: SaidCheck) -> Finding:
        order, ordered = self._order(said.after, said.by)
        wanted = f"the caller hears {said}{order}"
        if ordered is None:
            return Finding(name, "said", False, wanted, f"the session never reached {said.after}")
        if said.by is not None and self._course.moment(said.by) is None:
            return Finding(name, "said", False, wanted, f"the session never reached {said.by}")
        everywhere = self._course.said(said)
        good = [one for one in everywhere if ordered[0] <= one.place < ordered[1]]
        if good:
            return Finding(name, "said", True, wanted, _sayings(good), (good[0].place[1],))
        shown = f"at another time: {_sayings(everywhere)}" if everywhere else "never heard"
        if not everywhere and said.result is not None:
            values = self._course.results(said.result)
            shown = f"never heard; {said.result} was {values[-1]!r}" if values else f"{said.result} never came"
        return Finding(name, "said", False, wanted, shown, tuple(one.place[1] for one in everywhere))

    def _not_said(self, name: str, check: NotSaidCheck) -> Finding:
        wanted = f"the caller does not hear {', '.join(map(str, check.words))}"
        until = self._course.moment(check.until) if check.until else None
        if check.until:
            wanted += f" before {check.until}"
        found = [
            said
            for words in check.words
            for said in self._course.said(words)
            if until is None or said.place < until.done
        ]
        if found:
            return Finding(name, "not_said", False, wanted, _sayings(found), tuple(one.place[1] for one in found))
        return self.clean(name, "not_said", wanted, "it was not heard")

    def _handoff(self, name: str, check: HandoffCheck) -> Finding:
        made = [call for call in self._course.trace.calls if call.tool == check.tool and call.ok]
        if not check.expected:
            wanted = "the call is not passed on to a human"
            if made:
                return Finding(name, "handoff", False, wanted, _calls(made), _seqs(made))
            return self.clean(name, "handoff", wanted, "it was not passed on")
        wanted = f"the call is passed on to a human ({check.tool})"
        if not made or not check.reason:
            return Finding(name, "handoff", bool(made), wanted, _calls(made), _seqs(made))
        told = " ".join(str(value) for call in made for value in (call.args or {}).values()).casefold()
        held = any(reason.casefold() in told for reason in check.reason)
        return Finding(name, "handoff", held, f"{wanted}, for {' or '.join(check.reason)}", _calls(made), _seqs(made))


def verdicts(found: Iterable[Asserted]) -> dict[str | None, Truth]:
    """Whether all assertions on each of the caller's requests held; under None those on no request in particular."""
    by_request: dict[str | None, list[Truth]] = {}
    for one in found:
        by_request.setdefault(one.request, []).append(one.finding.held)
    return {request: False if False in held else None if None in held else True for request, held in by_request.items()}


def _pairs(pairs: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in pairs.items())


def _calls(calls: Iterable[ToolCall]) -> str:
    shown = [
        f"{call.tool}({_pairs(call.args or {})}) {'succeeded' if call.ok else f'failed: {call.error}'}"
        for call in calls
    ]
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    return "; ".join(shown[:_MOST_SHOWN]) + more if shown else "no such call"


def _sayings(found: Iterable[Said]) -> str:
    shown = [f"{one.words!r} at {one.place[0]} ms" for one in found]
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    return ", ".join(shown[:_MOST_SHOWN]) + more


def _seqs(calls: Iterable[ToolCall]) -> tuple[int, ...]:
    return tuple(call.seq for call in calls)
