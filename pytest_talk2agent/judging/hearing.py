"""The transcript as a whole: emptiness, loops, answers, marks for what was not understood."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pytest_talk2agent.judging.alignment import Alignment, is_like, keys_of
from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.tokens import Stream, Token
from pytest_talk2agent.speech.words import EMPTY, FILLERS, INAUDIBLE, listed, stem

EMPTY_TRANSCRIPT, ANSWERED, REPETITION, INSERTED, WORD_LIST = (
    "empty_transcript",
    "answered",
    "repetition",
    "inserted",
    "word_list",
)
_LONGEST_LOOP = 40
_ENDS = frozenset(".!?。！？\n")
_ACKNOWLEDGE = frozenset(
    listed("sure certainly absolutely okay ok yes right great alright well so course of no problem")
)
_ANSWERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in (
        "done", "all done", "all set", "here is", "here are", "i am sorry", "i am afraid", "i am unable",
        "i am not able", "i can not", "i could not", "i do not have", "i will not be able", "is there anything",
        "let me know if", "thank you", "thanks for", "would you like", "do you want me", "as an ai", "unfortunately",
        "you are welcome", "glad to", "happy to help", "do not forget to subscribe", "please subscribe", "subscribe",
        "see you", "bye", "goodbye", "got it", "the answer is", "that is done", "i just", "sorry i", "sorry but",
        "like and subscribe", "i hope this", "i hope that", "how can i", "what would you", "anything else",
        "can i help", "you can", "you could", "you should", "this will", "it is done", "your request",
        "task completed", "thanks", "i would be happy", "i did",
    )
)  # fmt: skip
_PAST = frozenset(
    listed("set put sent made wrote ran did found took gave began kept got built cut read left done written taken run")
)
_WISHES = frozenset(("wanted", "needed", "hoped", "wished", "meant"))
_PERFECT = frozenset(("has", "have"))


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
    looped = _without_loops(stream)
    if len(looped) < len(stream):
        flags.append(REPETITION)
    asked = _without_answers(looped, script)
    if len(asked) < len(looped):
        flags.append(ANSWERED)
    return Heard(asked, tuple(flags))


def _without_fillers(stream: Stream, script: Stream) -> Stream:
    """Drop `um` and `you know` where the script has none; the pause before them stays, the one behind them goes."""
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
        gone.extend((index, index + 1) for index in range(opened, closed + 1) if stream.norms[index] in INAUDIBLE)


def _rounds(length: int) -> int:
    """How often a phrase must stand in a row to be a loop."""
    return 6 if length == 1 else 4 if length == 2 else 3


def _without_loops(stream: Stream) -> Stream:
    """Keep one round of every phrase that is repeated in a row."""
    norms = stream.norms
    gone: list[tuple[int, int]] = []
    index_gone = bytearray(len(norms))
    for length in range(1, min(_LONGEST_LOOP, len(norms) // 2) + 1):
        run = 0
        for index in range(length, len(norms) + 1):
            if index < len(norms) and norms[index] == norms[index - length]:
                run += 1
                continue
            if run >= length * (_rounds(length) - 1):
                start, words = index - run, norms[index - run - length : index - run]
                spelled = all((len(word) == 1 and word.isascii()) or is_numeric(word) for word in words)
                if not index_gone[start] and not spelled and any(word[0].isalnum() for word in words):
                    gone.append((start, index))
                    index_gone[start:index] = b"\x01" * (index - start)
            run = 0
    return stream.without(gone) if gone else stream


def _sentences(stream: Stream) -> list[tuple[int, int]]:
    starts = [index for index, token in enumerate(stream.tokens) if index == 0 or _ENDS & set(token.lead.strip(" \t"))]
    return list(zip(starts, [*starts[1:], len(stream)], strict=True))


def _without_answers(stream: Stream, script: Stream) -> Stream:
    """Leave out the sentences that answer, and what goes on behind them in words that are mostly not the script's."""
    gone: list[tuple[int, int]] = []
    stems = set(map(stem, script.norms))
    for start, end in _sentences(stream):
        follows = bool(gone) and gone[-1][1] == start
        if _is_answer(stream, start, end, script) or (follows and _is_own_text(stream, start, end, stems)):
            gone.append((start, end))
    return stream.without(gone) if gone else stream


