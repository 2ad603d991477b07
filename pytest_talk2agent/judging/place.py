"""The place of a value in the transcript: what is read there, and what is settled of several readings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_talk2agent.judging.alignment import Alignment, is_like, keys_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.numeric import reference_measure
from pytest_talk2agent.judging.polarity import is_denied
from pytest_talk2agent.judging.reading import Fault, Reading, Scene
from pytest_talk2agent.judging.slots import Slot
from pytest_talk2agent.judging.symbolic import is_marks
from pytest_talk2agent.speech.symbols import NUMBER_HOMOPHONES, symbol_at
from pytest_talk2agent.speech.times import HALF_DAY_WORDS
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.unit_phrases import unit_at
from pytest_talk2agent.speech.words import CORRECTIONS, EMPTY, stem

_MEASURES = frozenset(("quantity", "money", "percent", "duration"))
# Kinds of which a dash or a dot alone is nothing; a slash without its folder is still a broken path.
_NAMED_SYMBOLS = frozenset(("flag", "code", "version"))
_NAMES = frozenset(("path", "filename", "url", "email"))
_SCHEME = frozenset((":", "/", "colon", "slash"))
_SIGHT = 8  # how far a reader looks for a word that came across
# Words that go with a value of the kind and do not stand for one.
_BESIDE_VALUE: dict[str, frozenset[str]] = {
    "time": HALF_DAY_WORDS | {"past", "o", "clock", "oclock", "am", "pm", "a", "p", "m"},
    "version": frozenset(("version", "release", "v")),
    "identifier": frozenset(("camel", "snake", "kebab", "pascal", "case")),
    "url": frozenset(("http", "https", "www")),
}
_VALUES = _MEASURES | {"number", "date", "time", "choice"}
_JOINED_ON = frozenset(("it", "this", "the", "a", "an", "of", "in", "with", "is"))  # words that would lengthen a text
_ARTICLES = frozenset(("the", "a", "an"))
_EITHER = frozenset(("or", "/", "|"))
# What follows the last value of a request when the speaker or the recogniser goes on.
_GOES_ON = frozenset(("and", "then", "thanks", "thank", "please", "that", "okay", "ok"))
_POLITE = EMPTY | {"thanks", "thank", "says", "saying", "reads", "reading", "say", "end", "open", "close", "by"}


@dataclass(frozen=True, slots=True)
class Place:
    """Token indices of the transcript.

    ``low`` to ``high`` lie between exact anchors, ``start`` to ``end`` are the slot's own, ``between`` lies between the
    nearest words that are at least like those of the script: what a reader takes for its place.
    """

    low: int
    high: int
    start: int
    end: int
    between: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, alignment: Alignment, slot: Slot, script: Stream, transcript: Stream) -> Place:
        """Where the slot's value stands."""
        start, end = alignment.region(slot.start, slot.end)
        if _next_is_misheard(alignment, slot, script, transcript):
            return cls(start, end, start, end, (start, end))
        keys = keys_of(script)
        exact, pairs = alignment.exact, alignment.pairs
        before = (index for index in range(slot.start - 1, -1, -1) if exact[index] and keys[index][0].isalnum())
        behind = (index for index in range(slot.end, len(pairs)) if exact[index] and keys[index][0].isalnum())
        low = next((pairs[index] + 1 for index in before), 0)
        high = next((pairs[index] for index in behind), len(transcript))
        if not low <= start <= end <= high:
            return cls(start, end, start, end, (start, end))
        heard = keys_of(transcript)
        alike = [index for index in range(max(0, slot.start - _SIGHT), min(len(pairs), slot.end + _SIGHT))
                 if pairs[index] >= 0 and is_like(keys[index], heard[pairs[index]])]  # fmt: skip
        near = max((pairs[at] + 1 for at in alike if at < slot.start and low <= pairs[at] < start), default=low)
        far = min((pairs[at] for at in alike if at >= slot.end and end <= pairs[at] < high), default=high)
        wide = far - near > _SIGHT + 2 * (slot.end - slot.start)  # too far apart to tell
        return cls(low, high, start, end, (start, end) if wide else (near, far))

    def filled(self, transcript: Stream, taken: list[tuple[int, int]]) -> tuple[int, int]:
        """What stands there instead of the value: the words between those around it, without empty ones at its ends."""
        for low, high in (self.between, (self.start, self.end)):
            free = [index for index in range(low, high)
                    if transcript[index].kind != "symbol" and not any(a <= index < b for a, b in taken)]  # fmt: skip
            while free and transcript.norms[free[0]] in EMPTY:
                del free[0]
            while free and transcript.norms[free[-1]] in EMPTY:
                del free[-1]
            if free:
                return free[0], free[-1] + 1
        return self.start, self.end


