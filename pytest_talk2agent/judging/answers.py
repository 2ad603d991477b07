"""Sentences that answer a request, report on it or end the talk, and transcripts that are bare lists of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_talk2agent.judging.alignment import Alignment
from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import EMPTY, listed, phrases_of, stem

_ENDS = frozenset(".!?。！？\n")
_ACKNOWLEDGE = frozenset(
    listed("sure certainly absolutely okay ok yes right great alright well so course of no problem hello hi hey")
)
_POLITE = frozenset(listed("please could can would you i want need like to now also just then and we let us us"))
_ANSWERS = phrases_of(__package__, "answer_phrases.txt")
_PAST = frozenset(
    listed(
        "set put sent made wrote ran did found took gave began kept got built cut read left done written taken run "
        "begun paid bought sold drawn hidden shown"
    )
)
_WISHES = frozenset(("wanted", "needed", "hoped", "wished", "meant"))
_PERFECT = frozenset(("has", "have"))
_BE = frozenset(("is", "are", "was", "were", "been"))
_PROMISES = (("i", "will"), ("we", "will"), ("i", "am"), ("let", "me"), ("i", "can"))
_QUESTIONS = frozenset(listed("what who where how which why is are does"))
_SMALL_WORDS = frozenset(listed("from by into onto until till after before not no but or if when over under my your"))
_LEAST_WORDS = 8  # a request has more than one small word in so many


def without_answers(stream: Stream, script: Stream) -> Stream:
    """Leave out the sentences that answer, and what follows them without asking for anything."""
    gone: list[tuple[int, int]] = []
    answered, asked = False, 0
    stems, starts = set(map(stem, script.norms)), _starts(script)
    for start, end in _sentences(stream):
        norms = stream.norms[start:end]
        follows = bool(gone) and gone[-1][1] == start
        own = follows and _is_own_text(stream, start, end, stems)
        goes_on = follows and answered and not _asks(norms, starts)
        promises = 2 * asked >= len(content_of(script)) and _promises(norms, script)
        only_polite, answers = _answers(norms, script, starts)
        if only_polite or answers or own or goes_on or promises:
            gone.append((start, end))
            answered = answers or promises or (answered and follows)
        else:
            asked += end - start
    return stream.without(gone) if gone else stream


def _promises(norms: tuple[str, ...], script: Stream) -> bool:
    """`Sure, I will print ...`: an answer where the request itself was heard before."""
    rest = tuple(word for word in norms if word not in _ACKNOWLEDGE)
    return any(rest[: len(phrase)] == phrase and not _says(script, phrase) for phrase in _PROMISES)


def _sentences(stream: Stream) -> list[tuple[int, int]]:
    starts = [index for index, token in enumerate(stream.tokens) if index == 0 or _ENDS & set(token.lead.strip(" \t"))]
    return list(zip(starts, [*starts[1:], len(stream)], strict=True))


def _starts(script: Stream) -> frozenset[str]:
    """Stems of the words that begin a clause of the script: its verbs, as a request is made of commands.

    A word before a number or a letter names what follows (`version two`) and is none.
    """
    starts, fresh = set(), True
    for index, word in enumerate(script.norms):
        fresh = fresh or script[index].paused
        if word in _POLITE or word in _ACKNOWLEDGE:
            fresh = fresh or word in ("and", "then")
            continue
        following = script.norms[index + 1] if index + 1 < len(script) else ""
        names = not word[0].isalpha() or len(word) == 1 or is_numeric(following) or len(following) == 1
        if fresh and (index == 0 or not names):
            starts.add(stem(word))
        fresh = False
    return frozenset(starts)


def _asks(norms: tuple[str, ...], starts: frozenset[str]) -> bool:
    """The sentence begins as a clause of the script does."""
    first = next((word for word in norms if word not in _POLITE and word not in _ACKNOWLEDGE), "")
    return stem(first) in starts and not (first.endswith("ed") and first not in starts)


@lru_cache(maxsize=64)
def content_of(stream: Stream) -> tuple[int, ...]:
    """Indices of the tokens that are neither symbols nor words that add nothing."""
    return tuple(i for i, token in enumerate(stream.tokens) if token.kind != "symbol" and token.norm not in EMPTY)


def _is_own_text(stream: Stream, start: int, end: int, stems: set[str]) -> bool:
    words = [token.norm for token in stream.tokens[start:end] if token.kind == "word" and token.norm not in EMPTY]
    return 5 * sum(stem(word) in stems for word in words) < 3 * len(words)


def _renders(norms: tuple[str, ...], script: Stream) -> bool:
    """The sentence has at least half of the script's content words in their order: it is the request."""
    said = [stem(script.norms[index]) for index in content_of(script)]
    heard = [stem(word) for word in norms if word not in EMPTY and word[0].isalnum()]
    return bool(said) and 2 * len(heard) >= len(said) and 2 * _common(said, heard) >= len(said)


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence, by bits (Hyyro 2004): one step for each word of the right."""
    places: dict[str, int] = {}
    for index, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << index
    whole = (1 << len(left)) - 1
    row = whole
    for word in right:
        match = row & places.get(word, 0)
        row = (row + match) | (row - match)
    return len(left) - (row & whole).bit_count()


def _answers(norms: tuple[str, ...], script: Stream, starts: frozenset[str]) -> tuple[bool, bool]:
    """Whether the sentence is a word of assent alone; whether it reports, refuses, offers or signs off.

    Neither where the script begins a sentence so.
    """
    said = set(script.norms)
    at = 0
    while at < len(norms) and (
        (norms[at] in _ACKNOWLEDGE and norms[at] not in said) or (at and norms[at] in ("and", "there"))
    ):
        at += 1
    rest = norms[at:]
    if not rest:
        return at > 0, False
    if any(rest[: len(phrase)] == phrase and not _says(script, phrase) for phrase in _ANSWERS):
        return False, True
    if rest[0] in ("i", "we") and len(rest) > 1 and not _says(script, rest[:2]):
        verb = rest[1] if rest[1] not in ("have", "just", "already") else (*rest[2:], "")[0]
        # `We saved` may be a misheard `Please save`; an auxiliary or a word of assent is no such thing.
        if _is_past(verb, said) and not (at == 0 and verb == rest[1] and _renders(norms, script)):
            return False, True
    return False, _tells(rest, script) or (_reports(rest, script, said, starts) and not _renders(norms, script))


def _tells(rest: tuple[str, ...], script: Stream) -> bool:
    """A statement with words of its own where the script is a question."""
    first = script.norms[0] if script.norms else ""
    if first not in _QUESTIONS or first in rest or rest[0] in _QUESTIONS:
        return False
    stems = set(map(stem, script.norms))
    new = [word for word in rest if word not in EMPTY and stem(word) not in stems]
    return len(new) > 1 and any(word in _BE or word == "will" for word in rest)


def _reports(rest: tuple[str, ...], script: Stream, said: set[str], starts: frozenset[str]) -> bool:
    """The sentence says that a thing is done."""
    stems = set(map(stem, said))
    for index, word in enumerate(rest):
        following = rest[index + 1 : index + 2]
        if (word in _PERFECT and following == ("been",) and "been" not in said) or (
            word in ("is", "are") and following == ("now",) and "now" not in said
        ):
            return True
        done = [
            each
            for each in rest[index + 1 : index + 3]
            if _is_past(each, said) and stem(each) in stems and not _says(script, (word, each))
        ]
        if word in _BE and done and not _asks(rest, starts):
            return True
        going = [each for each in following if each not in said and (each.endswith("ing") or _is_past(each, said))]
        if word in _BE - said and going and not any(stem(each) in starts for each in rest[:index]):
            return True  # `the oven is heating up`
    if rest[0] == "to" and stem("".join(rest[1:2])) in starts and not _says(script, rest[:2]):
        return True  # `To bake a loaf, ...` explains how
    if rest[0] == "your" and "your" not in said and any(word in _BE | _PERFECT for word in rest):
        return True
    verbs = {word for word in rest if stem(word) in starts and word in said}
    if rest[0] in said - verbs and verbs <= {"set"}:
        past = [word for word in rest[1:] if word.endswith("ed") and _is_past(word, said) and stem(word) in stems]
        if past or (rest[1:2] == ("set",) and not _says(script, rest[:2])):
            return True  # `Timer set for nine minutes`, `Table for two booked`
    deeds = [word for word in rest if word.endswith("ed") and _is_past(word, said)]
    began = bool(deeds) and deeds[0] == rest[0] and stem(rest[0]) in stems
    doing = rest[0].endswith("ing") and rest[0] not in said and "now" in rest and "now" not in said
    if "successfully" in rest and "successfully" not in said and bool(deeds or _BE & set(rest)):
        return True
    return (doing and stem(rest[0]) in stems) or (began and len(deeds) > 1)


def _is_past(word: str, said: set[str]) -> bool:
    return (word not in _WISHES and (word.endswith("ed") and len(word) > 4 and word not in said)) or word in _PAST


def _says(script: Stream, phrase: tuple[str, ...]) -> bool:
    return f" {' '.join(phrase)} " in _text_of(script)


@lru_cache(maxsize=64)
def _text_of(script: Stream) -> str:
    return f" {' '.join(script.norms)} "


def is_word_list(transcript: Stream, script: Stream, alignment: Alignment, slots: set[int]) -> bool:
    """Names and values stand there without a verb or a small word that would make a request of them."""
    around = [index for index in content_of(script) if index not in slots]
    content = content_of(transcript)
    if not content or len(around) < 2:
        return False
    inside = {pair for index, pair in enumerate(alignment.pairs) if index in slots and pair >= 0}
    only_values = 2 * sum(index in inside for index in content) >= len(content)
    if only_values and not any(alignment.pairs[index] >= 0 for index in around):
        return True
    if len(content) < 2 or 5 * len(content) > 3 * len(content_of(script)):
        return False
    starts, said = _starts(script), set(map(stem, script.norms))
    small = [word for word in transcript.norms if word in EMPTY or word in _SMALL_WORDS]
    if len(small) * _LEAST_WORDS > len(content) or stem(transcript.norms[0]) in starts:
        return False
    verbs = [index for index in content if stem(transcript.norms[index]) in starts]
    own = sum(stem(transcript.norms[index]) in said or index in inside for index in content)
    return not verbs and 4 * own >= 3 * len(content)
