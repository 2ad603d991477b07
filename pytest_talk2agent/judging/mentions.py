"""A value that the script says more than once: what its later mentions tell where the first fell out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from pytest_talk2agent.judging.alignment import Alignment
from pytest_talk2agent.judging.borders import goes_on_left, goes_on_right
from pytest_talk2agent.judging.gist import clause_around
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.place import Place, is_filled, settle
from pytest_talk2agent.judging.reading import Fault, Reading, Scene, clear_of
from pytest_talk2agent.judging.slots import Slot
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import EMPTY, NEGATORS
from pytest_talk2agent.tasks.intention import Intention

# Kinds whose value is the name of one thing; an amount, a choice or a flag may well be another thing's.
_SPELLED = frozenset(("path", "filename", "url", "email", "identifier", "code"))
_WORDED = frozenset(("term", "text"))
_LEAST_SPELLED, _LEAST_WORD = 4, 3  # letters and digits of a name
_NEAR = 3  # words on either side that show that the clause was heard
_ENDS = frozenset(".?!;\n")
_CHINESE_NEGATORS, _CHINESE_REACH = frozenset("不没未勿别无非"), 6


def heard_again(
    scene: Scene,
    number: int,
    slot: Slot,
    others: Sequence[Slot],
    alignment: Alignment,
    taken: list[tuple[int, int]],
) -> Reading | None:
    """A clear reading at a later mention of a value in whose place nothing was heard, or None.

    ``scene`` has the script. It is retained where the words around the place fell out too, and unresolved in a gap of
    what was heard, as the gap may have held another value. ``others`` are the slots of other values, ``taken`` the
    spans where those were heard.
    """
    script = scene.script
    if script is None or not _is_name(scene.intention, number, script, slot):
        return None
    found = None
    for mention in _mentions(scene.intention, number, script, slot, others):
        place = Place.of(alignment, mention, script, scene.stream)
        forgiven = mention.faults & (Fault.SPLIT | Fault.BLANK)
        here = replace(scene, slot=(mention.start, mention.end), forgiven=forgiven)
        reading = settle(here, clear_of(read_value(here, number, place.low, place.high), taken), place)
        if reading is None and not is_filled(here, place, taken):
            continue
        if reading is None or reading.label is not Label.RETAINED:
            return None  # the mentions contradict each other
        rendered = (alignment.pairs[index] for index in range(mention.start, mention.end))
        if found is None and any(reading.start <= pair < reading.end for pair in rendered):
            found = reading
    if found is None:
        return None
    if _fell_out(script, slot, alignment):
        return replace(found, reason="its place fell out, and it was heard where the speaker says it again")
    return replace(found, label=Label.UNRESOLVED, reason="a gap is in its place, and it was heard elsewhere")


def _mentions(intention: Intention, number: int, script: Stream, slot: Slot, others: Sequence[Slot]) -> list[Slot]:
    """Later places of the script that name the same thing: in the same words, and in no other value or longer name.

    What stands before the place was passed over by the order of the task file: it is another thing's.
    """
    name = _printed(script, *slot.core)
    return [
        Slot(one.start, one.end, (one.start, one.end), one.faults)
        for one in _said(intention, number, script)
        if one.start >= slot.end
        and _printed(script, one.start, one.end) == name
        and all(one.end <= other.start or one.start >= other.end for other in others)
        and not _is_part(intention, script, one)
        and not _is_denied(script, one.start, one.end)
    ]


@lru_cache(maxsize=512)
def _said(intention: Intention, number: int, script: Stream) -> tuple[Reading, ...]:
    found = read_value(Scene(intention, script, locating=True), number, 0, len(script))
    return tuple(one for one in found if one.label is Label.RETAINED)


def _printed(script: Stream, start: int, end: int) -> str:
    low, high = script.span(start, end)
    return " ".join(script.text[low:high].split()).replace("’", "'").removesuffix("'s")


def _is_name(intention: Intention, number: int, script: Stream, slot: Slot) -> bool:
    """The value names a thing, and is long enough that the same letters elsewhere name no other."""
    if intention.kind in _SPELLED:
        value = intention.say[number]
        is_word = value.isalpha() and value[1:].islower()  # `title` as a field is a word elsewhere
        return sum(map(str.isalnum, value)) >= _LEAST_SPELLED and not is_word and not _is_denied(script, *slot.core)
    words = _printed(script, *slot.core).split()
    if intention.kind not in _WORDED or any(word[0].isdecimal() or is_numeric(word.lower()) for word in words):
        return False
    content = [word for word in words if word.lower() not in EMPTY and any(map(str.isalpha, word))]
    proper = len(content) == 1 and len(content[0]) >= _LEAST_WORD and content[0] != content[0].lower()
    return (proper or len(content) > 1) and not _is_denied(script, *slot.core)


def _is_part(intention: Intention, script: Stream, one: Reading) -> bool:
    """A longer name holds the mention, or it may be another word: one with a capital at the start of a sentence."""
    scene = Scene(intention, script)
    if goes_on_left(scene, one.start) or goes_on_right(scene, one.end):
        return True
    if intention.kind in _SPELLED:
        return False
    name = _printed(script, one.start, one.end)
    plain = " " not in name and not any(letter.isupper() or letter.isdecimal() for letter in name[1:])
    if plain and _begins(script, one.start):
        return True
    before = one.start - 1
    if before >= 0 and not script[one.start].paused and _is_proper(script, before) and not _begins(script, before):
        return True
    return one.end < len(script) and not script[one.end].paused and _is_proper(script, one.end)


def _is_proper(script: Stream, index: int) -> bool:
    """A capital or a number beside a name is taken for a part of it."""
    token = script[index]
    return token.kind == "digits" or (token.kind == "word" and token.text[0].isupper() and token.text != "I")


def _begins(script: Stream, index: int) -> bool:
    """The token is the first word of a sentence or of an item of a list."""
    while index > 0 and not _ENDS & set(script[index].lead):
        if script[index - 1].kind != "symbol":
            return False
        index -= 1
    return True


def _is_denied(script: Stream, start: int, end: int) -> bool:
    low, high = clause_around(script, start, end)
    before = script.norms[max(0, start - _CHINESE_REACH) : start]
    return not NEGATORS.isdisjoint(script.norms[low:high]) or not _CHINESE_NEGATORS.isdisjoint(before)


def _fell_out(script: Stream, slot: Slot, alignment: Alignment) -> bool:
    """None of the words next to the value in its sentence came across."""
    near: list[int] = []
    for indices, inward in ((reversed(range(slot.start)), 1), (iter(range(slot.end, len(script))), 0)):
        words: list[int] = []
        for index in indices:
            if len(words) == _NEAR or _ENDS & set(script[index + inward].lead):
                break
            if script[index].kind != "symbol" and script.norms[index] not in EMPTY:
                words.append(index)
        near += words
    return not any(alignment.exact[index] for index in near)