def _next_is_misheard(alignment: Alignment, slot: Slot, script: Stream, transcript: Stream) -> bool:
    """The word behind the value (`to`, `for`) came across as the number of the same sound."""
    pair = alignment.pairs[slot.end] if slot.end < len(script) else -1
    number = NUMBER_HOMOPHONES.get(script.norms[slot.end]) if pair >= 0 else None
    return number is not None and keys_of(transcript)[pair] == str(number)


def is_filled(scene: Scene, place: Place, taken: list[tuple[int, int]]) -> bool:
    """Something that is no empty word stands in the slot's own place; a unit alone does not fill it.

    A symbol fills the place of symbols only.
    """
    stream, kind = scene.stream, scene.intention.kind
    wanted = reference_measure(scene.intention.say[0], kind) if kind in _MEASURES else None
    marks = all(map(is_marks, scene.intention.say))
    index = place.start
    while index < place.end:
        token = stream[index]
        empty = not marks if token.kind == "symbol" else token.norm in EMPTY
        if any(a <= index < b for a, b in taken) or empty:
            index += 1
            continue
        if token.norm in _BESIDE_VALUE.get(kind, ()):
            index += 1
            continue
        if kind in _NAMED_SYMBOLS and not marks and (named := symbol_at(stream.norms, index)):
            index = named[1]
            continue
        if wanted:
            unit = unit_at(stream, index)
            if unit and wanted[1] and unit[0].shares(wanted[1]):
                index = unit[1]
                continue
            if wanted[2] and stem(token.norm) == wanted[2]:
                index += 1
                continue
        return True
    return False


def settle(scene: Scene, found: list[Reading], place: Place) -> Reading | None:
    """One reading out of all in the place: after words of correction the last value counts.

    The right value beside another one of its class is unresolved. A changed reading counts in the slot's own place
    alone.
    """
    stream = scene.stream
    corrected = _last_correction(stream, place, [one for one in found if one.label is not Label.CHANGED])
    if corrected is not None:
        after = [one for one in found if one.start >= corrected]
        if after or _says_something(stream, corrected, place.end):
            found = after
            place = replace(place, low=corrected, start=max(place.start, corrected))
    own = [one for one in found if one.end > place.start and one.start < place.end]
    right = [one for one in found if one.label is not Label.CHANGED]
    if not right:
        return own[0] if own else None
    best = min(right, key=lambda one: (one.label is not Label.RETAINED, one not in own, one.start))
    if best.label is Label.RETAINED and scene.intention.kind in _VALUES:
        denied = is_denied(stream, best.start, best.end)
        others = [
            one
            for one in own
            if one.label is Label.CHANGED and one.rival and (denied or not is_denied(stream, one.start, one.end))
        ]
        if others and best in own:
            return replace(best, label=Label.UNRESOLVED, reason="another value stands beside the right one")
    if scene.intention.kind == "code" and best.label is Label.RETAINED and _has_other_digits(scene, best, place):
        return replace(best, label=Label.UNRESOLVED, reason="another code stands beside the right one")
    if scene.intention.kind in _NAMES and best.label is Label.RETAINED and _has_other_name(scene, best, place):
        return replace(best, label=Label.UNRESOLVED, reason="another name stands beside the right one")
    if scene.intention.kind == "term" and best.label is Label.RETAINED and _follows_like(scene, best, place):
        return replace(best, label=Label.UNRESOLVED, reason="another name stands before the right one")
    if best.faults & Fault.LEAD and _says_something(stream, place.start, best.start):
        return replace(best, label=Label.CHANGED, reason="another word stands for its first part")
    if best.label is Label.RETAINED and _is_one_of_two(scene, best, place):
        return replace(best, label=Label.UNRESOLVED, reason="another value is given as an alternative")
    if scene.intention.kind == "text" and best.label is Label.RETAINED:
        return _within_borders(scene, best, place)
    return best


def _is_one_of_two(scene: Scene, best: Reading, place: Place) -> bool:
    """`Nora or Cora`, `[15/50]`: another reading is joined to this one, and the script has no such alternative."""
    if scene.script is None or scene.slot is None:
        return False
    norms, said = scene.stream.norms, scene.script.norms
    beside = (*said[max(0, scene.slot[0] - 2) : scene.slot[0]], *said[scene.slot[1] : scene.slot[1] + 2])
    if any(word in _EITHER for word in beside):
        return False
    after = norms[best.end : place.end]
    before = norms[place.start : best.start]
    follows = len(after) > 1 and after[0] in _EITHER and after[1] not in EMPTY and not scene.stream[best.end].paused
    return follows or (len(before) > 1 and before[-1] in _EITHER and before[-2] not in EMPTY and before[-2].isalnum())


