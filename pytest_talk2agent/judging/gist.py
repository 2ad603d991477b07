"""Gists: keyword groups and polarity in the clause where they belong."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_talk2agent.judging.alignment import Alignment
from pytest_talk2agent.judging.clause_words import COMMANDS
from pytest_talk2agent.judging.corrections import corrections
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.keywords import Group, Hit, find_hits, find_window, find_windows, groups_of, stems_of
from pytest_talk2agent.judging.polarity import Polarity, Unit
from pytest_talk2agent.judging.reading import Reading
from pytest_talk2agent.speech.languages import ENGLISH, knows, negations
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import CORRECTIONS, EMPTY, NEGATORS, stem
from pytest_talk2agent.tasks.intention import Intention

_CONJUNCTIONS = frozenset(("and", "then", "but", "or"))
_CONTRARY_REACH = 2
_MOVED_SLACK = 6
_BACK_REACH = 3
_PRONOUNS = frozenset(("it", "that", "them", "this", "him", "her"))
_ENDS = frozenset(".?!\n")
_NEGATING = frozenset(map(stem, NEGATORS)) | {"instead", "rather"}


@dataclass(frozen=True, slots=True)
class Clause:
    """The tokens of the script around a gist, and the ``core`` that holds its keywords."""

    start: int
    end: int
    core: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a gist is read with: the negations of both texts and the language that they are in."""

    polarity: Polarity
    language: str = ENGLISH


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
    said = tuple(((word,),) for text in intention.say for word in stems_of(text))
    groups = groups_of(intention)
    spans = find_windows(find_hits(script, groups, 0, len(script)))
    if not spans:
        content = tuple(group for group in said if group[0][0] not in EMPTY)
        spans = find_windows(find_hits(script, content, 0, len(script)))
    if not spans:
        return None

    def fit(span: tuple[int, int]) -> tuple[int, int, int, int]:
        own = {hit.group for hit in find_hits(script, said, *clause_around(script, *span))}
        return _sentence_ends(script, *span), -len(own), span[1] - span[0], span[0]

    best = min(spans, key=fit)
    return Clause(*clause_around(script, *best), best)


def read_gist(
    intention: Intention, script: Stream, transcript: Stream, alignment: Alignment, clause: Clause | None, scope: Scope
) -> Reading | None:
    """What the transcript says of the gist; None where nothing stands in its place."""
    span = (clause.start, clause.end) if clause else None
    low, high = alignment.region(*span) if span else (0, len(transcript))
    groups = groups_of(intention)
    low, high = _widened(transcript, alignment, low, high)
    hits = find_hits(transcript, groups, low, high)
    elsewhere = _said_elsewhere(alignment, clause) if clause else frozenset()
    if clause:
        hits = [hit for hit in hits if not all(index in elsewhere for index in range(hit.start, hit.end))]
    if not hits and span and not alignment.anchored(*span):
        moved = find_window(find_hits(transcript, groups, 0, len(transcript)))
        if moved and moved[1] - moved[0] <= span[1] - span[0] + _MOVED_SLACK:
            low, high = clause_around(transcript, *moved)
            hits = find_hits(transcript, groups, low, high)
    present = {hit.group for hit in hits}
    core = range(*alignment.region(*clause.core)) if clause and not hits else range(low, high)
    content = [index for index in core if _is_content(transcript, index)]
    if not content:
        return None
    start, end = find_window(hits) or (content[0], content[-1] + 1)
    if _contrary(intention, script, transcript, span, low, high):
        return Reading(start, end, Label.CHANGED, "the contrary stands there")
    negated = _negated(script, transcript, groups, clause, hits, scope)
    if negated is Label.CHANGED:
        return Reading(start, end, Label.CHANGED, "a negation was lost or added")
    missing = [number for number in range(len(groups)) if number not in present]
    lost = any(word in _NEGATING for number in missing for member in groups[number] for word in member)
    if hits and lost and not _is_denied_alike(script, groups, clause, hits, scope):
        return Reading(start, end, Label.CHANGED, "the negation is lost")
    if missing:
        if clause and (turned := _turned_elsewhere(script, transcript, groups, clause, missing, elsewhere, scope)):
            return Reading(turned.start, turned.end, Label.CHANGED, "a negation was lost or added")
        return Reading(start, end, Label.UNRESOLVED, "not every keyword group is there")
    if negated is Label.UNRESOLVED:
        return Reading(start, end, Label.UNRESOLVED, "it is said with a negation and without one")
    if not knows(scope.language) and not (span and _is_verbatim(script, transcript, alignment, span)):
        return Reading(start, end, Label.UNRESOLVED, f"negation is not known in the language {scope.language!r}")
    if scope.language == ENGLISH and _taken_back(transcript, script, alignment, end):
        return Reading(start, end, Label.CHANGED, "the speaker took it back")
    return Reading(start, end, Label.RETAINED, "every keyword group is there and the polarity is right")


def _turned_elsewhere(
    script: Stream,
    transcript: Stream,
    groups: tuple[Group, ...],
    clause: Clause,
    missing: list[int],
    elsewhere: frozenset[int],
    scope: Scope,
) -> Hit | None:
    """A keyword that changed its place and its polarity: `email it and do not print it` for `print it, do not email`.

    ``elsewhere`` are the tokens that say other words of the script.
    """
    if scope.language != ENGLISH:
        return None
    own = {hit.group: hit for hit in _own_hits(script, groups, clause)}
    for hit in find_hits(transcript, groups, 0, len(transcript)):
        if hit.group in missing and hit.group in own and not _is_negation(script, own, hit):
            is_free = elsewhere.isdisjoint(range(hit.start, hit.end))
            if is_free and scope.polarity.differing(_unit(own[hit.group]), _unit(hit)):
                return hit
    return None


