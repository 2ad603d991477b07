"""Values that a speaker takes back: where words of correction stand, and which value counts in the end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from pytest_talk2agent.judging.clause_words import COMMANDS, by_first
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.negation import denials, phrase_at
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.numerals import is_numeric, numeral_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import CORRECTIONS, EMPTY, FILLERS, listed
from pytest_talk2agent.tasks.intention import Intention

_PHRASES = by_first(CORRECTIONS)
_HARD = frozenset(".?!;\n—")
# Words that are corrections only where a pause sets them off: `wait` is a command, `no` a determiner as well.
_PAUSED = frozenset((("no",), ("wait",), ("rather",), ("actually",), ("correction",), ("pardon",), ("not", "that")))
_MORE = FILLERS | frozenset(listed("oh well and but the a an it is should be to for at on in"))
_CLASSED = frozenset(("number", "quantity", "money", "percent", "duration", "date", "time", "choice"))
_MEASURED = frozenset(("quantity", "money", "percent", "duration"))
_BEFORE = 8  # how far a value may stand from the words of correction
_NEAR = 3  # how far a bare number may stand behind them
_REPEATED = 5  # words of the clause that is said again: `scratch that, ring them today`


@lru_cache(maxsize=256)
def corrections(stream: Stream) -> tuple[tuple[int, int], ...]:
    """Where words of correction stand: `no`, `sorry, I mean`, `scratch that`; phrases in a row are one."""
    found: list[tuple[int, int]] = []
    # A text without any punctuation inside shows no pauses.
    bare = not any(token.paused for token in stream.tokens[1:])
    governed = {one.start for one in denials(stream)}
    index = 0
    while index < len(stream):
        phrase = phrase_at(stream, index, _PHRASES)
        if (
            phrase is None
            or index == 0
            or stream[index].glued
            or index in governed
            or _is_command(stream, index, phrase)
        ):
            index += 1
            continue
        end = index + len(phrase)
        if found and found[-1][1] == index:
            found[-1] = (found[-1][0], end)
        elif phrase not in _PAUSED or bare or stream[index].paused or (end < len(stream) and stream[end].paused):
            found.append((index, end))
        else:
            index += 1
            continue
        index = end
    return tuple(found)


def _is_command(stream: Stream, index: int, phrase: tuple[str, ...]) -> bool:
    """`Pay 40. Wait 90 minutes.`: a sentence of its own."""
    after = index + 1
    begins = not _HARD.isdisjoint(stream[index].lead)
    return phrase == ("wait",) and begins and after < len(stream) and not stream[after].paused


def corrected_between(stream: Stream, low: int, high: int) -> bool:
    """Words of correction stand between two tokens."""
    return any(end <= high for _, end in _between(stream, low, high))


def _between(stream: Stream, low: int, high: int) -> tuple[tuple[int, int], ...]:
    """The words of correction that start between two tokens."""
    found = corrections(stream)
    return found[bisect_left(found, (low, 0)) : bisect_left(found, (high, 0))]


def withdrawn(intention: Intention, number: int, script: Stream, hit: Reading) -> tuple[int, int] | None:
    """The value that the speaker took back before the one of the reading, as tokens of the script."""
    for start, end in reversed(corrections(script)):
        between = range(end, hit.start)
        if end > hit.start or len(between) > _REPEATED or start == 0:
            continue
        if any(not _HARD.isdisjoint(script[index].lead) for index in between if index > end):
            return None
        low = max(0, start - _BEFORE)
        if intention.kind in _CLASSED:
            rivals = [
                one
                for one in read_value(Scene(intention, script, locating=True), number, low, start)
                if one.end <= start
            ]
            rivals = [one for one in rivals if one.label is not Label.RETAINED]
            return (rivals[-1].start, rivals[-1].end) if rivals else None
        if all(script.norms[index] in EMPTY for index in between) and not is_numeric(script.norms[hit.start]):
            return _same_size(script, start, hit)
        return None
    return None


def _same_size(script: Stream, end: int, hit: Reading) -> tuple[int, int] | None:
    """A name before the words of correction, as long as the right one at most."""
    start = end
    while start > 0 and end - start < hit.end - hit.start:
        if script.norms[start - 1] in EMPTY or (start < end and script[start].paused):
            break
        start -= 1
    return (start, end) if start < end else None


def said_again(scene: Scene, number: int, low: int, high: int) -> list[Reading]:
    """Readings of a bare number that stands for the value because its unit was said before the correction.

    `Pay $30. No, 40.`, `thirty dollars no forty`.
    """
    if scene.intention.kind not in _MEASURED:
        return []
    stream = scene.stream
    found = []
    for begin, end in _between(stream, low - _NEAR, high):
        at = next((index for index in range(end, min(end + _NEAR, len(stream))) if numeral_at(stream, index)), None)
        if at is None or not low <= at < high:
            continue
        numeral = numeral_at(stream, at)
        if numeral is not None and _fits(scene, number, begin, at, numeral.end):
            found.append(Reading(at, numeral.end, Label.RETAINED, "the same value, its unit was said before"))
    return found


def _fits(scene: Scene, number: int, end: int, start: int, stop: int) -> bool:
    """The earlier value with this number in it is the wanted one."""
    stream = scene.stream
    for index in range(end - 1, max(-1, end - _BEFORE), -1):
        earlier = numeral_at(stream, index)
        if earlier is None:
            continue
        while index > 0 and (before := numeral_at(stream, index - 1)) and before.end == earlier.end:
            index, earlier = index - 1, before
        low = index - 1 if index and stream[index - 1].kind == "symbol" else index
        first, last = stream.span(low, end)
        begin, behind = stream.span(index, earlier.end)
        new = stream.text[slice(*stream.span(start, stop))]
        text = tokenise(f"{stream.text[first:begin]}{new}{stream.text[behind:last]}")
        plain = replace(scene, stream=text, script=None, slot=None)
        return any(one.label is Label.RETAINED for one in read_value(plain, number, 0, len(text)))
    return False


def rivals_of(scene: Scene, number: int, taken_back: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Where the transcript has the value that the speaker took back."""
    script, stream = scene.script, scene.stream
    if script is None:
        return
    norms = script.norms[slice(*taken_back)]
    length = len(norms)
    same = [index for index in range(len(stream) - length + 1) if stream.norms[index : index + length] == norms]
    yield from ((index, index + length) for index in same)
    if scene.intention.kind not in _CLASSED:
        return
    text = script.text[slice(*script.span(*taken_back))]
    if scene.intention.kind == "choice":
        option = tokenise(text).norms
        other = next((each for each in scene.intention.options if tokenise(each).norms == option), text)
    else:
        other = text
    options = scene.intention.options
    intention = scene.intention.model_copy(update={"say": (other,), "also": (), "options": options})
    for one in read_value(replace(scene, intention=intention, slot=None), 0, 0, len(stream)):
        if one.label is Label.RETAINED and one.start not in same:
            yield one.start, one.end


