"""Records of the store that were altered, swapped or replaced, and recognisers that went stale."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from campaign.fault import Break, Fault, Wanted, spread, turn
from campaign.leaves import dotted, inner, leaves, other, removed, replaced, wrong
from campaign.observed import Ended
from campaign.project import BASELINE, HEAR, LOSSY, REPORT, Project

FROZEN = "--t2a-frozen"
RUN = ("suite", HEAR, REPORT)


def faults(project: Project) -> Iterator[Fault]:
    """Every fault of this subject; the fields are those of a record of ``project``."""
    yield from _fields(json.loads(project.record_of("r2").read_text(encoding="utf-8")))
    for place, breaks in FILES.items():
        # What cannot be replaced cannot be stored anew either.
        wanted = Wanted.DECIDED if place == "folder" else Wanted.GREEN
        yield from spread("record replaced", place, breaks, *RUN, wanted=wanted, check=_heard_anew)
        yield from spread(
            "record replaced", f"{place} frozen", breaks, *RUN, FROZEN, wanted=Wanted.LOST, modes=turn(place)
        )
    yield from spread("record of a good build", "text of one flipped", _flipped, *RUN)
    yield from spread("record of a good build", "text of one edited", _edited, *RUN)
    yield from spread("record of a good build", "copied over", _copied, *RUN)
    yield from spread("record of a good build", "copied over, against the baseline", _copied, *RUN, BASELINE)
    yield from spread("record of a good build", "swapped with another", _swapped, *RUN, FROZEN)
    for place, (first, breaks) in STALE.items():
        yield from spread("stale recogniser", place, _stale(first, breaks), "suite", f"--t2a-interface={first}", REPORT)


def _fields(record: object) -> Iterator[Fault]:
    """Each value of a record changed a little, of another type, or gone; heard anew, and an error where frozen."""
    changes: list[tuple[str, object]] = []
    for place, value in leaves(record):
        changes.append((f"{dotted(place)} changed", replaced(record, place, other(value))))
        changes.append((f"{dotted(place)} of another type", replaced(record, place, wrong(value))))
        if place:
            changes.append((f"{dotted(place)} gone", removed(record, place)))
    for branch in inner(record):
        changes.append((f"{dotted(branch)} null", replaced(record, branch, None)))
    for what, odd in _ODD.items():
        changes.extend((f"{name} {what}", document) for name, document in _put(record, odd))
    for number, (name, document) in enumerate(changes):
        breaks, modes = _with(json.dumps(document)), turn(name)
        if number % 2:
            yield from spread("record field", name, breaks, *RUN, wanted=Wanted.GREEN, check=_heard_anew, modes=modes)
        else:
            yield from spread("record field, frozen", name, breaks, *RUN, FROZEN, wanted=Wanted.LOST, modes=modes)


_ODD: Mapping[str, tuple[str, object]] = {
    "null": ("detail", None),
    "long": ("seconds", "long"),
    "half a character": ("text", "Set \ud800 the port to 8002"),
    "free": ("detail", {"cost": "free"}),
    "nothing": ("detail", {"suspect": None}),
    "not a number": ("seconds", float("nan")),
    "endless": ("elapsed", float("inf")),
    "too many": ("text", "x" * 5_000_000),
    "unheard of": ("state", "sung"),
    "escape": ("text", "\x1b[2J GATE"),
}


def _put(record: object, odd: tuple[str, object]) -> Iterator[tuple[str, object]]:
    name, value = odd
    for place, _ in [*leaves(record), *((branch, None) for branch in inner(record))]:
        if place and place[-1] == name:
            yield name, replaced(record, place, value)
            return


def _with(text: str) -> Break:
    return lambda project: project.record_of("r2").write_text(text, encoding="utf-8")


def _file(change: Callable[[Path], object]) -> Break:
    def breaks(project: Project) -> None:
        change(project.record_of("r2"))

    return breaks


def _fresh(make: Callable[[Path], object]) -> Break:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return _file(change)


FILES: Mapping[str, Break] = {
    "emptied": _file(lambda path: path.write_bytes(b"")),
    "cut": _file(lambda path: path.write_bytes(path.read_bytes()[:-20])),
    "twice": _file(lambda path: path.write_bytes(path.read_bytes() * 2)),
    "zeros": _file(lambda path: path.write_bytes(bytes(path.stat().st_size))),
    "noise": _file(lambda path: path.write_bytes(bytes(range(256)) * 8)),
    "deep": _file(lambda path: path.write_text("[" * 100_000)),
    "deep object": _file(
        lambda path: path.write_text('{"schema": 1, "data": ' + '{"a":' * 50_000 + "1" + "}" * 50_001)
    ),
    "folder": _fresh(Path.mkdir),
    "fifo": _fresh(os.mkfifo),
    "/dev/zero": _fresh(lambda path: path.symlink_to("/dev/zero")),
    "/dev/null": _fresh(lambda path: path.symlink_to("/dev/null")),
    "link to itself": _fresh(lambda path: path.symlink_to(path.name)),
    "dangling link": _fresh(lambda path: path.symlink_to("nowhere")),
    "number of many digits": _file(lambda path: path.write_text("9" * 100_000)),
}


def _heard_anew(project: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """What does not match its place must not be used: the recogniser is asked again, or the run is red."""
    if ended.status == 0 and "r2" not in ended.asked:
        yield "believed", "the record was used"


def _hear_wrong(project: Project) -> None:
    """A recogniser that hears a wrong port, and its store."""
    project.hear(lossy=True)
    project.forget()
    project.run("suite", HEAR)


def _flipped(project: Project) -> None:
    """One bit: the 9 of 8009 becomes the 1 of 8001."""
    project.hear({LOSSY: "Set the port to 8009 and restart nginx."})
    project.forget()
    project.run("suite", HEAR)
    _text_to(project, "8009", "8001")


def _edited(project: Project) -> None:
    _hear_wrong(project)
    _text_to(project, "8081", "8001")


def _wrong_record(project: Project, text: str = "8081") -> Path:
    return next(path for path in project.records() if text in path.read_text(encoding="utf-8"))


def _text_to(project: Project, before: str, after: str) -> None:
    path = _wrong_record(project, before)
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def _copied(project: Project) -> None:
    """The record of a good build over that of a bad one."""
    good = project.record_of(LOSSY).read_bytes()
    project.forget()
    project.hear(lossy=True)
    project.environment["CAMPAIGN_WEIGHTS"] = "2"
    project.run("suite", HEAR)
    _wrong_record(project).write_bytes(good)


def _swapped(project: Project) -> None:
    """Two records of one build change places: each is whole, and neither belongs where it lies."""
    one, two = project.record_of("r2"), project.record_of("r3")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)


_CORE = """
from pathlib import Path

