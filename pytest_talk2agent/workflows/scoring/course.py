"""The course of a session, as assertions ask for it: what the user heard and when, moments, results in force.

Only what was delivered before a barge-in counts as said. Where a phrase stands in a clip says when it was heard, word
by word. Order is that of the media timeline, then that of the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pytest_talk2agent.judging.reading import Fault
from pytest_talk2agent.judging.spelling import candidates, spell
from pytest_talk2agent.speech.dates import Day, dates
from pytest_talk2agent.speech.measures import Measure, measures
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.tasks.exact import exact
from pytest_talk2agent.workflows.scoring.assertion_spec import Words
from pytest_talk2agent.workflows.scoring.predicates import value_at
from pytest_talk2agent.workflows.scoring.trace import Clip, ToolCall, Trace

Place = tuple[int, int]
"""A moment of the media timeline in milliseconds, and the number of its log event."""

_OTHER_SPELLING = Fault.SIMILAR | Fault.SOUND | Fault.SUM
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|\n")
_OURS = frozenset(("user", "agent"))


@dataclass(frozen=True)
class Said:
    """A phrase that the user heard: when its last word was, and in which words."""

    place: Place
    words: str


@dataclass(frozen=True)
class Moment:
    """When something began and was over: a call and its result, a phrase and its end."""

    begin: Place
    done: Place


class Course:
    """One session."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.heard: list[tuple[Clip, Stream]] = [(clip, tokenise(clip.heard)) for clip in trace.heard_by_user]

    def moment(self, name: str) -> Moment | None:
        """A moment by its name (see `assertion_spec`); None where the session did not reach it."""
        sort, _, what = name.partition(":")
        if sort == "start":
            return Moment((-1, -1), (-1, -1))
        if sort == "end":
            ended = self.trace.end in _OURS and not self.trace.hung_up
            last: Place = (self.trace.ended_ms, 1 << 62)
            return Moment(last, last) if ended else None
        return next(iter(self._moments(sort, what)), None)

    def _moments(self, sort: str, what: str) -> Iterator[Moment]:
        if sort in ("tool", "tried"):
            tool, _, path = what.partition(".")
            for call in self.trace.calls:
                if call.tool == tool and (call.ok or sort == "tried") and (not path or _has(call.result, path)):
                    yield _of_call(call)
        elif sort == "plan":
            for clip in self.trace.clips:
                if clip.speaker == "user" and clip.plan_id == what:
                    yield Moment((clip.start_ms, clip.seq), (clip.end_ms, clip.seq))
        elif sort == "act":
            for act in self.trace.acts:
                if act.key == what:
                    yield Moment((act.media_ms, act.seq), (act.media_ms, act.seq))
        else:
            for event in self.trace.events:
                if event.event_id == what:
                    yield Moment((event.media_ms, event.seq), (event.media_ms, event.seq))

    def said(self, words: Words) -> list[Said]:
        """Every time that the user heard something; of a result, only while it was in force."""
        if words.result is None:
            return [self._at(clip, stream, *span) for clip, stream in self.heard for span in spans(words, stream)]
        found: list[Said] = []
        for value, since, until in self._in_force(words.result):
            literal = literal_of(value, words)
            if literal is not None:
                found += [one for one in self.said(literal) if since <= one.place < until]
        return found

    def _in_force(self, result: str) -> Iterator[tuple[Any, Place, Place]]:
        tool, _, path = result.partition(".")
        calls = [call for call in self.trace.calls if call.tool == tool and call.ok]
        for index, call in enumerate(calls):
            until = _of_call(calls[index + 1]).done if index + 1 < len(calls) else (1 << 62, 0)
            there, value = _at(call.result, path)
            if there:
                yield value, _of_call(call).done, until

    def results(self, result: str) -> list[Any]:
        """What the results of a tool had at a path, in order."""
        return [value for value, _, _ in self._in_force(result)]

    def matching(self, pattern: re.Pattern[str]) -> Iterator[tuple[Said, str, bool]]:
        """Where a pattern matches what was heard: what stands before it in its sentence, and whether that asks."""
        for clip, _ in self.heard:
            for match in pattern.finditer(clip.heard):
                low, high = sentence(clip.heard, match.start(), match.end())
                said = Said(_when(clip, len(clip.heard[: match.end()].split())), match[0])
                yield said, clip.heard[low : match.start()], clip.heard[low:high].rstrip().endswith("?")

    def _at(self, clip: Clip, stream: Stream, start: int, end: int) -> Said:
        low, high = stream.span(start, end)
        return Said(_when(clip, len(clip.heard[:high].split())), clip.heard[low:high])


def _when(clip: Clip, words: int) -> Place:
    """When the user had heard so many words of a clip."""
    total = len(clip.heard.split()) or 1
    return clip.start_ms + (clip.end_ms - clip.start_ms) * min(words, total) // total, clip.seq


def _at(result: Any, path: str) -> tuple[bool, Any]:
    return value_at({"": result}, f".{path}")


def _has(result: Any, path: str) -> bool:
    there, value = _at(result, path)
    return there and bool(value)


