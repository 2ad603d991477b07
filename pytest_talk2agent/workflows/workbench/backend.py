"""The state behind the tools: a protocol, and the one of APEX-Voice, a nested dictionary.

A backend is opened anew for every session and never shared. It speaks of its world as nested plain values; an SQL
database does so as ``{table: {key: {column: value}}}``, with the parts of a compound key joined by ``,``. What changes
it says as `Change` records, from which a log rebuilds the world without the backend.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_talk2agent.workflows.package.work import ToolSpec


@dataclass(frozen=True)
class Change:
    """One value of the world that changed, at a path of keys.

    ``had`` and ``has`` say whether there was a value before, and is one now: a value may itself be None.
    """

    path: tuple[str, ...]
    old: Any = None
    new: Any = None
    had: bool = True
    has: bool = True


@dataclass(frozen=True)
class Done:
    """What a tool of the state did: its result, or an error that the agent is told; what it changed, and how.

    ``statements`` are those that ran, as they should stand in the log. ``delay_ms`` comes on top of the tool's own
    latency: a slow service, or one that hung. ``note`` is for the log alone: a fault of the package or an injected one.
    """

    ok: bool
    result: Any = None
    error: str | None = None
    changes: Sequence[Change] = ()
    statements: Sequence[str] = ()
    delay_ms: int = 0
    note: str = ""


class StateBackend(Protocol):
    """What is behind the tools, for one session.

    A fault that is not the agent's (a database that is gone) raises `StateError`; then the session has no score.
    """

    def handles(self, handler: str) -> bool:
        """Whether it does a tool's handler, such as ``sql:NAME``, which the workbench does not know itself."""
        ...

    def call(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int) -> Done:
        """Do a tool whose handler it handles; ``args`` fit the tool's schema. All of it happens, or nothing."""
        ...

    def get(self, path: str) -> Any:
        """The value at a dotted path, None where there is none."""
        ...

    def put(self, path: str, value: Any) -> Sequence[Change]:
        """Set the value at a dotted path, as events and commits of a package do; what changed."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """A copy of the whole world as plain values, in an order that is always the same."""
        ...

    def close(self) -> None:
        """Let go of everything that the session had."""
        ...


class StateError(Exception):
    """The state behind the tools cannot be used; not the agent's fault. One clear line."""


class DictState:
    """The world as a nested dictionary."""

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._world: dict[str, Any] = copy.deepcopy(dict(initial))

    def handles(self, handler: str) -> bool:
        """It knows no handlers of its own."""
        return False

    def call(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int) -> Done:
        """Refuse: no handler leads here."""
        return Done(False, error=f"tool {tool.name} has no handler here")

    def get(self, path: str) -> Any:
        """The value at a dotted path, None where there is none."""
        return value_at(self._world, path)

    def put(self, path: str, value: Any) -> Sequence[Change]:
        """Set the value at a dotted path; what is no mapping on the way is replaced by one."""
        change = put_at(self._world, tuple(path.split(".")), copy.deepcopy(value))
        return [change] if change is not None else []

    def snapshot(self) -> dict[str, Any]:
        """A copy of the world."""
        return copy.deepcopy(self._world)

    def close(self) -> None:
        """Nothing to let go of."""


def value_at(world: Any, path: str) -> Any:
    """The value at a dotted path; a key may itself have dots, and the whole rest of the path is tried first."""
    if not isinstance(world, Mapping):
        return None
    if path in world:
        return world[path]
    first, dot, rest = path.partition(".")
    return value_at(world.get(first), rest) if dot else None


def put_at(world: dict[str, Any], path: tuple[str, ...], value: Any) -> Change | None:
    """Set a value at a path of keys; None where it was there already. A mapping that is replaced is one change."""
    for depth, key in enumerate(path[:-1]):
        below = world.get(key)
        if not isinstance(below, dict):
            made: Any = value
            for rest in reversed(path[depth + 1 :]):
                made = {rest: made}
            change = Change(path[: depth + 1], below, made, had=key in world)
            world[key] = made
            return change
        world = below
    had, old = path[-1] in world, world.get(path[-1])
    if had and old == value and type(old) is type(value):
        return None
    world[path[-1]] = value
    return Change(path, old, value, had=had)


def apply(world: dict[str, Any], change: Change) -> None:
    """Make a change of a log in a world; raises KeyError where the way to it is not there."""
    for key in change.path[:-1]:
        world = world[key]
    if change.has:
        world[change.path[-1]] = copy.deepcopy(change.new)
    else:
        del world[change.path[-1]]
