"""Terms, choices and verbatim text: the same words, however they are spelled out."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache

from pytest_talk2agent.judging.borders import goes_on_right
from pytest_talk2agent.judging.compared_words import Word, Words, index_of, words_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Fault, Reading, Scene
from pytest_talk2agent.judging.signs import compare_signs, signs_beside, signs_of
from pytest_talk2agent.judging.spelling import candidates, spell
from pytest_talk2agent.judging.symbolic import is_marks, read_marks
from pytest_talk2agent.speech.numerals import TEENS, UNITS
from pytest_talk2agent.speech.sounds import sounds_alike, unaccented
from pytest_talk2agent.speech.symbols import EXTENSION_SOUNDS, LETTER_HOMOPHONES, NATO, symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import FILLERS, listed

_LONGEST_SPLIT = 4
_SHORT = 2  # letters of a word that may be a part of the next one (`a` and `b`, `AB`)
_NAME_SYMBOLS = frozenset("+#./@")
_ABBREVIATED = frozenset(
    tuple(pair.split("="))
    for pair in listed(
        "dr=doctor mr=mister mrs=missus prof=professor jr=junior sr=senior st=saint st=street ave=avenue rd=road "
        "mt=mount vs=versus dept=department ltd=limited okay=ok"
    )
)
_YOU_KNOW = ("you", "know")
_POSSESSIVES = ("'s", "’s", "ʼs")
_QUOTES = frozenset('"“”„«»')
_SAID = {str(value): word for word, value in (UNITS | TEENS).items()}  # how a number sounds


def read_wording(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of the words between two tokens: the same words, or a spelling of the same sound.

    A choice also finds the other options of its set: they are changed readings.
    """
    readings = _match_all(scene, value, low, high)
    if scene.intention.kind == "choice":
        listed = {value.casefold(), *(other.casefold() for other in scene.intention.also)}
        for option in scene.intention.options:
            if option.casefold() in listed:
                continue
            for other in _match_all(scene, option, low, high):
                if other.label is Label.RETAINED and not any(_inside(other, right) for right in readings):
                    readings.append(Reading(other.start, other.end, Label.CHANGED, f"another option: {option}"))
        readings = [one for one in readings if not any(
            _inside(one, other) and other.label is Label.CHANGED for other in readings
        )]  # fmt: skip
    return readings


def _inside(inner: Reading, outer: Reading) -> bool:
    wider = outer.end - outer.start > inner.end - inner.start
    return wider and outer.start <= inner.start and inner.end <= outer.end