def _is_own_text(stream: Stream, start: int, end: int, stems: set[str]) -> bool:
    words = [token.norm for token in stream.tokens[start:end] if token.kind == "word" and token.norm not in EMPTY]
    return 5 * sum(stem(word) in stems for word in words) < 3 * len(words)


def _is_answer(stream: Stream, start: int, end: int, script: Stream) -> bool:
    """The sentence reports, refuses, offers or signs off, and the script does not begin a sentence so."""
    norms = stream.norms[start:end]
    said = set(script.norms)
    at = 0
    while at < len(norms) and norms[at] in _ACKNOWLEDGE and norms[at] not in said:
        at += 1
    rest = norms[at:]
    if not rest:
        return at > 0
    for phrase in _ANSWERS:
        if rest[: len(phrase)] == phrase and not _says(script, phrase):
            return True
    if rest[0] == "i" and len(rest) > 1 and not _says(script, rest[:2]):
        verb = rest[1] if rest[1] not in ("have", "just", "already") else (*rest[2:], "")[0]
        if _is_past(verb, said):
            return True
    report = any(
        (word in _PERFECT and norms[index + 1 : index + 2] == ("been",) and "been" not in said)
        or (word in ("is", "are") and norms[index + 1 : index + 2] == ("now",) and "now" not in said)
        for index, word in enumerate(norms)
    )  # fmt: skip
    deeds = [word for word in rest if word.endswith("ed") and _is_past(word, said)]
    began = bool(deeds) and deeds[0] == rest[0] and stem(rest[0]) in map(stem, said)
    doing = rest[0].endswith("ing") and rest[0] not in said and "now" in rest and "now" not in said
    return (
        report or (doing and stem(rest[0]) in map(stem, said)) or (began and (len(deeds) > 1 or "successfully" in rest))
    )


def _is_past(word: str, said: set[str]) -> bool:
    return (word not in _WISHES and (word.endswith("ed") and len(word) > 4 and word not in said)) or word in _PAST


def _says(script: Stream, phrase: tuple[str, ...]) -> bool:
    norms = script.norms
    return any(norms[index : index + len(phrase)] == phrase for index in range(len(norms) - len(phrase) + 1))


def _content(stream: Stream) -> list[int]:
    return [i for i, token in enumerate(stream.tokens) if token.kind != "symbol" and token.norm not in EMPTY]


def is_other_text(transcript: Stream, script: Stream, alignment: Alignment) -> bool:
    """Hardly a word of the transcript is like the script's: it is no rendering of the request."""
    content = _content(transcript)
    left, right = keys_of(script), keys_of(transcript)
    partners = {pair: index for index, pair in enumerate(alignment.pairs) if pair >= 0}
    heard = sum(index in partners and _renders(left[partners[index]], right[index]) for index in content)
    return heard * 5 < len(content) and heard * 5 < len(_content(script))


def _renders(said: str, heard: str) -> bool:
    return is_like(said, heard) or (is_numeric(said) and is_numeric(heard))


def is_word_list(transcript: Stream, script: Stream, alignment: Alignment, slots: set[int]) -> bool:
    """Only values came across: of the words around them, verbs among them, not one that counts."""
    around = [index for index in _content(script) if index not in slots]
    if len(around) < 2 or any(alignment.pairs[index] >= 0 for index in around):
        return False
    content = _content(transcript)
    inside = {pair for index, pair in enumerate(alignment.pairs) if index in slots and pair >= 0}
    return len(content) > 0 and 2 * sum(index in inside for index in content) >= len(content)


def is_inserted(transcript: Stream, alignment: Alignment) -> bool:
    """Much text stands there that the source does not have."""
    extra = sum(index not in alignment.taken for index in _content(transcript))
    return extra > 8 and 5 * extra > 2 * len(alignment.pairs)
