"""Baselines that were edited or damaged, and runs that do not fit them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from campaign.fault import Break, Fault, Wanted, nothing, spread, turn
from campaign.leaves import dotted, inner, leaves, other, removed, replaced, wrong
from campaign.project import BASELINE, HEAR, REPORT, Project

FILE = "b.json"
LOSES = "--t2a-interface=python-R=python:asr:Loses"
CANDIDATE = "--t2a-interface=next=python:asr:Loses"


def faults(project: Project) -> Iterator[Fault]:
    """Every fault of this subject; the fields are those of the baseline of ``project``."""
    document = json.loads(project.read(FILE))
    yield from _fields(document)
    for place, change in SCORES.items():
        edited = _edited(partial(_every_item, change=change))
        for more in ((), ("--t2a-margin=0.02",)):
            name = f"{place} margin" if more else place
            yield from spread(
                "baseline scores edited", name, edited, "suite", CANDIDATE, BASELINE, REPORT, *more, modes=turn(name, 2)
            )
            yield from spread(
                "baseline scores edited",
                f"{name}, nothing lost",
                edited,
                "suite",
                HEAR,
                BASELINE,
                REPORT,
                *more,
                modes=turn(name),
            )
    for place, breaks in FILES.items():
        yield from spread("baseline damaged", place, breaks, modes=turn(place))
    for place, words in OTHER.items():
        yield from spread("run beside its baseline", place, nothing, "suite", *words, BASELINE, REPORT)
    yield from spread("another build", "by its identity", _weights)
    yield from spread(
        "another build", "by its identity, margin", _weights, "suite", HEAR, BASELINE, REPORT, "--t2a-margin=0.5"
    )
    yield from spread(
        "another build",
        "under another name",
        _weights,
        "suite",
        "--t2a-interface=next=python:asr:R",
        BASELINE,
        REPORT,
        wanted=Wanted.GREEN,
    )


def _weights(project: Project) -> None:
    project.environment["CAMPAIGN_WEIGHTS"] = "2"


def _fields(document: Any) -> Iterator[Fault]:
    """Each value of the head and of one entry changed a little, of another type, or gone."""
    for place, value in leaves(document):
        entry = [part for part in place if isinstance(part, str) and part.startswith("net/port-")]
        if entry and not entry[0].startswith("net/port-2"):
            continue
        changes = {
            "changed": replaced(document, place, other(value)),
            "of another type": replaced(document, place, wrong(value)),
            "gone": removed(document, place),
        }
        for how, changed in changes.items():
            if changed == document:
                continue
            breaks = _written(json.dumps(changed, indent=1))
            yield from spread("baseline field", f"{dotted(place)} {how}", breaks, modes=turn(f"{place}{how}"))
    for place in inner(document):
        if not any("net/port-" in str(part) and "net/port-2" not in str(part) for part in place):
            breaks = _written(json.dumps(removed(document, place), indent=1))
            yield from spread("baseline field", f"{dotted(place)} gone", breaks, modes=turn(str(place)))


def _written(text: str) -> Break:
    return lambda project: project.write(FILE, text)


def _edited(change: Callable[[Any], None]) -> Break:
    def breaks(project: Project) -> None:
        document = json.loads(project.read(FILE))
        change(document)
        project.write(FILE, json.dumps(document, indent=1))

    return breaks


def _every_item(document: Any, change: Callable[[dict[str, Any]], object]) -> None:
    for place in inner(document):
        if "net/port-" in str(place[-1]):
            item = document
            for key in place:
                item = item[key]
            change(item)


def _scores(value: object, **more: object) -> Callable[[dict[str, Any]], object]:
    return lambda item: item.update(native=value, shapley=value, **more)


SCORES: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "null": _scores(None),
    "nought": _scores(["0", "0"]),
    "below nought": _scores(["-5", "-5"]),
    "anything": _scores(["0", "1"]),
    "nought, all lost": _scores(["0", "0"], lost=["port", "service"]),
    "unscored": lambda item: item.update(scored=False),
    "unscored and null": _scores(None, scored=False),
    "native only": lambda item: item.update(native=["0", "0"]),
    "shapley only": lambda item: item.update(shapley=["0", "0"]),
    "all unresolved": _scores(["0", "1"], unresolved=["port", "service"]),
    "no kinds": lambda item: item.update(kinds={}),
}


def _file(change: Callable[[Path], object]) -> Break:
    return lambda project: change(project.root / FILE)


def _fresh(make: Callable[[Path], object]) -> Break:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return _file(change)


def _native(value: str) -> Break:
    return lambda project: project.edit(
        FILE, lambda text: text.replace('"native": [\n     "1",', f'"native": [\n     {value},', 1)
    )


FILES: Mapping[str, Break] = {
    "missing": _file(Path.unlink),
    "emptied": _file(lambda path: path.write_bytes(b"")),
    "blank": _file(lambda path: path.write_bytes(b"\n")),
    "cut": _file(lambda path: path.write_bytes(path.read_bytes()[:-200])),
    "null": _written("null"),
    "list": _written("[]"),
    "no entries": _written('{"schema": 2, "judge": "lexical/2", "conditions": {}, "items": {}}'),
    "deep": _written("[" * 100_000),
    "deep object": _written('{"a":' * 100_000),
    "twice": _file(lambda path: path.write_bytes(path.read_bytes() * 2)),
    "UTF-16": _file(lambda path: path.write_text(path.read_text(), encoding="utf-16")),
    "noise": _file(lambda path: path.write_bytes(bytes(range(256)))),
    "folder": _fresh(Path.mkdir),
    "fifo": _fresh(os.mkfifo),
    "/dev/zero": _fresh(lambda path: path.symlink_to("/dev/zero")),
    "dangling link": _fresh(lambda path: path.symlink_to("nowhere")),
    "link to itself": _fresh(lambda path: path.symlink_to(FILE)),
    "score of many digits": _native('"1e999999999"'),
    "score of many digits, small": _native('"1e-999999999"'),
    "score that divides by zero": _native('"1/0"'),
    "score that is no number": _native('"nan"'),
    "score of ten thousand digits": _native(f'"{"9" * 10_000}"'),
    "number that is no number": _native("NaN"),
    "endless number": _native("Infinity"),
    "merge left behind": lambda project: project.edit(FILE, lambda text: "<<<<<<< HEAD\n" + text),
    "key twice": lambda project: project.edit(
        FILE, lambda text: text.replace('"lost": [],', '"lost": [],\n    "lost": ["port"],', 1)
    ),
}

OTHER: Mapping[str, tuple[str, ...]] = {
    "a candidate that loses all": (CANDIDATE,),
    "a candidate that loses all, margin": (CANDIDATE, "--t2a-margin=0.02"),
    "the same label, another recogniser": (LOSES,),
    "the text control": ("--t2a-interface=python-R=transcripts:lossy.jsonl",),
}
