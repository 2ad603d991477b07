"""One fault: how it is put into the project, and what the run must come to."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from campaign.observed import Ended
from campaign.project import BASELINE, COUNT, HEAR, LIMIT, MODES, REPORT, Project


class Wanted(Enum):
    """What a run must come to.

    RED: an exit status other than 0, and no place that shows a pass. DECIDED: red or green, but with a verdict and a
    report. LOST: red, with a verdict and a report over every item that could be judged. GREEN: passed everywhere.
    ORDINARY: exit status 0, and not a word of a gate. APART: an exit status other than 0 by an ordinary test, whose
    failure is its own, beside a gate that passes.
    """

    RED = "red"
    LOST = "red, the rest reported"
    DECIDED = "a verdict"
    GREEN = "green"
    ORDINARY = "no gate"
    APART = "red beside a gate that passes"


VIOLATIONS = (
    "wrong green",
    "wrong red",
    "lost",
    "no verdict",
    "believed",
    "obeyed",
    "traceback",
    "hang",
    "left over",
)
"""What can be wrong with how a run ended, the worst first.

"wrong green": the exit status or any report passes, and should not. "wrong red": a fault that must be tolerated was
not. "lost": a stored record is gone, altered or not used. "no verdict": the fault of one item took the verdict of the
others. "believed": what was altered was used. "obeyed": text of others came out as a control sequence, a command, or
where it was not asked for. "left over": processes or temporary folders.
"""

Break = Callable[[Project], object]
"""Puts a fault into a project; what it returns does not matter."""
Check = Callable[[Project, Ended], Iterable[tuple[str, str]]]


def both(*breaks: Break) -> Break:
    """One fault after the other."""

    def every(project: Project) -> None:
        for one in breaks:
            one(project)

    return every


def nothing(_: Project) -> None:
    """No fault: the arguments are the fault."""


def no_more(_: Project, __: Ended) -> Iterable[tuple[str, str]]:
    """Nothing else to look at."""
    return ()


@dataclass(frozen=True)
class Fault:
    """``kind`` is a row of the table, ``place`` which of its kind; ``breaks`` is given a fresh copy of the project.

    ``arguments`` are those of the run, ``items`` how many results a LOST one must still report; ``allowed`` is a
    pattern of lines that hold the name of an exception and may; ``check`` looks at what is special to the fault;
    ``swept`` is false where pytest itself is ended, so that the next start has to sweep.
    """

    kind: str
    place: str
    mode: str
    breaks: Break
    arguments: tuple[str, ...]
    wanted: Wanted
    items: int = COUNT - 1
    allowed: str = ""
    program: str = "pytest"
    limit: float = LIMIT
    check: Check = no_more
    swept: bool = True

    @property
    def name(self) -> str:
        """What ``--only`` takes."""
        return f"{self.kind}/{self.place}/{self.mode}".replace(" ", "-")

    def violations(self, project: Project) -> list[tuple[str, str]]:
        """Put the fault in, run, and say what is wrong with what came of it."""
        self.breaks(project)
        arguments = (*self.arguments, *(MODES[self.mode] if self.program == "pytest" else ()))
        ended = project.run(*arguments, program=self.program, limit=self.limit)
        return [*self.wrong(ended), *self.check(project, ended)]

    def wrong(self, ended: Ended) -> Iterator[tuple[str, str]]:
        """What is wrong with how a run ended, and why."""
        if ended.status is None:
            yield "hang", f"still running after {self.limit:.0f} s"
        else:
            yield from self._verdict(ended)
        if (line := ended.internal(self.allowed)) is not None:
            yield "traceback", line
        if ended.processes:
            yield "left over", f"{len(ended.processes)} processes: {ended.processes[0]}"
        if ended.folders and self.swept:
            yield "left over", f"temporary: {', '.join(ended.folders[:3])}"

    def _verdict(self, ended: Ended) -> Iterator[tuple[str, str]]:
        passes = ended.status == 0
        shows = ended.places
        if self.program != "pytest":
            if self.wanted is not Wanted.DECIDED and passes is not (self.wanted is Wanted.GREEN):
                yield ("wrong green" if passes else "wrong red"), f"exit {ended.status}"
            return
        if self.wanted is Wanted.ORDINARY:
            if not passes or shows["terminal"] != "none":
                yield "wrong red", f"exit {ended.status}, terminal {shows['terminal']}"
        elif self.wanted is Wanted.APART:
            if passes or shows["terminal"] != "green":
                yield ("wrong green" if passes else "wrong red"), f"exit {ended.status}, terminal {shows['terminal']}"
        elif self.wanted is Wanted.GREEN:
            if not passes or ended.red or shows["terminal"] != "green":
                yield "wrong red", f"exit {ended.status}, red: {', '.join(ended.red) or 'nothing'}; {_last(ended)}"
        elif self.wanted is not Wanted.DECIDED and (passes or ended.green):
            yield "wrong green", f"exit {ended.status}, green: {', '.join(ended.green) or 'the exit status'}"
        elif (passes and ended.red) or (not passes and ended.green):
            shown = ended.red if passes else ended.green
            yield "wrong green", f"exit {ended.status} beside {', '.join(shown)} {'red' if passes else 'green'}"
        elif passes and shows["terminal"] != "green":
            yield "wrong green", f"exit 0 without a verdict; {_last(ended)}"
        if self.wanted in (Wanted.DECIDED, Wanted.LOST):
            reports = REPORT in self.arguments
            if shows["terminal"] == "none" or (reports and ended.items is None):
                yield "no verdict", f"exit {ended.status}; {_last(ended)}"
            elif self.wanted is Wanted.LOST and reports and (ended.items or 0) < self.items:
                yield "no verdict", f"{ended.items} of {self.items} items reported"


def _last(ended: Ended) -> str:
    lines = [line.strip() for line in ended.out.splitlines() if line.strip()]
    told = [line for line in lines if "GATE" in line or line.startswith(("ERROR", "E  "))]
    return (told or lines or ["it said nothing"])[-1][:200]


def turn(place: str, most: int = 1) -> tuple[str, ...]:
    """Some of the modes, other ones for another place: where the fault, and not the mode, is what matters."""
    modes = tuple(MODES)
    first = zlib.crc32(place.encode())
    return tuple(modes[(first + step) % len(modes)] for step in range(most))


def spread(
    kind: str,
    place: str,
    breaks: Break = nothing,
    *arguments: str,
    wanted: Wanted = Wanted.RED,
    modes: Iterable[str] | None = None,
    items: int = COUNT - 1,
    allowed: str = "",
    check: Check = no_more,
    limit: float = LIMIT,
    swept: bool = True,
) -> Iterator[Fault]:
    """The same fault in several modes, two that differ from place to place unless others are asked for.

    Without arguments: the suite against its baseline, with a report.
    """
    given = arguments or ("suite", HEAR, BASELINE, REPORT)
    for mode in turn(kind + place, 2) if modes is None else modes:
        yield Fault(
            kind,
            place,
            mode,
            breaks,
            given,
            wanted,
            items=items,
            allowed=allowed,
            check=check,
            limit=limit,
            swept=swept,
        )