def _match_all(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    if is_marks(value):
        return read_marks(scene, value, low, high)
    if _NAME_SYMBOLS & set(value.rstrip(".")) and " " not in value and scene.intention.kind != "text":
        return _match_symbols(scene, value, low, high)
    kept = _own_fillers(value)
    target = words_of(tokenise(value), kept)
    if not target:
        return []
    marks = _marks(value)
    said = {word.text for word in target}
    readings: list[Reading] = []
    for apart in (False, True):
        index = index_of(scene.stream, kept, apart=apart)
        if apart and index is index_of(scene.stream, kept, apart=False):
            break
        words = [
            word
            for word in index.words[bisect_left(index.starts, low) : bisect_left(index.starts, high)]
            if word.end <= high and (not marks or word.text in said or not _names(scene.stream, word, marks))
        ]
        known = {(one.start, one.end) for one in readings}
        found = _in_words(scene, value, target, words, index, (low, high))
        readings += [one for one in found if (one.start, one.end) not in known]
    return readings


def _in_words(
    scene: Scene, value: str, target: tuple[Word, ...], words: list[Word], every: Words, span: tuple[int, int]
) -> list[Reading]:
    """Readings of a value among words."""
    readings = []
    before, after = _neighbours(scene)
    firsts = {text for text in every.texts if _may_begin(target[0].text, text, before)}
    owner = scene.intention.kind == "term" and (scene.locating or _is_owner(scene.script, scene.slot))
    for index, word in enumerate(words):
        if word.text not in firsts and not word.contracted and word.raw not in firsts:
            continue
        said_as = value
        found = _match(target, words, index) or _match_glued(target, words, index, before, after)
        if found is None and owner:
            said_as, found = f"{value}'s", _match_owner(scene, value, words, index)
        if found is not None:
            count, faults = found
            readings.append(_signed(scene, said_as, (word.start, words[index + count - 1].end), faults, *span))
    return readings


@lru_cache(maxsize=65536)
def _may_begin(wanted: str, heard: str, before: str) -> bool:
    """A match of a value whose first word is the wanted one may begin with the word that was heard."""
    return (
        wanted[0] == heard[0]
        or unaccented(wanted)[:1] == unaccented(heard)[:1]
        or (wanted, heard) in _ABBREVIATED
        or (heard, wanted) in _ABBREVIATED
        or NATO.get(heard) == wanted[0]
        or _alike(wanted, heard)
        or (len(before) > _SHORT and heard == before + wanted)
    )


def _alike(wanted: str, heard: str) -> bool:
    """The two sound alike, as words, as letters or as an extension."""
    return (
        sounds_alike(_SAID.get(wanted, wanted), _SAID.get(heard, heard))
        or LETTER_HOMOPHONES.get(heard) == wanted
        or LETTER_HOMOPHONES.get(wanted) == heard
        or wanted in EXTENSION_SOUNDS.get((heard,), ())
    )


def _neighbours(scene: Scene) -> tuple[str, str]:
    """The words of the script beside the value."""
    if scene.script is None or scene.slot is None:
        return "", ""
    norms, (start, end) = scene.script.norms, scene.slot
    return norms[start - 1] if start else "", norms[end] if end < len(norms) else ""


def _match_glued(
    target: tuple[Word, ...], words: list[Word], index: int, before: str, after: str
) -> tuple[int, Fault] | None:
    """A match whose first or last word is written in one with the script's word beside it: `a githubpull request`."""
    last = index + len(target) - 1
    if len(target) < 2 or last >= len(words):
        return None
    wanted, heard = [word.text for word in target], [word.text for word in words[index : last + 1]]
    first_glued = len(before) > _SHORT and heard == [before + wanted[0], *wanted[1:]]
    last_glued = len(after) > _SHORT and heard == [*wanted[:-1], wanted[-1] + after]
    return (len(target), Fault.SPLIT) if first_glued or last_glued else None


def _signed(scene: Scene, value: str, span: tuple[int, int], faults: Fault, low: int, high: int) -> Reading:
    """The verdict on the words of a text, and on the signs that belong to it."""
    if scene.intention.kind != "text":
        return _verdict(scene, value, span, faults)
    stream = scene.stream
    heard, *wider = signs_beside(stream, *span, value, low, high)
    own = tokenise(value)
    aligned = sum(token.kind != "symbol" for token in own.tokens) == sum(
        stream[index].kind != "symbol" for index in range(*span)
    )
    one = _verdict(scene, value, (wider[0], wider[1]), faults)
    wrong = compare_signs(signs_of(value), heard, aligned=aligned)
    if wrong is None or one.label is Label.CHANGED:
        return one
    return replace(one, label=Label.UNRESOLVED if scene.locating else wrong[0], reason=wrong[1])


@lru_cache(maxsize=1024)
def _own_fillers(value: str) -> frozenset[str]:
    """The fillers that are words of the value."""
    stream = tokenise(value)
    known = any(stream.phrase_at(index, _YOU_KNOW) for index in range(len(stream)))
    return frozenset(stream.norms) & FILLERS | ({"you"} if known else frozenset())


def _match_owner(scene: Scene, value: str, words: list[Word], index: int) -> tuple[int, Fault] | None:
    """The name with the ending of an owner (`Tamsin's`), where the speaker said it so, with or without apostrophe."""
    found = _match(words_of(tokenise(f"{value}'s"), _own_fillers(value)), words, index)
    if found is None or (scene.locating and not _is_owner(scene.stream, (0, words[index + found[0] - 1].end))):
        return None
    return found


def _is_owner(stream: Stream | None, span: tuple[int, int] | None) -> bool:
    return stream is not None and span is not None and stream[span[1] - 1].text.endswith(_POSSESSIVES)


def _match_symbols(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """A name with symbols (`C++`, `Node.js`): those at its ends are part of it, those inside need not be said."""
    readings = []
    for start in candidates(value, scene.stream, low, high):
        found = spell(value, scene.stream, start, high)
        allowed = Fault.SPLIT | Fault.BLANK | Fault.SEPARATOR | Fault.JOINED | Fault.SOUND
        if found is None or found.faults & ~allowed:
            continue
        ends = scene.stream.tokens[found.end - 1]
        if not value[-1].isalnum() and (
            ends.norm[-1:].isalnum() and symbol_at(scene.stream.norms, found.end - 1) is None
        ):
            continue
        if not goes_on_right(scene, found.end):
            sound = Label.UNRESOLVED, "another spelling of the same sound"
            verdict = sound if found.faults & Fault.SOUND else (Label.RETAINED, "the same name")
            readings.append(Reading(found.start, found.end, *verdict, found.faults))
    return readings


def _marks(value: str) -> frozenset[str]:
    """The symbols of a value; a quotation mark in whatever form."""
    symbols = {character for character in value if not character.isalnum() and not character.isspace()}
    return frozenset(symbols | ({'"'} if symbols & _QUOTES else set()))


def _names(stream: Stream, word: Word, marks: frozenset[str]) -> bool:
    """The word is the name of one of the marks, or a part of it (`question mark`)."""
    if not marks:
        return False
    starts = (word.start, word.start - 1) if word.start else (word.start,)
    return any(
        (named := symbol_at(stream.norms, start)) is not None and named[0] in marks and named[1] >= word.end
        for start in starts
    )


def _match(target: tuple[Word, ...], words: list[Word], index: int) -> tuple[int, Fault] | None:
    """How many words match the target from the index on, and with what doubt; None where they differ."""
    faults, count = Fault.NONE, 0
    place = 0
    while place < len(target):
        if index + count >= len(words):
            return None
        wanted, heard = target[place].text, words[index + count].text
        if (
            wanted == heard
            or wanted == words[index + count].raw
            or unaccented(wanted) == unaccented(heard)
            or (wanted, heard) in _ABBREVIATED
            or (heard, wanted) in _ABBREVIATED
        ):
            place, count = place + 1, count + 1
            continue
        joined = _joined(target, place, words, index + count)
        if joined is not None:
            place, count = place + joined[0], count + joined[1]
            faults |= Fault.SPLIT
            continue
        whole = _contracted(target, place, words, index + count)
        if whole is not None:
            place, count = place + whole[0], count + whole[1]
            faults |= whole[2]
            continue
        spelled = _nato(wanted, words, index + count)
        if spelled:
            place, count = place + 1, count + spelled
            continue
        if not _alike(wanted, heard):
            return None
        place, count = place + 1, count + 1
        faults |= Fault.SOUND
    return count, faults


def _joined(target: tuple[Word, ...], place: int, words: list[Word], index: int) -> tuple[int, int] | None:
    """Some words of the target are some words of the transcript written with other blanks."""
    if target[place].text[:1] != words[index].text[:1]:
        return None
    for left in range(1, _LONGEST_SPLIT):
        if place + left > len(target):
            return None
        wanted = "".join(word.text for word in target[place : place + left])
        for right in range(1, _LONGEST_SPLIT + 1):
            if index + right > len(words) or left == right == 1:
                continue
            heard = "".join(word.text for word in words[index : index + right])
            if wanted == heard:
                return left, right
            if len(heard) > len(wanted):
                break
    return None


def _contracted(target: tuple[Word, ...], place: int, words: list[Word], index: int) -> tuple[int, int, Fault] | None:
    """A contraction on one side (`it's`, `they're`) is one word of the other (`its`, `their`)."""
    for said, heard, step in ((target[place].text, words[index].contracted, (1, 2)),
                              (words[index].text, target[place].contracted, (2, 1))):  # fmt: skip
        if heard and said == heard:
            return *step, Fault.NONE
        if heard and sounds_alike(said, heard):
            return *step, Fault.SOUND
    return None


def _nato(wanted: str, words: list[Word], index: int) -> int:
    """How many words spell the wanted one by the alphabet; 0 where they do not."""
    letters = [NATO.get(word.text) for word in words[index : index + len(wanted)]]
    return len(wanted) if len(wanted) > 1 and letters == list(wanted) else 0


def _verdict(scene: Scene, value: str, span: tuple[int, int], faults: Fault) -> Reading:
    kind = scene.intention.kind
    if faults & Fault.SOUND and _is_other_value(scene, span):
        label, reason = Label.CHANGED, "a near name of the task stands there"
    elif faults & Fault.SOUND:
        label, reason = Label.UNRESOLVED, "another spelling of the same sound"
    elif faults & ~scene.forgiven & Fault.SPLIT and kind == "text" and not _letters(value):
        label, reason = Label.UNRESOLVED, "the words are joined or split in another way"
    elif scene.intention.case == "exact" and not scene.locating and (doubt := _exact(scene, value, span)):
        label, reason = doubt
    else:
        label, reason = Label.RETAINED, "the same words"
    return Reading(*span, label, reason, faults)


def _is_other_value(scene: Scene, span: tuple[int, int]) -> bool:
    heard = [word.text for word in words_of(scene.stream) if span[0] <= word.start and word.end <= span[1]]
    return any(heard == [word.text for word in words_of(tokenise(value))] for value in scene.others)


def _letters(value: str) -> bool:
    """The value is one token of letters and digits, which may be spelled."""
    return value.isalnum() and (value.isupper() or any(character.isdigit() for character in value))


def _exact(scene: Scene, value: str, span: tuple[int, int]) -> tuple[Label, str] | None:
    """Case and punctuation where they are exact."""
    start, end = scene.stream.span(*span)
    after = scene.stream.text[end:]
    heard, closing = scene.stream.text[start:end].replace("’", "'"), after[: len(after) - len(after.lstrip(".,;:!?"))]
    value = value.replace("’", "'")
    if value in (heard, heard + closing, heard + closing[:1]):
        return None
    if _plain(value) == _plain(heard):
        return Label.UNRESOLVED, "only punctuation or notation is in doubt"
    if not scene.stream.has_capital:
        return Label.UNRESOLVED, "the case is exact and the transcript does not show it"
    return Label.CHANGED, "the case is exact and another one stands there"


def _plain(text: str) -> str:
    stream = tokenise(text)
    texts = {token.start: token.text for token in stream.tokens if token.kind == "word"}
    return " ".join(texts.get(stream[word.start].start, word.text) for word in words_of(stream)).replace("'", "")
