"""What of an instruction no intention covers: a recogniser may lose it, and no score will tell.

English only, by closed lists and the readers of values that judge a transcript. What is looked for is what turns a
request into another one: a verb that has an opposite, a negation, a number with its unit, a date or a time, a quoted
text, a name in the notation of a program. Names of people and things, and verbs without an opposite, are left to the
author, who would be told of almost every task.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.judging.slots import find_slots
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.currencies import is_code, is_sign
from pytest_talk2agent.speech.dates import dates
from pytest_talk2agent.speech.days import month_names, relative_at, weekday_names
from pytest_talk2agent.speech.numerals import numeral_at
from pytest_talk2agent.speech.times import times
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.unit_phrases import unit_at
from pytest_talk2agent.speech.words import listed, stem
from pytest_talk2agent.tasks.intention import Intention

What = Literal["verb", "negation", "value"]
Span = tuple[int, int]

_OPPOSED = frozenset(
    listed("""
start stop open close shut enable disable activate deactivate allow deny permit forbid prohibit block unblock accept
reject decline refuse approve add remove delete erase exclude increase decrease raise lower reduce grow shrink expand
collapse enlarge lock unlock mute unmute hide pause resume cancel abort install uninstall mount unmount connect
disconnect detach encrypt decrypt compress decompress zip unzip upload download push pull merge split subscribe
unsubscribe unfollow pin unpin uncheck untick deselect archive unarchive restore revert undo redo buy sell hire fire
deposit withdraw publish unpublish suspend freeze unfreeze tighten loosen arm disarm grant revoke ban unban protect
unprotect extend shorten terminate
""")
)
"""Verbs of requests that have an opposite which is as likely a request."""

_SWITCHED = frozenset(listed("turn switch"))
_ENDS = frozenset(listed("and of in at"))
_SWITCHES = frozenset(listed("on off up down"))
_NEGATIONS = frozenset(listed("not never without except unless neither nor no"))
_TELLING = frozenset(listed("is are was were does did has have had can could would am"))
"""Before `not`, a statement rather than a demand."""

_BEFORE_VERB = frozenset(
    listed("and then please not never or also just should must will shall but so always now first")
)
_BEFORE_TO = frozenset(listed("want need like wish have me it him her them us you remember try tell ask how"))
_BEFORE_YOU = frozenset(listed("can could will would"))
_TELLERS = frozenset(
    listed("i we my our there here it its the this these those some he she they his her their currently recently")
)
"""First words of sentences that tell something and ask for nothing."""

_ASKING = re.compile(r"\b(?:please|(?:can|could|would|will) you|help|want|need|(?:would|'d) like|make sure)\b", re.I)
_SENTENCE = re.compile(r"[^\s](?:[^.?!\n]|[.?!](?!\s))*")
_NUMBERED = re.compile(r"^[ \t]*\(?\d{1,2}[.)](?=\s)", re.MULTILINE)
_QUOTED = re.compile(r"""(?<!\w)(?:"([^"\n]{1,200})"|“([^”\n]{1,200})”|‘([^’\n]{1,200})’|`([^`\n]{1,200})`)(?!\w)""")
_CHUNK = re.compile(r"\S+")
_AROUND = "\"'“”‘’`()[]{}<>,;:!?*"
_NAME = re.compile(
    r"""https?://\S+ | [\w.+-]+@[\w-]+\.[\w.-]+ | (?:~|\.{0,2})/\w\S* | --?[A-Za-z][\w-]*
      | [\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}(?:/\S*)? | \S*\w_\w\S* | _\w+ | \w+_ | v?\d+(?:\.\d+){2,}
      | [a-z]{3,}[A-Z][a-z]\w* | (?=[A-Za-z-]*\d)[A-Za-z][A-Za-z0-9-]*""",
    re.VERBOSE,
)
_ABBREVIATED = re.compile(r"e\.g|i\.e|[ap]\.m|\w\.\w", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Uncovered:
    """A piece of an instruction that lies in no intention; ``start`` is its character offset."""

    what: What
    text: str
    start: int


def uncovered(instruction: str, intentions: Mapping[str, Intention]) -> tuple[Uncovered, ...]:
    """What no intention covers, in the order of the instruction; nothing where that is not in English."""
    if _CJK.search(instruction):
        return ()
    stream = tokenise(instruction)
    return tuple(_Coverage(stream, intentions).holes())


class _Coverage:
    """The tokens of an instruction that some intention is judged by."""

    def __init__(self, stream: Stream, intentions: Mapping[str, Intention]) -> None:
        self.stream = stream
        self.starts = [token.start for token in stream.tokens]
        self.ends = [token.end for token in stream.tokens]
        self.exact: set[int] = set()
        """Tokens that are a value, or a keyword in its place."""
        self.words = {
            stem(word)
            for intention in intentions.values()
            for text in (*intention.say, *(key for group in intention.keywords for key in group))
            for word in tokenise(text).norms
        }
        self.clauses: set[int] = set()
        """Tokens of the clause of a gist, whose polarity is judged."""
        for (name, number), slot in find_slots(intentions, stream).items():
            intention = intentions[name]
            if intention.kind != "gist":
                self._add_value(intention, number, slot.core if slot else None)
            elif slot is not None:
                self._add_gist(intention, (slot.start, slot.end), slot.core)

    def _add_value(self, intention: Intention, number: int, core: Span | None) -> None:
        """The place of a value, and the others that say the same."""
        if core is not None:
            self.exact.update(range(*core))
        for reading in read_value(Scene(intention, self.stream, locating=True), number, 0, len(self.stream)):
            if reading.label is Label.RETAINED:
                self.exact.update(range(reading.start, reading.end))

    def _add_gist(self, intention: Intention, clause: Span, core: Span) -> None:
        words = {stem(word) for text in intention.say for word in tokenise(text).norms}
        keys = {stem(word) for group in intention.keywords for text in group for word in tokenise(text).norms}
        low, high = min(clause[0], core[0]), max(clause[1], core[1])
        self.clauses.update(range(low, high))
        for index in range(low, high):
            if stem(self.stream.norms[index]) in (keys or words):
                self.exact.add(index)

    def holes(self) -> Iterator[Uncovered]:
        """Every hole, in order; no two of them overlap."""
        taken: set[int] = set()
        found: list[tuple[What, Span]] = []
        for what, (start, end) in self._candidates():
            if taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                if not self._is_covered(what, start, end):
                    found.append((what, (start, end)))
        told = self._told()
        for what, (start, end) in sorted(found, key=lambda hole: hole[1]):
            low, high = self.stream.span(*(self._in_its_phrase(start) if what == "negation" else (start, end)))
            if not any(first <= low < last for first, last in told):
                yield Uncovered(what, " ".join(self.stream.text[low:high].split()), low)

    def _in_its_phrase(self, index: int) -> Span:
        """A negation with the `do` before it and the word after it."""
        start, end = index, index + 1
        if index and self.stream.norms[index - 1] == "do":
            start -= 1
        if end < len(self.stream) and not self.stream[end].paused:
            end += 1
        return start, end

    def _told(self) -> list[Span]:
        """The sentences that tell something and ask for nothing, as character offsets."""
        found = []
        for match in _SENTENCE.finditer(self.stream.text):
            words = tokenise(match[0]).norms
            if words and words[0] in _TELLERS and not _ASKING.search(match[0]):
                found.append(match.span())
        return found

    def _is_covered(self, what: What, start: int, end: int) -> bool:
        if what == "negation":
            return not (self.exact | self.clauses).isdisjoint(range(start, end))
        if what == "value":
            return not self.exact.isdisjoint(range(start, end))
        stems = {stem(self.stream.norms[index]) for index in (start, end - 1)}
        return stems <= self.words

    def _candidates(self) -> Iterator[tuple[What, Span]]:
        """What may be a hole; an earlier one takes its tokens from the later ones."""
        stream = self.stream
        for match in _QUOTED.finditer(stream.text):
            if any(map(str.isalnum, match[0])) and (span := self._tokens(*match.span())):
                yield "value", span
        for match in _CHUNK.finditer(stream.text):
            name = match[0].strip(_AROUND).rstrip(".")
            if _NAME.fullmatch(name) and not _ABBREVIATED.fullmatch(name):
                start = match.start() + match[0].index(name)
                if span := self._tokens(start, start + len(name)):
                    yield "value", span
        for date in dates(stream, 0, len(stream)):
            if any(day.month or day.named for day in date.days):
                yield "value", (date.start, date.end)
        for time in times(stream, 0, len(stream)):
            if time.marked or time.relative:
                yield "value", (time.start, time.end)
        yield from self._numbers()
        for index, word in enumerate(stream.norms):
            day = relative_at(stream, index) is not None or (word in weekday_names() and len(word) > 4)
            if day or self._is_month(index):
                yield "value", (index, index + 1)
            elif word in _NEGATIONS and self._demands(index):
                yield "negation", (index, index + 1)
            elif self._is_verb(index):
                yield "verb", (index, self._end_of_verb(index))

    def _numbers(self) -> Iterator[tuple[What, Span]]:
        stream, index = self.stream, 0
        numbered = {
            token
            for match in _NUMBERED.finditer(stream.text)
            for token in range(*(self._tokens(*match.span()) or (0, 0)))
        }
        while index < len(stream):
            number = None if index in numbered else numeral_at(stream, index)
            if number is None:
                index += 1
                continue
            end = number.end
            start = (
                index - 1 if index and (is_sign(stream.norms[index - 1]) or is_code(stream.norms[index - 1])) else index
            )
            unit = end < len(stream) and unit_at(stream, end) is not None and stream.norms[end] not in ("a", "in")
            if unit and self.exact.issuperset(range(start, end)) and end not in self.exact:
                yield "value", (end, end + 1)
            elif (stream.norms[index:end] != ("one",) or unit) and stream.norms[index] not in ("a", "an"):
                yield "value", (start, end + unit)
            index = end

    def _is_month(self, index: int) -> bool:
        word = self.stream.norms[index]
        return word in month_names() and len(word) > 3 and word != "march" and self.stream[index].text.istitle()

    def _demands(self, index: int) -> bool:
        """A negation that the agent is to heed: no statement, no answer."""
        norms, before = self.stream.norms, self.stream.norms[index - 1] if index else ""
        if norms[index] == "no":
            return (
                index + 1 < len(norms) and not self.stream[index + 1].paused and self.stream[index + 1].kind == "word"
            )
        if norms[index] == "not" and before == "do":
            return self._begins(index - 1) or norms[index - 2] in _BEFORE_VERB
        return norms[index] != "not" or before not in _TELLING

    def _is_verb(self, index: int) -> bool:
        word = self.stream.norms[index]
        if word in _SWITCHED:
            return self._stands_as_verb(index) and self._end_of_verb(index) > index + 1
        return word in _OPPOSED and self._stands_as_verb(index)

    def _stands_as_verb(self, index: int) -> bool:
        """At the beginning of a clause, or after words that a request follows."""
        norms = self.stream.norms
        before, first = (norms[place] if place >= 0 else "" for place in (index - 1, index - 2))
        return (
            self._begins(index)
            or before in _BEFORE_VERB
            or (before == "to" and first in _BEFORE_TO)
            or (before == "you" and first in _BEFORE_YOU)
        )

    def _begins(self, index: int) -> bool:
        return index == 0 or self.stream[index].paused

    def _end_of_verb(self, index: int) -> int:
        """Behind the ``on`` or ``off`` that belongs to a verb, else behind the verb."""
        if self.stream.norms[index] in _SWITCHED:
            for end in range(index + 1, min(index + 6, len(self.stream))):
                if self.stream[end].paused or self.stream.norms[end] in _ENDS:
                    break
                if self.stream.norms[end] in _SWITCHES:
                    return end + 1
        return index + 1

    def _tokens(self, low: int, high: int) -> Span | None:
        """The tokens of a span of characters; None where it has none."""
        start, end = bisect_right(self.ends, low), bisect_left(self.starts, high)
        return (start, end) if start < end else None
