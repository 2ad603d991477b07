"""Tools that are Python functions of a package: how one is found, and what it is given.

A function takes one argument, the `Work`: it reads and writes through it, refuses with it, and returns plain values::

    def quote(work):
        arrears = work.value("SELECT sum(left_cents) FROM bills WHERE due_on < :today")
        if arrears < 5000:
            work.refuse("the arrears are below 50 dollars")
        return {"monthly_cents": arrears // work.args["installments"]}
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pytest_talk2agent.tasks.errors import suggestion
from pytest_talk2agent.workflows.state.clock import FrozenClock
from pytest_talk2agent.workflows.state.rows import Row
from pytest_talk2agent.workflows.workbench.backend import StateError

Run = Callable[[str, Mapping[str, Any]], "tuple[list[Row], int]"]
Function = Callable[["Work"], Any]


class RefusedError(Exception):
    """A tool that refuses by a rule of its world; the text is the reason that the agent is told."""


@dataclass(frozen=True)
class Work:
    """One call of a tool that is a function.

    ``args`` are the arguments of the call, which fit its schema, with what ``let`` looked up. Statements may use both
    as parameters, and ``:today`` and ``:now``; keywords are further parameters.
    """

    args: Mapping[str, Any]
    clock: FrozenClock
    run: Run

    @property
    def today(self) -> date:
        """The date of the world."""
        return self.clock.today

    def rows(self, sql: str, **parameters: Any) -> list[Row]:
        """All rows of a query."""
        return self.run(sql, {**self.args, **self.clock.parameters(), **parameters})[0]

    def row(self, sql: str, **parameters: Any) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, **parameters)
        return found[0] if found else None

    def value(self, sql: str, **parameters: Any) -> Any:
        """The first value of the first row, or None."""
        row = self.row(sql, **parameters)
        return None if row is None else next(iter(row.values()))

    def write(self, sql: str, **parameters: Any) -> int:
        """Run a statement that writes; returns how many rows it changed."""
        return self.run(sql, {**self.args, **self.clock.parameters(), **parameters})[1]

    def refuse(self, reason: str) -> NoReturn:
        """Take back what the call wrote, and tell the agent why."""
        raise RefusedError(reason)


def function(folder: Path, name: str) -> Function:
    """The function ``file.py:name`` of the folder ``state`` of a package. Raises StateError."""
    file, _, wanted = name.partition(":")
    module = _module(folder / file)
    own = {key: value for key, value in vars(module).items() if callable(value) and not key.startswith("_")}
    if wanted not in own:
        near = suggestion(wanted, own) if own else "it has none"
        raise StateError(f"{folder / file}: no function {wanted!r}; {near}")
    found: Function = own[wanted]
    return found


def _module(path: Path) -> ModuleType:
    if path.resolve().parent != path.parent.resolve() or not path.is_file():
        raise StateError(f"{path} is no file of the package")
    # A module of its own for each session: what one session leaves in it never reaches another.
    name = f"_t2a_state_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), vars(module))
    except Exception as error:
        raise StateError(f"{path}: {type(error).__name__}: {error}") from None
    return module


def place_of(error: BaseException, folder: Path) -> str:
    """Where in the package an exception arose, as ``file.py:12``."""
    found = folder.name
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.parent == folder:
            found = f"{path.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
