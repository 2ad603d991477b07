"""Gists: keyword groups and polarity in the clause where they belong."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.judging.alignment import Alignment, keys_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Reading
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EMPTY, FILLERS, NEGATORS, stem
from pytest_talk2agent.tasks.intention import Intention

_CONJUNCTIONS = frozenset(("and", "then", "but", "or"))
_CONTRARY_REACH = 2
_MOVED_SLACK = 6
_ENDS = frozenset(".?!\n")
_NEGATING = frozenset(map(stem, NEGATORS))
Group = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """The tokens of the script around a gist, and the ``core`` that holds its keywords."""

    start: int
    end: int
    core: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Hit:
    group: int
    start: int
    end: int


@lru_cache(maxsize=256)
def _stems(stream: Stream) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Indices and stems of all tokens that are no symbols."""
    words = [(index, stem(key)) for index, key in enumerate(keys_of(stream)) if stream[index].kind != "symbol"]
    return tuple(index for index, _ in words), tuple(word for _, word in words)


def _phrase(text: str) -> tuple[str, ...]:
    return _stems(tokenise(text))[1]


@lru_cache(maxsize=1024)
def _groups(intention: Intention) -> tuple[Group, ...]:
    """The keyword groups as stemmed phrases; the content words of the value where the task lists none."""
    if intention.keywords:
        return tuple(tuple(_phrase(member) for member in group) for group in intention.keywords)
    words = [word for text in intention.say for word in tokenise(text).norms]
    return tuple(((stem(word),),) for word in words if word not in EMPTY - FILLERS and word[0].isalnum())


def _hits(stream: Stream, groups: tuple[Group, ...], low: int, high: int) -> list[_Hit]:
    indices, stems = _stems(stream)
    first, last = bisect_left(indices, low), bisect_left(indices, high)
    return [
        _Hit(number, indices[at], indices[at + len(member) - 1] + 1)
        for number, group in enumerate(groups)
        for member in group
        if member
        for at in range(first, last - len(member) + 1)
        if stems[at] == member[0] and stems[at : at + len(member)] == member
    ]


def _windows(hits: list[_Hit]) -> list[tuple[int, int]]:
    """From every hit on, the smallest span with a member of as many groups as there are."""
    wanted = len({hit.group for hit in hits})
    ordered = sorted(hits, key=lambda hit: (hit.start, hit.end))
    windows = []
    for index, first in enumerate(ordered):
        seen: set[int] = set()
        end = first.end
        for hit in ordered[index:]:
            seen.add(hit.group)
            end = max(end, hit.end)
            if len(seen) == wanted:
                windows.append((first.start, end))
                break
    return windows


def _window(hits: list[_Hit]) -> tuple[int, int] | None:
    """The smallest of the windows, the first among equals."""
    return min(_windows(hits), key=lambda window: window[1] - window[0], default=None)


def clause_around(stream: Stream, start: int, end: int) -> tuple[int, int]:
    """Widen a span to the punctuation or conjunction on either side."""
    while start > 0 and not stream[start].paused and stream.norms[start - 1] not in _CONJUNCTIONS:
        start -= 1
    while end < len(stream) and not stream[end].paused and stream.norms[end] not in _CONJUNCTIONS:
        end += 1
    return start, end


def _sentence_ends(stream: Stream, start: int, end: int) -> int:
    return sum(not _ENDS.isdisjoint(stream[index].lead) for index in range(start + 1, end))


def locate(intention: Intention, script: Stream) -> Clause | None:
    """The clause of the script that says the gist, or None.

    Of all spans that hold the keywords, one inside a sentence is meant, and of these the one whose clause says most of
    the intention's own words.
    """
    said = tuple(((word,),) for text in intention.say for word in _phrase(text))
    groups = _groups(intention)
    spans = _windows(_hits(script, groups, 0, len(script)))
    if not spans:
        content = tuple(group for group in said if group[0][0] not in EMPTY)
        spans = _windows(_hits(script, content, 0, len(script)))
    if not spans:
        return None

    def fit(span: tuple[int, int]) -> tuple[int, int, int, int]:
        own = {hit.group for hit in _hits(script, said, *clause_around(script, *span))}
        return _sentence_ends(script, *span), -len(own), span[1] - span[0], span[0]

    best = min(spans, key=fit)
    return Clause(*clause_around(script, *best), best)


