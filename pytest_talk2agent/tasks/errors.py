"""What is wrong with a task file, and where, in the words of an author."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_LONGEST = 60
_KINDS = {
    "string_type": "must be a text",
    "tuple_type": "must be a list, such as `[a, b]`",
    "dict_type": "must be a mapping, such as `{name: ...}`",
    "mapping_type": "must be a mapping, such as `{name: ...}`",
    "model_type": "must be a mapping, such as `{key: ...}`",
    "model_attributes_type": "must be a mapping, such as `{key: ...}`",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of a few digits",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}
"""What a value must be, for each type of error of pydantic that says so."""


@dataclass(frozen=True)
class Problem:
    """One fault of a task file.

    ``line`` and ``column`` count from 1; both are 0 where the file could not be read at all.
    """

    path: Path
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}:{self.column}" if self.line else str(self.path)
        return f"{place}: {self.message}"


class TaskFileError(ValueError):
    """A task file that cannot be used; ``problems`` holds everything found, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
        super().__init__("\n".join(map(str, self.problems)))


def shown(text: object) -> str:
    """A text of the file as it can stand in a message: on one line, in backquotes, and cut where it is long."""
    line = "".join(character if character.isprintable() else " " for character in str(text))
    return f"`{line if len(line) <= _LONGEST else line[: _LONGEST - 2] + '..'}`"


def counted(number: int, noun: str) -> str:
    """A number before what it counts: ``1 task``, ``2 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """The nearest known name as a question, capitals apart, or the list of all known names."""
    names = list(known)
    near = get_close_matches(name[:_LONGEST], names, n=1)
    if not near:
        plain = {known_name.casefold(): known_name for known_name in reversed(names)}
        near = [plain[found] for found in get_close_matches(name[:_LONGEST].casefold(), plain, n=1)]
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(names)}"


def explained(error: ErrorDetails, name: str, keys: Callable[[], list[str]]) -> str:
    """One line on one error of pydantic: what is wrong with what is called ``name``, and what to write instead.

    ``keys`` returns those that may stand beside it.
    """
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return f"{name} is missing; add it"
    if kind == "extra_forbidden":
        return f"unknown key {name}; {suggestion(str(error['loc'][-1]), keys())}"
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", context["expected"])
        return f"{name} cannot be {shown(error['input'])}; {suggestion(str(error['input']), allowed)}"
    return f"{name} {_KINDS[kind]}" if kind in _KINDS else f"{name}: {error['msg']}"
