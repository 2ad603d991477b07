"""Values that are symbols alone (`>`, `√`, `***`): as they are printed, or by their spoken names."""

from __future__ import annotations

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EMPTY

# What may be glued to a symbol without making another one of it (`>=`, `->`).
_AROUND = frozenset("()[]{},.;*")


def is_marks(value: str) -> bool:
    """The value has no letter and no digit."""
    return bool(value.strip()) and not any(map(str.isalnum, value))


def read_marks(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of the symbols between two tokens, where they stand by themselves."""
    target = "".join(tokenise(value).norms) or "".join(value.split())
    ends = ((start, _end(scene.stream, target, start, high)) for start in range(low, high))
    return [
        Reading(start, end, Label.RETAINED, "the same symbols")
        for start, end in ends
        if end is not None and _is_free(scene.stream, start, end, target)
    ]


def _end(stream: Stream, target: str, start: int, high: int) -> int | None:
    """Where the symbols end that start at the token; None where others do."""
    index, place = start, 0
    while place < len(target):
        if index >= high or (index > start and stream[index].kind == "symbol" and stream[index].paused):
            return None
        piece, end = stream.norms[index], index + 1
        if stream[index].kind != "symbol":
            named = symbol_at(stream.norms, index)
            if named is None or (named[1] == index + 1 and piece in EMPTY):
                return None  # `at` alone is a word
            piece, end = named
        if not target.startswith(piece, place):
            return None
        place, index = place + len(piece), end
    return index if index <= high else None


def _is_free(stream: Stream, start: int, end: int, target: str) -> bool:
    """The symbols are no part of a name (`C#`) or of a longer symbol."""
    before = start > 0 and stream[start].glued and not _goes_with(stream.norms[start - 1], target)
    after = end < len(stream) and stream[end].glued and not _goes_with(stream.norms[end], target)
    return not before and not after


def _goes_with(norm: str, target: str) -> bool:
    return norm in _AROUND and norm not in target