def read_gist(
    intention: Intention, script: Stream, transcript: Stream, alignment: Alignment, clause: Clause | None
) -> Reading | None:
    """What the transcript says of the gist; None where nothing stands in its place."""
    span = (clause.start, clause.end) if clause else None
    low, high = alignment.region(*span) if span else (0, len(transcript))
    groups = _groups(intention)
    low, high = _widened(transcript, alignment, low, high)
    hits = _hits(transcript, groups, low, high)
    if clause:
        elsewhere = _said_elsewhere(alignment, clause)
        hits = [hit for hit in hits if not all(index in elsewhere for index in range(hit.start, hit.end))]
    if not hits and span and not alignment.anchored(*span):
        moved = _window(_hits(transcript, groups, 0, len(transcript)))
        if moved and moved[1] - moved[0] <= span[1] - span[0] + _MOVED_SLACK:
            low, high = clause_around(transcript, *moved)
            hits = _hits(transcript, groups, low, high)
    present = {hit.group for hit in hits}
    core = range(*alignment.region(*clause.core)) if clause and not hits else range(low, high)
    content = [index for index in core if _is_content(transcript, index)]
    if not content:
        return None
    start, end = _window(hits) or (content[0], content[-1] + 1)
    if _contrary(intention, script, transcript, span, low, high):
        return Reading(start, end, Label.CHANGED, "the contrary stands there")
    if (
        hits
        and clause
        and span
        and _negations(script, _own_hits(script, groups, clause), *span) != _negations(transcript, hits, low, high)
    ):
        return Reading(start, end, Label.CHANGED, "a negation was lost or added")
    missing = [number for number in range(len(groups)) if number not in present]
    if not missing:
        return Reading(start, end, Label.RETAINED, "every keyword group is there and the polarity is right")
    if hits and any(word in _NEGATING for number in missing for member in groups[number] for word in member):
        return Reading(start, end, Label.CHANGED, "the negation is lost")
    return Reading(start, end, Label.UNRESOLVED, "not every keyword group is there")


def _widened(transcript: Stream, alignment: Alignment, low: int, high: int) -> tuple[int, int]:
    """Take in what was added before and behind, up to a pause, a conjunction or a word that came across elsewhere."""
    heard = alignment.heard
    while 0 < low < len(transcript) and not transcript[low].paused and low - 1 not in heard:
        if transcript.norms[low - 1] in _CONJUNCTIONS:
            break
        low -= 1
    while high < len(transcript) and not transcript[high].paused and high not in heard:
        if transcript.norms[high] in _CONJUNCTIONS:
            break
        high += 1
    return low, high


def _own_hits(script: Stream, groups: tuple[Group, ...], clause: Clause) -> list[_Hit]:
    """The keywords of the core, as those that the clause says beside it count for nothing in the transcript either."""
    low, high = clause.core
    return [hit for hit in _hits(script, groups, clause.start, clause.end) if hit.start < high and hit.end > low]


def _said_elsewhere(alignment: Alignment, clause: Clause) -> frozenset[int]:
    """Tokens of the transcript that are the script's words outside the core."""
    return frozenset(
        pair
        for index, (pair, same) in enumerate(zip(alignment.pairs, alignment.exact, strict=True))
        if same and not clause.core[0] <= index < clause.core[1]
    )


def _is_content(stream: Stream, index: int) -> bool:
    return stream[index].kind != "symbol" and stream.norms[index] not in EMPTY


def _negations(stream: Stream, hits: list[_Hit], low: int, high: int) -> int:
    """The parity of negating words that are no part of a keyword.

    A bare `not` is part of a keyword only where nothing else of its group stands there.
    """
    bare = {hit for hit in hits if all(stream.norms[index] in NEGATORS for index in range(hit.start, hit.end))}
    full = {hit.group for hit in hits if hit not in bare}
    taken = {index for hit in hits if hit not in bare or hit.group not in full for index in range(hit.start, hit.end)}
    return sum(stream.norms[index] in NEGATORS for index in range(low, high) if index not in taken) % 2


def _contrary(
    intention: Intention, script: Stream, transcript: Stream, clause: tuple[int, int] | None, low: int, high: int
) -> bool:
    wide = (max(0, low - _CONTRARY_REACH), min(len(transcript), high + _CONTRARY_REACH))
    for phrase in intention.contrary:
        group: tuple[Group, ...] = ((_phrase(phrase),),)
        said = clause is not None and _hits(
            script, group, max(0, clause[0] - _CONTRARY_REACH), min(len(script), clause[1] + _CONTRARY_REACH)
        )
        if not said and any(hit.end > low and hit.start < high for hit in _hits(transcript, group, *wide)):
            return True
    return False
