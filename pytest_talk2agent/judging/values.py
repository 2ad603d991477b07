"""Which reader reads which kind."""

from __future__ import annotations

from collections.abc import Callable

from pytest_talk2agent.judging.calendar import read_date, read_time, reference_days, reference_minute
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.numeric import read_numeric, reference_measure
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.judging.symbolic import is_marks, read_marks, read_symbolic
from pytest_talk2agent.judging.wording import read_wording

Reader = Callable[[Scene, str, int, int], list[Reading]]

_READERS: dict[str, Reader] = {
    **dict.fromkeys(("path", "filename", "flag", "url", "email", "identifier", "code", "version"), read_symbolic),
    **dict.fromkeys(("number", "quantity", "money", "percent", "duration"), read_numeric),
    "date": read_date,
    "time": read_time,
    **dict.fromkeys(("term", "choice", "text"), read_wording),
}


def _reader(kind: str, value: str) -> Reader:
    """The reader of the kind; a value that is not written as its kind (`end of the month`) is read as words.

    Symbols alone are read as such, but for kinds that have them as a whole (`/`, `~`).
    """
    if kind in ("code", "identifier") and is_marks(value):
        return read_marks
    reader = _READERS[kind]
    known = (
        (reader is not read_numeric or reference_measure(value, kind) is not None)
        and (reader is not read_date or bool(reference_days(value)))
        and (reader is not read_time or reference_minute(value) is not None)
    )
    return reader if known else read_wording


_RANK = {Label.RETAINED: 0, Label.UNRESOLVED: 1, Label.CHANGED: 2}


def read_value(scene: Scene, number: int, low: int, high: int) -> list[Reading]:
    """All readings of the value (position ``number`` in `say`) between two tokens, in order and without overlaps.

    Where two readings overlap, the better label stays, then the longer span. ``also`` counts as the value where `say`
    is a single one.
    """
    intention = scene.intention
    values = (intention.say[number], *(intention.also if len(intention.say) == 1 else ()))
    found = [reading for value in values for reading in _reader(intention.kind, value)(scene, value, low, high)]
    kept: list[Reading] = []
    taken = bytearray(len(scene.stream))
    ordered = sorted(found, key=lambda one: (_RANK[one.label], int(one.faults), one.start - one.end, one.start))
    for reading in ordered:
        if not any(taken[reading.start : reading.end]):
            kept.append(reading)
            taken[reading.start : reading.end] = b"\x01" * (reading.end - reading.start)
    return sorted(kept, key=lambda one: one.start)