PORT = {port}


def hear(batch):
    return [f"Set the port to {{8000 + int(Path(u.path).stem[1:]) + PORT}} and restart nginx." for u in batch]
"""
_PROGRAM = """
import sys
from pathlib import Path

shift = int((Path(__file__).parent / "weights.txt").read_text())
print(f"Set the port to {8000 + int(Path(sys.argv[1]).stem[1:]) + shift} and restart nginx.")
"""


def _package(project: Project, port: int = 0) -> None:
    project.write("pkg/__init__.py", "")
    project.write("pkg/core.py", _CORE.format(port=port))
    project.write("pkg/api.py", "from pkg.core import hear\n")


def _program(project: Project, shift: int = 0) -> None:
    project.write("hear.py", _PROGRAM)
    project.write("weights.txt", str(shift))


def _reading(project: Project, shift: int = 0) -> None:
    project.write("weights.txt", str(shift))
    text = _CORE.format(port='int((Path(__file__).parent / "weights.txt").read_text())')
    project.write("reads.py", text)


STALE: Mapping[str, tuple[str, Callable[..., None]]] = {
    "python: imports what changed": ("python:pkg.api:hear", _package),
    "python: reads what changed": ("python:reads:hear", _reading),
    "command: reads what changed": (f"command:{sys.executable} hear.py {{audio}}", _program),
}
"""Each is run once as it is right; then what it rests on is changed, and it loses a value of every task."""


def _stale(spec: str, make: Callable[..., None]) -> Break:
    def breaks(project: Project) -> None:
        make(project)
        first = project.run("suite", f"--t2a-interface={spec}", REPORT)
        if first.status != 0:
            raise RuntimeError(f"{spec} was not green before it changed:\n{first.out}")
        for folder in project.root.rglob("__pycache__"):
            shutil.rmtree(folder)
        make(project, 50)

    return breaks
