"""The transcription pass: what the store lacks is read, checked, transcribed in batches and stored."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.interfaces.registry import Registry, fingerprint
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, Interface, InterfaceError, TranscriptionError
from pytest_talk2agent.results.store import Store, StoreError
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.version import VERSION
from pytest_talk2agent.speech.audio import Audio, AudioError, audio_seconds, check_file, read_audio


@dataclass(frozen=True)
class _Pending:
    """One distinct audio file and the jobs that wait for it."""

    jobs: tuple[Job, ...]

    @property
    def path(self) -> Path:
        path = self.jobs[0].utterance.path
        assert path is not None, "jobs without a recording have been answered before"
        return path


def transcribe_all(
    jobs: Sequence[Job],
    store: Store,
    interfaces: Mapping[str, str],
    deliver: Callable[[str, Transcript | str], None],
    report: Callable[[Progress], None],
) -> None:
    """Deliver a transcript, or the line that says why there is none, for every job.

    Interfaces come one after the other, each loaded once. Within one, what the store has comes first; the rest is
    sorted by duration, so that a batch holds recordings of like length. ``interfaces`` adds to the built-in ones.
    """
    registry = Registry()
    for name, target in interfaces.items():
        registry.register(name, target)
    by_spec: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        by_spec[job.spec].append(job)
    counts = _Counter(len(jobs), deliver, report)
    for spec, group in by_spec.items():
        try:
            _transcribe_group(registry.make(parse_spec(spec)), group, store, counts)
        except (InterfaceError, StoreError) as error:
            for job in group:
                counts.deliver(job, str(error))
        except (Exception, SystemExit) as error:  # a recogniser that exits must not take the others with it
            for job in group:
                counts.deliver(job, f"{spec}: {type(error).__name__}: {error}")


class _Counter:
    """Delivers each job once, whatever happens, and reports progress."""

    def __init__(
        self, total: int, deliver: Callable[[str, Transcript | str], None], report: Callable[[Progress], None]
    ) -> None:
        self._deliver = deliver
        self._report = report
        self._progress = Progress(total)
        self._delivered: set[str] = set()

    def deliver(self, job: Job, outcome: Transcript | str, *, stored: bool = False) -> None:
        if job.key in self._delivered:
            return
        self._delivered.add(job.key)
        before = self._progress
        failed = isinstance(outcome, str)
        self._progress = replace(
            before, done=before.done + 1, stored=before.stored + stored, failed=before.failed + failed
        )
        self._report(self._progress)
        self._deliver(job.key, outcome)


def _transcribe_group(interface: Interface, jobs: Sequence[Job], store: Store, counts: _Counter) -> None:
    identity = interface.identity()
    mark = fingerprint(interface)
    for batch in _batches(_missing(jobs, mark, store, counts), getattr(interface, "batch_size", 1)):
        audio: list[Audio] = []
        heard: list[_Pending] = []
        for pending in batch:
            try:
                audio.append(read_audio(pending.path))
            except (AudioError, OSError) as error:
                for job in pending.jobs:
                    counts.deliver(job, str(error))
            else:
                heard.append(pending)
        if not heard:
            continue
        utterances = [replace(p.jobs[0].utterance, audio=sound) for p, sound in zip(heard, audio, strict=True)]
        begin = time.perf_counter()
        outcomes = interface.transcribe(utterances)
        elapsed = (time.perf_counter() - begin) / len(heard)
        if len(outcomes) != len(heard):
            raise InterfaceError(f"{jobs[0].spec}: {len(outcomes)} transcripts for {len(heard)} recordings")
        for pending, sound, outcome in zip(heard, audio, outcomes, strict=True):
            try:
                hypothesis = hypothesis_of(outcome, pending.jobs[0])
            except TranscriptionError as error:
                for job in pending.jobs:
                    counts.deliver(job, str(error))
                continue
            transcript = _transcript(hypothesis, sound, identity, mark, elapsed)
            store.keep_transcript(transcript)
            for job in pending.jobs:
                counts.deliver(job, transcript)


def hypothesis_of(outcome: object, job: Job) -> Hypothesis:
    """What an interface returned for a job, as the hypothesis it should be.

    Raises the TranscriptionError that it is instead, or one where its text is no text that UTF-8 can hold, and
    InterfaceError where it is anything else.
    """
    if isinstance(outcome, TranscriptionError):
        raise outcome
    if not isinstance(outcome, Hypothesis) or not isinstance(outcome.text, str):
        raise InterfaceError(f"{job.spec}: returned a {type(outcome).__name__} as a transcript; return a Hypothesis")
    try:
        outcome.text.encode()
    except UnicodeEncodeError as error:
        broken = f"U+{ord(outcome.text[error.start]):04X} at character {error.start}"
        raise TranscriptionError(
            f"{job.utterance.task}: {job.spec} returned a transcript that is no valid text ({broken} stands alone)"
        ) from None
    return outcome


def _missing(jobs: Sequence[Job], mark: str, store: Store, counts: _Counter) -> list[_Pending]:
    """What is not stored, one entry for each distinct audio file, shortest first."""
    waiting: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        path = job.utterance.path
        if path is None:
            counts.deliver(job, f"{job.utterance.task}: the task lists no recording; add one under `recordings`")
            continue
        try:
            sha256 = check_file(path, job.sha256)
        except AudioError as error:
            counts.deliver(job, str(error))
            continue
        known = store.transcript(sha256, mark)
        if known is None:
            waiting[sha256].append(job)
        else:
            counts.deliver(job, known, stored=True)
    return sorted(
        (_Pending(tuple(group)) for group in waiting.values()), key=lambda pending: audio_seconds(pending.path)
    )


def _batches(pending: Sequence[_Pending], size: int) -> Iterator[Sequence[_Pending]]:
    for begin in range(0, len(pending), size):
        yield pending[begin : begin + size]


def _transcript(
    hypothesis: Hypothesis, audio: Audio, identity: Mapping[str, str], mark: str, elapsed: float
) -> Transcript:
    return Transcript(
        text=hypothesis.text,
        fingerprint=mark,
        identity=dict(identity),
        version=VERSION,
        audio_sha256=audio.sha256,
        samples_sha256=audio.samples_sha256,
        seconds=round(audio.seconds, 3),
        elapsed=round(elapsed, 3),
        detail=dict(hypothesis.detail),
        notes=audio.notes,
    )