def _of_call(call: ToolCall) -> Moment:
    begin = (call.media_ms, call.seq)
    done = (call.media_ms if call.result_ms is None else call.result_ms, call.result_seq or call.seq)
    return Moment(begin, max(begin, done))


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence of a text begins and ends that holds a span."""
    ends = [mark.end() for mark in _SENTENCE_END.finditer(text)]
    low = max((place for place in ends if place <= start), default=0)
    return low, min((place for place in ends if place >= end), default=len(text))


def literal_of(value: Any, words: Words) -> Words | None:
    """A value of a tool's result as something that can be said; None where it is nothing, or not of its kind."""
    if value is None or isinstance(value, bool | dict | list):
        return None
    if words.as_ in ("number", "cents"):
        try:
            number = exact(str(value))
        except ValueError:
            return None
        figure = f"{float(number / 100):.2f} dollars" if words.as_ == "cents" else str(value)
        return Words(figure=figure, tolerance=words.tolerance)
    try:
        return Words.model_validate({words.as_: str(value)})
    except ValueError:
        return None


def spans(words: Words, stream: Stream) -> Iterator[tuple[int, int]]:
    """Where something is said in a text, as token ranges."""
    if words.figure is not None:
        yield from _figures(str(words.figure), exact(str(words.tolerance)), stream)
    elif words.date is not None:
        wanted = _days(words.date)
        for date in dates(stream, 0, len(stream)):
            if any(_same_day(day, one) for day in date.days for one in wanted):
                yield date.start, date.end
    elif words.code is not None:
        for start in candidates(words.code, stream, 0, len(stream)):
            found = spell(words.code, stream, start, len(stream), loose=True)
            # Among digits alone an O is a zero.
            other = _OTHER_SPELLING & ~Fault.SIMILAR if words.code.isdigit() else _OTHER_SPELLING
            if found is not None and not found.faults & other:
                yield found.start, found.end
    else:
        for text in words.text or ():
            wanted_norms = tokenise(text).norms
            for index in range(len(stream) - len(wanted_norms) + 1):
                if stream.norms[index : index + len(wanted_norms)] == wanted_norms:
                    yield index, index + len(wanted_norms)


def _figures(figure: str, tolerance: Fraction, stream: Stream) -> Iterator[tuple[int, int]]:
    reference = tokenise(figure)
    (wanted,) = measures(reference, 0, len(reference))
    heard = measures(stream, 0, len(stream))
    for index, measure in enumerate(heard):
        if _same_figure(measure, wanted, tolerance) or _in_cents(measure, wanted, tolerance):
            yield measure.start, measure.end
        elif index + 1 < len(heard) and _with_cents(measure, heard[index + 1], wanted, tolerance):
            yield measure.start, heard[index + 1].end


def _in_cents(heard: Measure, wanted: Measure, tolerance: Fraction) -> bool:
    """Money without its unit, as `forty-one oh seven`: several words that run together to so many cents."""
    bare = heard.unit is None and heard.numeral is not None and len(heard.numeral.groups) > 1
    if not bare or wanted.unit is None or not wanted.unit.is_currency:
        return False
    return any(abs(value / 100 - goal) <= tolerance for value in heard.values for goal in wanted.values)


def _with_cents(whole: Measure, part: Measure, wanted: Measure, tolerance: Fraction) -> bool:
    """Dollars and cents with a pause between: `forty-one dollars, seven cents`."""
    units = (whole.unit, part.unit, wanted.unit)
    if part.start != whole.end or any(unit is None or not unit.is_currency for unit in units):
        return False
    assert whole.unit is not None
    assert part.unit is not None
    assert wanted.unit is not None
    sums = {
        one * first + two * second
        for one in whole.values
        for two in part.values
        for first in whole.unit.factors(wanted.unit)
        for second in part.unit.factors(wanted.unit)
        if second < first
    }
    return any(abs(value - goal) <= tolerance for value in sums for goal in wanted.values)


def _same_figure(heard: Measure, wanted: Measure, tolerance: Fraction) -> bool:
    factors = frozenset((Fraction(1),))
    if wanted.unit is not None and heard.unit is not None:
        factors = heard.unit.factors(wanted.unit)
    elif wanted.unit is None and wanted.nouns and not set(wanted.nouns) & set(heard.nouns):
        return False
    return any(
        abs(value * factor - goal) <= tolerance
        for value in heard.values
        for factor in factors
        for goal in wanted.values
    )


def _days(text: str) -> frozenset[Day]:
    stream = tokenise(text)
    return frozenset(day for date in dates(stream, 0, len(stream)) for day in date.days)


def _same_day(heard: Day, wanted: Day) -> bool:
    return (heard.month, heard.day) == (wanted.month, wanted.day) and heard.year in (None, wanted.year)


def has_all(args: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    """Whether arguments hold all of some pairs; a text and a number that reads alike are one value."""
    given = args or {}
    return all(name in given and same_value(given[name], value) for name, value in wanted.items())


def same_value(one: Any, other: Any) -> bool:
    """Whether two plain values are the same; 1 and 1.0 are, and so are true and 1 as databases store it."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[name], other[name]) for name in one)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other)