def replaced_later(
    scene: Scene,
    number: int,
    one: Reading,
    known: frozenset[int],
    taken: frozenset[int],
    beside: frozenset[int] = frozenset(),
) -> Reading | None:
    """What the speaker puts in the place of a value that was heard, as in `Use the dark theme. No, the light theme`.

    ``known`` are tokens that render the script's own words of correction, ``taken`` those of other values, ``beside``
    those that say other values before one of them was taken back. None where nothing takes it back; a reading of the
    same value where it is only confirmed.
    """
    stream = scene.stream
    for start, end in _between(stream, one.end, len(stream)):
        if start in known:
            continue
        if start - one.end > _BEFORE or any(index in taken | beside for index in range(one.end, start)):
            return None
        if sum(not _HARD.isdisjoint(stream[index].lead) for index in range(one.end + 1, start)):
            return None  # another sentence stands between
        high = _fragment_end(stream, end)
        low = end
        while low < high and stream.norms[low] in _MORE:
            low += 1
        if low >= high or taken & set(range(low, high)):
            return None
        found = said_again(scene, number, low, high) or read_value(scene, number, low, high)
        if scene.intention.kind in _CLASSED:
            rivals = [other for other in found if other.rival or other.label is not Label.CHANGED]
            return rivals[-1] if rivals else None
        if found:
            return found[-1]
        is_name = stream.norms[low] not in COMMANDS and high - low <= one.end - one.start + 2
        return Reading(low, high, Label.CHANGED, "the speaker took it back") if is_name else None
    return None


def _fragment_end(stream: Stream, start: int) -> int:
    """The end of the words that follow a correction: the next pause that is not at their beginning."""
    end = start + 1
    while end < len(stream):
        if not _HARD.isdisjoint(stream[end].lead) or ("," in stream[end].lead and end > start + 1):
            break
        end += 1
    return min(end, len(stream))
