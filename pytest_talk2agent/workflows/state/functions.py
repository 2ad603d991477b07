"""Tools that are Python functions of a package: how one is found, and what it is given.

A function takes one argument, the `Work`: it reads and writes through it, refuses with it, and returns plain values::

    def quote(work):
        arrears = work.value("SELECT sum(left_cents) FROM bills WHERE due_on < :today")
        if arrears < 5000:
            work.refuse("the arrears are below 50 dollars")
        return {"monthly_cents": arrears // work.args["installments"]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any, NoReturn

from pytest_talk2agent.tasks.errors import suggestion
from pytest_talk2agent.workflows.state.clock import FrozenClock
from pytest_talk2agent.workflows.state.rows import Row
from pytest_talk2agent.workflows.workbench.backend import StateError

Run = Callable[[str, Mapping[str, Any]], "tuple[list[Row], int]"]
Function = Callable[["Work"], Any]
_FOLDER = "<package>/state/"


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


class Functions:
    """The functions of the files beside a package's `state/state.yaml`, for one session.

    Each file runs once a session: what one session leaves in it never reaches another.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._ran: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> Function:
        """The function ``file.py:name``. Raises StateError where there is none, or its file does not run."""
        file, _, wanted = name.partition(":")
        if file not in self._files:
            near = suggestion(file, self._files) if self._files else "there are no such files"
            raise StateError(f"state/{file} is missing; {near}")
        if file not in self._ran:
            self._ran[file] = _run(file, self._files[file])
        own = {key: value for key, value in self._ran[file].items() if callable(value) and not key.startswith("_")}
        if wanted not in own:
            near = suggestion(wanted, own) if own else "it has none"
            raise StateError(f"state/{file}: no function {wanted!r}; {near}")
        found: Function = own[wanted]
        return found


def _run(file: str, text: str) -> dict[str, Any]:
    module = ModuleType(file.removesuffix(".py"))
    try:
        exec(_compiled(file, text), vars(module))
    except Exception as error:
        raise StateError(f"state/{file}: {type(error).__name__}: {error}") from None
    return vars(module)


@lru_cache(maxsize=64)
def _compiled(file: str, text: str) -> CodeType:
    return compile(text, f"{_FOLDER}{file}", "exec")


def place_of(error: BaseException) -> str:
    """Where in the package an exception arose, as ``file.py:12``; empty where that was elsewhere."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if path.startswith(_FOLDER):
            found = f"{path.removeprefix(_FOLDER)}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return found
