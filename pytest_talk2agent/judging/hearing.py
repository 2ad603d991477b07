"""The transcript as a whole: emptiness, loops, answers, marks for what was not understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import eq

from pytest_talk2agent.judging.alignment import Alignment, is_like, keys_of
from pytest_talk2agent.judging.answers import content_of, without_answers
from pytest_talk2agent.speech.numerals import UNITS, group_at, is_numeric
from pytest_talk2agent.speech.symbols import LETTER_HOMOPHONES, NUMBER_HOMOPHONES, symbol_at
from pytest_talk2agent.speech.tokens import Stream, Token
from pytest_talk2agent.speech.words import CORRECTIONS, FILLERS, INAUDIBLE

EMPTY_TRANSCRIPT, ANSWERED, OTHER_TEXT, REPETITION, INSERTED, WORD_LIST = (
    "empty_transcript",
    "answered",
    "other_text",
    "repetition",
    "inserted",
    "word_list",
)
_LONGEST_LOOP = 40
_LONGEST_STUTTER = 5
_SIZES = frozenset(("capital", "uppercase", "lowercase"))  # before a spelled letter


@dataclass(frozen=True)
class Heard:
    """What is left of a transcript to be judged, and the states seen on the way."""

    stream: Stream
    flags: tuple[str, ...]


def hear(transcript: Stream, script: Stream) -> Heard:
    """Take out marks of the inaudible, later rounds of loops, and sentences that answer instead of asking."""
    flags = []
    stream = _without_fillers(_without_marks(transcript), script)
    if not any(token.kind != "symbol" for token in stream.tokens):
        return Heard(Stream(transcript.text, ()), (EMPTY_TRANSCRIPT,))
    looped = _without_loops(_without_stutters(stream, script), script)
    if len(looped) < len(stream):
        flags.append(REPETITION)
    asked = without_answers(looped, script)
    if len(asked) < len(looped):
        flags.append(ANSWERED)
    return Heard(asked, tuple(flags))


def _without_fillers(stream: Stream, script: Stream) -> Stream:
    """Drop `um` and `you know` where the script has none, keep the pause before them and drop the one behind."""
    said = set(script.norms)
    tokens: list[Token] = []
    lead: str | None = None
    index = 0
    while index < len(stream):
        token = stream[index]
        length = 2 if stream.phrase_at(index, ("you", "know")) and "know" not in said else 0
        length = length or (token.norm in FILLERS and token.norm not in said)
        if length:
            lead = token.lead if lead is None else lead
            index += length
            continue
        tokens.append(token if lead is None else replace(token, lead=lead or " "))
        lead = None
        index += 1
    return stream if len(tokens) == len(stream) else Stream(stream.text, tuple(tokens))


def _without_marks(stream: Stream) -> Stream:
    """Drop `[inaudible]` and its like; a bracket with other words keeps them."""
    gone: list[tuple[int, int]] = []
    opened: int | None = None
    for index, token in enumerate(stream.tokens):
        if token.norm in "[(<*♪":
            if opened is not None and token.norm == stream.norms[opened]:
                _drop_mark(stream, opened, index, gone)
                opened = None
            else:
                opened = index
        elif token.norm in "])>" and opened is not None:
            _drop_mark(stream, opened, index, gone)
            opened = None
    return stream.without(gone) if gone else stream


def _drop_mark(stream: Stream, opened: int, closed: int, gone: list[tuple[int, int]]) -> None:
    inside = stream.norms[opened + 1 : closed]
    if not any(word in INAUDIBLE for word in inside):
        return
    if all(word in INAUDIBLE or word == "_" for word in inside):
        gone.append((opened, closed + 1))
    else:
        gone.extend(
            (index, index + 1)
            for index in range(opened, closed + 1)
            if stream.norms[index] in INAUDIBLE or (stream[index].kind == "symbol" and index in (opened, closed))
        )


def _without_stutters(stream: Stream, script: Stream) -> Stream:
    """Keep the second of two phrases that stand twice in a row, where the speaker said them once.

    Numbers, letters, symbols and words of correction may well be meant twice.
    """
    norms, gone, index = stream.norms, [], 0
    while index < len(norms):
        for length in range(min(_LONGEST_STUTTER, (len(norms) - index) // 2), 0, -1):
            words = norms[index : index + length]
            if words == norms[index + length : index + 2 * length] and _is_stutter(words, script):
                # A third time in a row is a loop.
                if norms[index + 2 * length : index + 3 * length] != words:
                    gone.append((index, index + length))
                    index += length - 1
                break
        index += 1
    return stream.without(gone) if gone else stream


def _is_stutter(words: tuple[str, ...], script: Stream) -> bool:
    spelled, said = _letters_of(script)
    plain = all(
        len(word) > 1
        and word.isalpha()
        and not is_numeric(word)
        and word != "oh"
        and word not in NUMBER_HOMOPHONES
        and not (spelled and word in LETTER_HOMOPHONES)
        and symbol_at((word,), 0) is None
        and (word,) not in CORRECTIONS
        for word in words
    )
    return plain and "".join(words + words) not in said


@lru_cache(maxsize=64)
def _letters_of(script: Stream) -> tuple[bool, str]:
    """Whether the script spells letters, and its words in one.

    `DuckDuckGo` is written in one word or in three, `a new sheet (Sheet2)` with a symbol between.
    """
    spelled = any(len(word) == 1 and word not in "ai" for word in script.norms)
    return spelled, "".join(token.norm for token in script.tokens if token.kind != "symbol")


def _rounds(length: int) -> int:
    """How often a phrase must stand in a row to be a loop."""
    return 6 if length == 1 else 4 if length == 2 else 3


def _without_loops(stream: Stream, script: Stream) -> Stream:
    """Keep one round of every phrase that is repeated in a row, none of a number that the script does not have.

    Numbers and letters that the script itself repeats as often are meant so.
    """
    norms = stream.norms
    gone: list[tuple[int, int]] = []
    index_gone = bytearray(len(norms))
    for length in range(1, min(_LONGEST_LOOP, len(norms) // 2) + 1):
        for start, index in _runs(norms, length, length * (_rounds(length) - 1)):
            words = norms[start - length : start]
            if index_gone[start] or not any(word[0].isalnum() for word in words):
                continue
            letters = tuple(word for word in words if word not in _SIZES)
            spelled = bool(letters) and all((len(word) == 1 and word.isascii()) or is_numeric(word) for word in letters)
            if spelled and _is_repeated(words, script):
                continue
            begin = start - length if spelled and not _has_numbers(stream, start - length, start, script) else start
            gone.append((begin, index))
            index_gone[begin:index] = b"\x01" * (index - begin)
    return stream.without(gone) if gone else stream


def _runs(norms: tuple[str, ...], distance: int, least: int) -> Iterator[tuple[int, int]]:
    """Stretches of so many tokens at least that are the tokens before them at a distance."""
    same = bytes(map(eq, norms[distance:], norms))
    at = same.find(b"\x01" * least)
    while at >= 0:
        end = same.find(b"\x00", at)
        end = len(same) if end < 0 else end
        yield at + distance, end + distance
        at = same.find(b"\x01" * least, end)


def _is_repeated(words: tuple[str, ...], script: Stream) -> bool:
    """The script says the numbers or letters as often in a row as makes a loop."""
    once = "".join(_as_digit(word) for word in words if word not in _SIZES)
    return once * _rounds(len(words)) in "".join(_as_digit(word) for word in script.norms)


def _as_digit(word: str) -> str:
    return str(UNITS[word]) if word in UNITS else word


def _has_numbers(stream: Stream, low: int, high: int, script: Stream) -> bool:
    """All numbers between two tokens are numbers of the script; letters are always taken to be."""
    said = {group.value for index in range(len(script)) if (group := group_at(script, index)) is not None}
    index = low
    while index < high:
        group = group_at(stream, index)
        if group is not None and group.value not in said:
            return False
        index = index + 1 if group is None else group.end
    return True


def is_other_text(transcript: Stream, script: Stream, alignment: Alignment, values: set[int]) -> bool:
    """Hardly a word of the transcript is like the script's: it is no rendering of the request.

    ``values`` are the tokens of the script that say values. Half of the words around them make it the request, however
    long and mangled they are.
    """
    around = [index for index in content_of(script) if index not in values]
    if around and 2 * sum(alignment.exact[index] for index in around) >= len(around):
        return False
    content = content_of(transcript)
    left, right = keys_of(script), keys_of(transcript)
    partners = {pair: index for index, pair in enumerate(alignment.pairs) if pair >= 0}
    heard = sum(index in partners and _renders(left[partners[index]], right[index]) for index in content)
    return heard * 5 < len(content) and heard * 5 < len(content_of(script))


def _renders(said: str, heard: str) -> bool:
    return is_like(said, heard) or (is_numeric(said) and is_numeric(heard))


def is_inserted(transcript: Stream, alignment: Alignment) -> bool:
    """Much text stands there that the source does not have."""
    extra = sum(index not in alignment.taken for index in content_of(transcript))
    return extra > 8 and 5 * extra > 2 * len(alignment.pairs)