def _has_other_digits(scene: Scene, best: Reading, place: Place) -> bool:
    """Other digits stand in the code's own place."""
    return any(
        scene.stream[index].kind == "digits" for index in (*range(place.start, best.start), *range(best.end, place.end))
    )


def _follows_like(scene: Scene, best: Reading, place: Place) -> bool:
    """`Petra Lund Petra Lindqvist`: words before the name in its own place that share one with it or are names too."""
    stream, length = scene.stream, best.end - best.start
    start = best.start - length
    if start < place.start or any(stream[index].kind != "word" for index in range(start, best.end)):
        return False
    before, name = stream.norms[start : best.start], stream.norms[best.start : best.end]
    if before == name:
        return False
    capital = all(stream[index].text[0].isupper() for index in range(start, best.end))
    return any(one == other for one, other in zip(before, name, strict=True)) or (start > 0 and capital)


def _has_other_name(scene: Scene, best: Reading, place: Place) -> bool:
    """A word, a joining symbol and a word stand beside the reading in the slot's own place."""
    stream, low = scene.stream, best.start
    # The scheme of an address and the style of an identifier come before it.
    while low > place.start and stream.norms[low - 1] in _BESIDE_VALUE.get(scene.intention.kind, _SCHEME) | _SCHEME:
        low -= 1
    if low < best.start and scene.intention.kind == "url":
        low -= 1  # the name of the scheme
    for start, end in ((place.start, low), (best.end, place.end)):
        for index in range(start + 1, end - 1):
            named = symbol_at(stream.norms, index)
            joins = (named[0] if named else stream.norms[index]) in ("/", "\\", ".", "_", "-", "@")
            around = all(
                stream[each].kind != "symbol" and stream.norms[each] not in EMPTY for each in (index - 1, index + 1)
            )
            if joins and around and not stream[index + 1].paused:
                return True
    return False


def _last_correction(stream: Stream, place: Place, right: list[Reading]) -> int | None:
    """Behind the last words of correction inside the slot's own place, where something stands before them."""
    for index in range(place.end - 1, place.start, -1):
        if stream[index].glued or any(one.start <= index < one.end for one in right):
            continue
        for phrase in CORRECTIONS:
            if stream.phrase_at(index, phrase) and index + len(phrase) <= place.end:
                return index + len(phrase)
    return None


def _says_something(stream: Stream, start: int, end: int) -> bool:
    return any(stream[i].kind != "symbol" and stream.norms[i] not in EMPTY for i in range(start, end))


def _within_borders(scene: Scene, best: Reading, place: Place) -> Reading:
    """A verbatim text ends at its quotation marks, else at the words that stand around it in the script."""
    stream = scene.stream
    opened, closed = _quoted(stream, best)
    before = () if opened or stream[best.start].paused else range(place.start, best.start)
    after = [] if closed else list(range(best.end, place.end))
    after = after[: next((at for at, index in enumerate(after) if stream[index].paused), None)]
    last = scene.script is not None and scene.slot is not None and scene.slot[1] == len(scene.script)
    if last and after and stream.norms[after[0]] in _GOES_ON:
        after = []
    added = [
        index
        for index in (*before, *after)
        if stream[index].kind != "symbol"
        and not symbol_at(stream.norms, index)
        and stream.norms[index] not in _beside_text(scene, index, best)
    ]
    if added:
        return replace(best, label=Label.CHANGED, reason="words were added")
    return best


def _beside_text(scene: Scene, index: int, best: Reading) -> frozenset[str]:
    """Words that are no part of a text: fewer where they would lengthen it (`the` before it, `it` behind it)."""
    if all(map(is_marks, scene.intention.say)):
        return _POLITE  # `a hash sign`
    if index >= best.end:
        return _POLITE - _JOINED_ON
    return _POLITE - _ARTICLES if index == best.start - 1 else _POLITE


def _quoted(stream: Stream, best: Reading) -> tuple[bool, bool]:
    marks = '"“”„«»'
    lead = stream[best.start].lead
    following = stream[best.end].lead if best.end < len(stream) else stream.text[stream[best.end - 1].end :]
    return any(mark in lead for mark in marks), any(mark in following for mark in marks)
