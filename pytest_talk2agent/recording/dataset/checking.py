"""What is wrong with a data set, recording by recording and between recordings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_talk2agent.analysis.error_rates import errors_in, form_for
from pytest_talk2agent.recording.dataset.collection import DataSet, Item
from pytest_talk2agent.recording.dataset.likeness import alike, drawing_of
from pytest_talk2agent.recording.page.prompts import reading_seconds
from pytest_talk2agent.recording.page.take_checks import FASTEST, GRACE, SLOWEST, measure
from pytest_talk2agent.speech.audio import AudioError, read_audio
from pytest_talk2agent.tasks.errors import counted, shown

if TYPE_CHECKING:
    from pytest_talk2agent.recording.dataset.likeness import Drawing
    from pytest_talk2agent.speech.audio import Audio

Severity = Literal["fault", "warning"]

SECONDS = 0.05
"""By how much a declared length may differ from what is there."""
OTHERWISE = 0.6
"""The error rate against its own script from which a recording is said to be of something else."""
NEARER = 0.2
"""By how much another script must fit better, in error rate, to be named."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: of which recording, by a code, and in words."""

    severity: Severity
    code: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.text}"


def check(data: DataSet, tell: Callable[[Item], None] = lambda item: None) -> list[Finding]:
    """Read every recording and compare; ``tell`` is called after each. Findings are in the order of the data set.

    Faults: a recording that is missing, not the declared one, damaged, silent, too long; another length than declared;
    the same sound twice; a task of the manifest that no suite has. Warnings: no SHA-256 declared, clipped samples, a
    length that does not fit the script, two takes that are one performance, a task without a recording.
    """
    found: list[Finding] = []
    drawn: list[tuple[Item, Drawing]] = []
    sounds: dict[str, list[Item]] = defaultdict(list)
    for item in data.items:
        try:
            audio = read_audio(item.recording.audio, sha256=item.recording.sha256)
        except AudioError as error:
            found.append(Finding("fault", "unreadable", item.shown, str(error)))
        else:
            found += _of_one(item, audio)
            sounds[audio.samples_sha256].append(item)
            if len(sounds[audio.samples_sha256]) == 1:
                drawn.append((item, drawing_of(audio.samples)))
        tell(item)
    return [*found, *_twice(sounds), *_copies(drawn), *_of_all(data)]


def _of_one(item: Item, audio: Audio) -> Iterator[Finding]:
    declared = item.recording.seconds
    if declared is not None and abs(declared - audio.seconds) > SECONDS:
        text = f"{audio.seconds:.2f} s long, declared are {declared:g} s; restore it or declare the new length"
        yield Finding("fault", "seconds", item.shown, text)
    if item.recording.sha256 is None:
        text = f"no SHA-256 is declared; it is {audio.sha256}"
        yield Finding("warning", "unpinned", item.shown, text)
    for note in audio.notes:
        yield Finding("warning", "sound", item.shown, note)
    if item.script:
        expected, spoken = reading_seconds(item.script), measure(audio.samples, audio.rate).spoken
        if not FASTEST * expected <= spoken <= SLOWEST * expected + GRACE:
            text = f"{spoken:.1f} s of speech for a script of about {expected:.1f} s; is it another text?"
            yield Finding("warning", "length", item.shown, text)


def _twice(sounds: Mapping[str, Sequence[Item]]) -> Iterator[Finding]:
    for first, *others in sounds.values():
        for other in others:
            text = f"the same sound as {first.shown}; delete one, or record it"
            yield Finding("fault", "same-sound", other.shown, text)


def _copies(drawn: Sequence[tuple[Item, Drawing]]) -> Iterator[Finding]:
    for pair in alike([drawing for _, drawing in drawn]):
        first, second = drawn[pair.first][0], drawn[pair.second][0]
        text = f"one performance with {first.shown} (likeness {pair.likeness:.2f}): a copy of it, not a take of its own"
        yield Finding("warning", "near-duplicate", second.shown, text)


def _of_all(data: DataSet) -> Iterator[Finding]:
    for name in data.strangers:
        yield Finding("fault", "stranger", name, "the manifest has recordings of this task, and no suite has the task")
    for name in data.unrecorded:
        yield Finding("warning", "unrecorded", name, "no recording of this task")


def mismatches(heard: Sequence[tuple[Item, str]]) -> list[Finding]:
    """Recordings that do not say their script, by what an interface heard.

    What was heard may be written as the script says it or as the instruction does, whichever is nearer. A fault where
    another task fits clearly better; else a warning where most words differ, which may be the interface's doing, too.
    """
    said_of = {item.name: item for item, _ in heard}
    found = []
    for item, text in heard:
        own = _rate(item, text)
        if own < OTHERWISE / 2:
            continue
        best, rate = min(((name, _rate(other, text)) for name, other in said_of.items()), key=lambda one: one[1])
        if best != item.name and rate <= own - NEARER:
            said = f"the script of {shown(best)} fits better (error rate {rate:.0%} against {own:.0%})"
            found.append(Finding("fault", "mismatch", item.shown, f"{said}; heard: {shown(text)}"))
        elif own >= OTHERWISE:
            said = f"{own:.0%} of the words were heard otherwise"
            found.append(Finding("warning", "mismatch", item.shown, f"{said}; heard: {shown(text)}"))
    return found


def _rate(item: Item, heard: str) -> float:
    rates = [errors_in(form_for(said), said, heard).rate for said in (item.script, item.instruction) if said]
    return min((rate for rate in rates if rate is not None), default=1.0)


def summary(findings: Sequence[Finding], recordings: int) -> str:
    """One line on all findings."""
    faults = sum(one.severity == "fault" for one in findings)
    return (
        f"{counted(recordings, 'recording')}: {counted(faults, 'fault')}, {counted(len(findings) - faults, 'warning')}"
    )
