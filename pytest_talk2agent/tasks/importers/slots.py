"""Values in an instruction that a speaker can lose, found by their form: a proposal for a person to complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_talk2agent.tasks.intention import Kind


@dataclass(frozen=True)
class Slot:
    """A stretch of the instruction, from ``start`` to before ``end``, with the kind that its form suggests."""

    start: int
    end: int
    value: str
    kind: Kind


_EXTENSION = r"(?!(?:com|org|net|edu|gov|io)\b)[A-Za-z][A-Za-z0-9]{1,5}"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?)"

_ALSO_QUOTED: tuple[Kind, ...] = ("path", "filename", "url")

_FORMS: tuple[tuple[Kind, str], ...] = (
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("url", r"https?://[^\s\"'`<>()（），。]+[^\s\"'`<>()（），。.,;:!?]"),
    ("path", r"(?<![\w/.])(?:~|\.{1,2})?/[\w.~+-]+(?:/[\w.~+*-]+)*/?"),
    ("text", r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)|「[^」\n]{1,200}」"),
    ("filename", rf"(?<![\w/.@-])[\w-]+(?:\.[\w-]+)*\.{_EXTENSION}(?![\w/@]|\.\w)"),
    ("flag", r"(?<![\w-])--[a-z][\w-]+"),
    ("version", r"(?<![\w.])v?\d+\.\d+\.\d+(?!\w|\.\w)"),
    ("time", r"(?<![\w:])\d{1,2}:\d{2}(?:\s?[ap](?:m\b|\.m\.))?(?![\w:])"),
    ("date", r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])"),
    ("percent", r"(?<![\w.])\d+(?:\.\d+)?\s?(?:%|percent\b)"),
    ("money", r"[$€£]\s?\d[\d,]*(?:\.\d+)?"),
    ("duration", rf"(?<![\w.])\d+(?:\.\d+)?[\s-]{_UNIT}\b"),
    ("code", r"(?<![\w.-])[A-Z]{1,2}\d{1,5}(?::[A-Z]{1,2}\d{1,5})?(?![\w-]|\.\w)"),
    ("identifier", r"(?<![\w./])[A-Za-z]\w*_\w+(?![\w./])"),
    ("number", r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)"),
)
"""In falling order of what they claim: the first form to take a stretch keeps it."""


def find_slots(instruction: str) -> list[Slot]:
    """The slots of an instruction in its order; no two overlap, and a value that comes again is the same slot.

    A value without a letter or digit (a quoted dash) is none: a transcript has no word for it.
    """
    taken: list[Slot] = []
    for kind, form in _FORMS:
        for match in re.finditer(form, instruction):
            if all(match.end() <= slot.start or match.start() >= slot.end for slot in taken):
                slot = _slot(match, kind)
                if any(map(str.isalnum, slot.value)):
                    taken.append(slot)
    first: dict[str, Slot] = {}
    for slot in sorted(taken, key=lambda slot: slot.start):
        first.setdefault(slot.value.casefold(), slot)
    return list(first.values())


def _slot(match: re.Match[str], kind: Kind) -> Slot:
    value = match[0]
    if kind == "text":
        value = value[1:-1].strip(" .,")
        kind = next((other for other in _ALSO_QUOTED if _is_whole(other, value)), kind)
    return Slot(match.start(), match.end(), value.rstrip(".") if kind == "path" else value, kind)


def _is_whole(kind: Kind, value: str) -> bool:
    return any(re.fullmatch(form, value) for known, form in _FORMS if known == kind)


def words_of(instruction: str, slots: list[Slot]) -> Iterator[str]:
    """What the instruction says besides its slots, stretch by stretch."""
    begin = 0
    for slot in [*sorted(slots, key=lambda slot: slot.start), None]:
        part = instruction[begin : slot.start if slot else len(instruction)]
        if part.strip():
            yield part.strip()
        begin = slot.end if slot else begin
