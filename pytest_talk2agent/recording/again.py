"""The recordings that task files list, made again by the voices that spoke them, to see whether the bytes are the same.

What a task lists says who speaks; a table of voices says which spec that is, or the entry itself does, as ``voice``. A
recording that is not there yet is written; one that is there is compared and never written over.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pytest_talk2agent.recording.rendering import Line, Rendered, render
from pytest_talk2agent.recording.voice_table import VoiceTable
from pytest_talk2agent.recording.voices import Voice, VoiceError, VoiceSpec, make_voice, parse_voice
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task, takes

State = Literal["same", "differs", "written", "not made"]


@dataclass(frozen=True)
class Again:
    """What became of one recording, and why where that is to be said. ``sha256`` is that of the bytes made now."""

    task: str
    take: str
    audio: Path
    state: State
    reason: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class _Job:
    task: Task
    take: str
    recording: Recording
    script: str
    spec: VoiceSpec | None = None
    voice: Voice | None = None
    reason: str = ""


def make_again(
    tasks: Iterable[Task],
    words: Callable[[Task], str],
    table: VoiceTable,
    store: Path,
    workers: int,
    tell: Callable[[str], None] = lambda name: None,
) -> list[Again]:
    """Make every listed recording again, in the order of tasks and takes; ``words`` gives what is said of a task.

    A voice that is unknown, not installed or not the same every time makes its recordings ``not made``, with the
    reason. Raises VoiceError where a voice that is there fails.
    """
    voices: dict[str, tuple[Voice | None, str]] = {}
    jobs = [_job(task, take, one, words(task), table, voices) for task in tasks for take, one in takes(task)]
    lines = [
        Line(job.task.id, job.script, replace(job.spec, label=job.take), job.voice)
        for job in jobs
        if job.spec is not None and job.voice is not None
    ]
    with tempfile.TemporaryDirectory(prefix="t2a-again-") as folder:
        made = render(lines, Path(folder), store, workers, lambda one: tell(one.path.name))
        found = {(one.line.task, one.line.spec.label): one for one in made}
        return [_compared(job, found.get((job.task.id, job.take))) for job in jobs]


def _job(
    task: Task, take: str, one: Recording, script: str, table: VoiceTable, voices: dict[str, tuple[Voice | None, str]]
) -> _Job:
    speaker = one.speaker or take
    text = one.voice or (table[speaker].spec if speaker in table else "")
    if not text:
        return _Job(task, take, one, script, reason=f"nobody says which voice {speaker} is")
    if not one.voice and take != speaker:
        return _Job(task, take, one, script, reason=f"take {take} is not what the voice {speaker} alone says")
    if text not in voices:
        voices[text] = _made(text)
    voice, reason = voices[text]
    return _Job(task, take, one, script, parse_voice(text), voice, reason)


def _made(text: str) -> tuple[Voice | None, str]:
    try:
        voice = make_voice(parse_voice(text))
        voice.speak("one")  # a program may be there and its voice not
    except VoiceError as error:
        return None, str(error)
    return (voice, "") if voice.stable else (None, f"voice {text!r} never says a text twice alike")


def _compared(job: _Job, made: Rendered | None) -> Again:
    audio = job.recording.audio
    if made is None:
        return Again(job.task.id, job.take, audio, "not made", job.reason)
    if audio.exists():
        there = file_sha256(audio)
        if there == made.sha256:
            return Again(job.task.id, job.take, audio, "same", sha256=made.sha256)
        reason = f"its SHA-256 is {there}, made now is {made.sha256}"
        return Again(job.task.id, job.take, audio, "differs", reason, made.sha256)
    declared = job.recording.sha256
    if declared not in (None, made.sha256):
        reason = f"declared is the SHA-256 {declared}, made now is {made.sha256}; nothing was written"
        return Again(job.task.id, job.take, audio, "differs", reason, made.sha256)
    audio.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made.path, audio)
    return Again(job.task.id, job.take, audio, "written", f"sha256: {made.sha256}", made.sha256)


def counts(found: Sequence[Again]) -> dict[State, int]:
    """How many recordings are in each state."""
    states: tuple[State, ...] = ("same", "differs", "written", "not made")
    return {state: sum(one.state == state for one in found) for state in states}
