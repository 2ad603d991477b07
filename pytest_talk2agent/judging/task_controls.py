"""Controls of a task and of its judge.

The prompt with one value replaced must lose what uses that value, and nothing else. A value that is read aloud without
a mistake must be retained; where it is not, no interface can ever retain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_talk2agent.judging.judge import Case, case_of
from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.judging.slots import Slot, find_slots
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.saying import aloud
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.tasks.intention import Intention, Kind
from pytest_talk2agent.tasks.task import Task

Spans = tuple[tuple[int, int], ...]

OTHERS: Mapping[Kind, str] = {
    "path": "/opt/quokka/zebra.bin",
    "filename": "quokka_zebra.bin",
    "flag": "--quokka",
    "url": "quokka.example/zebra",
    "email": "zebra@quokka.example",
    "identifier": "quokka_zebra",
    "code": "QZ9917",
    "number": "7341",
    "quantity": "7341 furlongs",
    "money": "7341 dollars",
    "percent": "71.3 %",
    "duration": "7341 hours",
    "version": "97.31.4",
    "date": "1871-02-13",
    "time": "03:17",
}
"""What takes the place of a value, by kind; words take that of any other kind."""

WORDS, CHINESE_WORDS = "quokka zebra", "斑马袋鼠"


@dataclass(frozen=True)
class Corruption:
    """A transcript in which ``value`` of ``intention`` is another one wherever it stood.

    ``touched`` are the other intentions that lie, wholly or in part, in what was replaced: they may be lost too.
    """

    intention: str
    value: str
    transcript: str
    touched: frozenset[str]


@dataclass(frozen=True)
class Surprise:
    """An intention whose label is not what a corruption should make of it: the corrupted one kept, or another lost."""

    corruption: Corruption
    intention: str
    label: Label


def corruptions(case: Case) -> Iterator[Corruption]:
    """One corruption for each value of each intention that stands in the instruction, in the order of the task."""
    stream = tokenise(case.instruction)
    slots = find_slots(case.intentions, stream)
    places = {key: _places(case.intentions[key[0]], key[1], stream, slot) for key, slot in slots.items()}
    for name, number in sorted(places, key=lambda key: (list(case.intentions).index(key[0]), key[1])):
        spans = places[name, number]
        if spans:
            touched = {other for (other, _), theirs in places.items() if other != name and _overlap(spans, theirs)}
            intention = case.intentions[name]
            text = _replaced(case.instruction, stream, spans, _other(intention))
            yield Corruption(name, intention.say[number], text, frozenset(touched))


def surprises(corruption: Corruption, labels: Mapping[str, Label]) -> list[Surprise]:
    """What a judge's labels of the corrupted transcript get wrong."""
    found = []
    for name, label in labels.items():
        if name == corruption.intention:
            wrong = label is Label.RETAINED
        else:
            wrong = label is not Label.RETAINED and name not in corruption.touched
        if wrong:
            found.append(Surprise(corruption, name, label))
    return found


def _places(intention: Intention, number: int, stream: Stream, slot: Slot | None) -> Spans:
    """The token spans in which a value stands: its slot, and wherever else it is repeated."""
    spans = set() if slot is None else {slot.core}
    if intention.kind != "gist":
        readings = read_value(Scene(intention, stream, locating=True), number, 0, len(stream))
        spans.update((one.start, one.end) for one in readings if one.label is Label.RETAINED)
    return _merged(sorted(spans))


def _merged(spans: list[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _overlap(spans: Spans, others: Spans) -> bool:
    return any(start < end_ and start_ < end for start, end in spans for start_, end_ in others)


def _other(intention: Intention) -> str:
    """Another value of the intention's kind; a gist has none, its words are gone."""
    if intention.kind == "gist":
        return ""
    if intention.kind == "choice":
        same = {text.casefold() for text in (*intention.say, *intention.also)}
        return next((text for text in intention.options if text.casefold() not in same), WORDS)
    chinese = any("\u4e00" <= character <= "\u9fff" for text in intention.say for character in text)
    return OTHERS.get(intention.kind, CHINESE_WORDS if chinese else WORDS)


def _replaced(text: str, stream: Stream, spans: Spans, other: str) -> str:
    for start, end in reversed(spans):
        text = f"{text[: stream[start].start]}{other}{text[stream[end - 1].end :]}"
    return text


def labels_of(task: Task, transcript: str) -> dict[str, str]:
    """The lexical judge's labels by intention name."""
    from pytest_talk2agent.judging.registry import make_judge

    return {
        name: label.value for name, label in make_judge("lexical").judge(case_of(task, transcript)).labels().items()
    }


def corrupted(task: Task) -> Iterator[tuple[Corruption, list[Surprise]]]:
    """Every corruption of a task's instruction, with what the lexical judge's labels of it get wrong."""
    from pytest_talk2agent.judging.lexical import judge

    case = case_of(task, task.instruction)
    case = replace(case, script=case.instruction)
    for corruption in corruptions(case):
        yield corruption, surprises(corruption, judge(replace(case, transcript=corruption.transcript)).labels())


def unsettled(case: Case) -> Mapping[str, tuple[str, Finding]]:
    """The intentions of a case that are not retained however they are said, with one saying and what is found of it.

    The case's instruction is what is read; empty where the case has a script of its own, which tells how it is said.
    """
    if case.script != case.instruction:
        return {}
    stream = tokenise(case.instruction)
    lost: dict[str, tuple[str, Finding]] = {}
    for (name, number), slot in find_slots(case.intentions, stream).items():
        if slot is None or case.intentions[name].kind == "gist":
            continue
        start, end = stream.span(*slot.core)
        found = _readings(case, name, number, start, end)
        if found and all(finding.label is not Label.RETAINED for _, finding in found):
            lost.setdefault(name, found[0])
    return lost


def _readings(case: Case, name: str, number: int, start: int, end: int) -> list[tuple[str, Finding]]:
    """What the judge finds of every way to say one value that stands between two characters of the instruction."""
    before, behind = case.instruction[:start], case.instruction[end:]
    intention = case.intentions[name]
    return [
        (said, judge(replace(case, transcript=f"{before} {said} {behind}")).findings[name])
        for said in aloud(intention.kind, intention.say[number])
    ]
