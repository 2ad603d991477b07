"""What is wrong with a task file, and where.

Apart, since every module that reads a task file raises these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

_LONGEST = 60


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