def _taken_back(transcript: Stream, script: Stream, alignment: Alignment, end: int) -> bool:
    """Another verb with a pronoun replaces the request: `restart the router, no, reset it`."""
    own = {alignment.pairs[start] for start, _ in corrections(script)}
    for start, stop in corrections(transcript):
        if start >= end and start not in own:
            behind = transcript.norms[stop : stop + 2]
            near = start - end <= _BACK_REACH and not _sentence_ends(transcript, end, start)
            return near and len(behind) == 2 and behind[0] in COMMANDS and behind[1] in _PRONOUNS
    return False


def _is_denied_alike(
    script: Stream, groups: tuple[Group, ...], clause: Clause | None, hits: list[Hit], scope: Scope
) -> bool:
    """A keyword is governed by a negation in both texts, though in other words: `without telling`, `do not tell`."""
    own = {hit.group: hit for hit in _own_hits(script, groups, clause)} if clause and scope.language == ENGLISH else {}
    return any(
        scope.polarity.denied(_unit(own[hit.group]), _unit(hit))
        for hit in hits
        if hit.group in own and not _is_negation(script, own, hit)
    )


def _is_verbatim(script: Stream, transcript: Stream, alignment: Alignment, span: tuple[int, int]) -> bool:
    """The clause came across word for word, so that no negation can be lost or added."""
    low, high = alignment.region(*span)
    whole = all(alignment.exact[index] for index in range(*span) if script[index].kind != "symbol")
    words = sum(transcript[index].kind != "symbol" for index in range(low, high))
    return whole and words == sum(script[index].kind != "symbol" for index in range(*span))


def _negated(
    script: Stream,
    transcript: Stream,
    groups: tuple[Group, ...],
    clause: Clause | None,
    hits: list[Hit],
    scope: Scope,
) -> Label:
    """Retained where the polarity is that of the script, unresolved where the transcript says both."""
    own = [] if clause is None else _own_hits(script, groups, clause)
    windows = [window for window in find_windows(hits) if window[1] - window[0] <= _MOVED_SLACK + _shortest(hits)]
    if not own or not windows:
        return Label.RETAINED
    if scope.language != ENGLISH:
        if not knows(scope.language) or clause is None:
            return Label.RETAINED
        best = min(windows, key=lambda window: window[1] - window[0])
        there = bool(negations(transcript, *best, scope.language))
        here = bool(negations(script, *clause.core, scope.language))
        return Label.RETAINED if here == there else Label.CHANGED
    said = {hit.group: hit for hit in sorted(own, key=lambda hit: hit.start, reverse=True)}
    verdicts = []
    for low, high in windows:
        inside = [hit for hit in hits if low <= hit.start and hit.end <= high and not _is_negation(script, said, hit)]
        verdicts.append(
            any(scope.polarity.differing(_unit(said[hit.group]), _unit(hit)) for hit in inside if hit.group in said)
        )
    if any(verdicts) and not all(verdicts):
        first, last = windows[0], windows[-1]
        corrected = any(
            transcript.phrase_at(index, words)
            for index in range(first[1], last[0])
            if transcript[index].paused
            for words in CORRECTIONS
        )
        if corrected:
            return Label.CHANGED if verdicts[-1] else Label.RETAINED
        return Label.UNRESOLVED
    return Label.CHANGED if any(verdicts) else Label.RETAINED


def _shortest(hits: list[Hit]) -> int:
    found = find_window(hits)
    return found[1] - found[0] if found else 0


def _unit(hit: Hit) -> Unit:
    return Unit(hit.start, hit.end, hit.end - 1)


def _is_negation(script: Stream, said: dict[int, Hit], hit: Hit) -> bool:
    """The group is a bare negation in the script, as in `[not, never], [push]`: it governs, and is not governed."""
    own = said.get(hit.group)
    return own is not None and all(stem(script.norms[index]) in _NEGATING for index in range(own.start, own.end))


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


def _own_hits(script: Stream, groups: tuple[Group, ...], clause: Clause) -> list[Hit]:
    """The keywords of the core, as those that the clause says beside it count for nothing in the transcript either."""
    low, high = clause.core
    return [hit for hit in find_hits(script, groups, clause.start, clause.end) if hit.start < high and hit.end > low]


def _said_elsewhere(alignment: Alignment, clause: Clause) -> frozenset[int]:
    """Tokens of the transcript that are the script's words outside the core."""
    return frozenset(
        pair
        for index, (pair, same) in enumerate(zip(alignment.pairs, alignment.exact, strict=True))
        if same and not clause.core[0] <= index < clause.core[1]
    )


def _is_content(stream: Stream, index: int) -> bool:
    return stream[index].kind != "symbol" and stream.norms[index] not in EMPTY


def _contrary(
    intention: Intention, script: Stream, transcript: Stream, clause: tuple[int, int] | None, low: int, high: int
) -> bool:
    wide = (max(0, low - _CONTRARY_REACH), min(len(transcript), high + _CONTRARY_REACH))
    for phrase in intention.contrary:
        group: tuple[Group, ...] = ((stems_of(phrase),),)
        said = clause is not None and find_hits(
            script, group, max(0, clause[0] - _CONTRARY_REACH), min(len(script), clause[1] + _CONTRARY_REACH)
        )
        if not said and any(hit.end > low and hit.start < high for hit in find_hits(transcript, group, *wide)):
            return True
    return False
