"""Whether clips say what they should: each literal heard back by an interface, and no fact told that is not declared.

A literal is a value of a fact that a wording expresses, as far as the lexical judge reads it in the wording itself, or
anything in the wording that is no word. The judge then looks for it in what was heard. Where it is unsure the literal
counts as not heard, and is listed as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_talk2agent.interfaces.protocol import Interface, work_here
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.recording.literals import find_literals, kind_of
from pytest_talk2agent.recording.rendering import keep_whole
from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.workflows.audio.rendering import Saying, Spoken, sayings_of
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import UserFact

_BATCH = 8


@dataclass(frozen=True)
class Leak:
    """A wording that tells a fact that it is not said to express."""

    wording: str
    text: str
    fact: str
    value: str


@dataclass(frozen=True)
class Literal:
    """One literal of a clip, and what became of it."""

    file: str
    voice: str
    value: str
    label: Label
    text: str
    heard: str

    @property
    def came_back(self) -> bool:
        """Whether it was heard."""
        return self.label is Label.RETAINED


@dataclass(frozen=True)
class Check:
    """What was heard by an interface of the clips of a package that have literals."""

    interface: str
    literals: tuple[Literal, ...]
    clips: int

    @property
    def heard(self) -> int:
        """How many literals came back."""
        return sum(one.came_back for one in self.literals)

    @property
    def figures(self) -> Check:
        """The literals with a digit: numbers, codes, dates. The others are names and words."""
        return replace(self, literals=tuple(one for one in self.literals if _has_digit(one.value)))

    @property
    def lost(self) -> list[Literal]:
        """Those that did not."""
        return [one for one in self.literals if not one.came_back]

    def plain(self) -> dict[str, Any]:
        """Plain values, for the record beside the clips."""
        lost = [
            {"file": one.file, "value": one.value, "label": one.label.value, "heard": one.heard} for one in self.lost
        ]
        figures = self.figures
        counts = {
            "clips": self.clips, "literals": len(self.literals), "heard": self.heard,
            "figures": len(figures.literals), "figures_heard": figures.heard,
        }  # fmt: skip
        return {"interface": self.interface, **counts, "not_heard": lost}


def leaks_of(package: Package) -> list[Leak]:
    """The wordings that tell more than they express.

    Values that are one word without a digit, such as ``yes``, are too common to tell. A wording may name the value that
    its own replaces, a value within another that it expresses, and what may be volunteered at any time.
    """
    facts = {fact.id: fact for fact in package.user.facts}
    found = []
    for saying in sayings_of(package):
        allowed = {fact for told in saying.facts for fact in _versions(told, facts)}
        spans = [span for name in allowed for _, span in _found(saying.text, _values(facts[name]))]
        for fact in package.user.facts:
            if fact.id in allowed or fact.visibility == "public" or fact.reveal.may_volunteer:
                continue
            for value, (start, end) in _found(saying.text, filter(_telling, _values(fact))):
                if not any(low <= start and end <= high for low, high in spans):
                    found.append(Leak(saying.stem, saying.text, fact.id, value.say[0]))
    return found


class ClipListener:
    """An interface that hears clips; what it heard of a sound is kept in a folder and not asked again.

    Raises:
        InterfaceError: for a spec that cannot work, hears nothing, or changes what is heard.
    """

    def __init__(self, spec: str, store: Path) -> None:
        parsed = parse_spec(spec)
        if parsed.sound is not None or parsed.bias or parsed.repair:
            raise InterfaceError(f"--check {parsed.shown}: a clip is checked as it is; leave out what follows the +")
        self._spec, self._store = parsed, store
        self._interface: Interface = make_interface(parsed)
        if not self._interface.hears:
            raise InterfaceError(f"--check {parsed.shown}: {parsed.name} hears nothing; name another interface")
        self._interface.check()

    def check(self, package: Package, clips: Sequence[Spoken]) -> Check:
        """Hear clips, and look for their literals.

        Raises:
            InterfaceError: where a clip cannot be transcribed.
        """
        facts = {fact.id: fact for fact in package.user.facts}
        sought = [(spoken, found) for spoken in clips if (found := literals_of(spoken.saying, facts))]
        heard_all = self._hear([spoken for spoken, _ in sought])
        literals = []
        for (spoken, intentions), heard in zip(sought, heard_all, strict=True):
            text = spoken.saying.text
            findings = judge(Case(text, text, intentions, heard)).findings
            for name, intention in intentions.items():
                label = findings[name].label
                literals.append(Literal(spoken.clip.file, spoken.clip.voice, intention.say[0], label, text, heard))
        return Check(self._spec.shown, tuple(literals), len(sought))

    def _hear(self, clips: Sequence[Spoken]) -> list[str]:
        identity = dict(self._interface.identity())
        places = [
            self._store / "heard" / f"{content_key(one.clip.pcm16_sha256, json.dumps(identity, sort_keys=True))}.json"
            for one in clips
        ]
        waiting = [number for number, place in enumerate(places) if not place.exists()]
        for at in range(0, len(waiting), _BATCH):
            batch = [(number, _utterance(clips[number])) for number in waiting[at : at + _BATCH]]
            for number, outcome, _ in work_here(self._spec.text, self._interface, iter([batch])):
                if isinstance(outcome, TranscriptionError):
                    raise InterfaceError(f"{clips[number].path}: {outcome}")
                places[number].parent.mkdir(parents=True, exist_ok=True)
                keep_whole(places[number], json.dumps({"text": outcome.text}).encode())
        return [str(json.loads(place.read_text(encoding="utf-8"))["text"]) for place in places]


def literals_of(saying: Saying, facts: Mapping[str, UserFact]) -> dict[str, Intention]:
    """The literals of a wording, each as an intention that the judge finds in the wording itself."""
    values = [value for name in saying.facts for value in _values(facts[name])]
    written = [Intention(say=(one.value,), kind=one.kind) for one in find_literals(saying.text)]
    every = {value.say[0]: value for value in [*written, *values]}
    return {f"literal {number}": value for number, (value, _) in enumerate(_found(saying.text, every.values()), 1)}


def _found(text: str, values: Iterable[Intention]) -> Iterator[tuple[Intention, tuple[int, int]]]:
    """Those of some values that the judge reads in a text, and where."""
    for value in values:
        finding = judge(Case(text, text, {"value": value}, text)).findings["value"]
        if finding.label is Label.RETAINED and finding.start is not None and finding.end is not None:
            yield value, (finding.start, finding.end)


def _values(fact: UserFact) -> list[Intention]:
    """The values of a fact as the judge reads them: digits that are a text are no number, but a code."""
    values = fact.value if isinstance(fact.value, list) else [fact.value]
    found = []
    for value in values:
        if isinstance(value, str) and value.strip():
            found.append(Intention(say=(value,), kind="code" if value.isdigit() else kind_of(value) or "term"))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append(Intention(say=(str(value),), kind=kind_of(str(value)) or "number"))
    return found


def _telling(value: Intention) -> bool:
    [text] = value.say
    return _has_digit(text) or len(text.split()) > 1


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _versions(name: str, facts: Mapping[str, UserFact]) -> Iterator[str]:
    """A fact, and all that it replaces."""
    seen: set[str] = set()
    current: str | None = name
    while current is not None and current in facts and current not in seen:
        seen.add(current)
        yield current
        current = facts[current].supersedes


def _utterance(spoken: Spoken) -> Utterance:
    saying = spoken.saying
    return Utterance(saying.stem, spoken.clip.voice, saying.text, saying.text, spoken.path, read_audio(spoken.path))
