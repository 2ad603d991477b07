"""One condition's share of a pass: what the store lacks is read, checked, transcribed in batches and stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_talk2agent.context.registry import make_repair
from pytest_talk2agent.engine.condition import condition_identity, heard_identity
from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.progress import Counter
from pytest_talk2agent.engine.repairing import Repairing
from pytest_talk2agent.interfaces.protocol import Batch, Charged, Interface, Work, work_here
from pytest_talk2agent.interfaces.registry import fingerprint_of
from pytest_talk2agent.interfaces.spec import Spec, read_switches, shown_text
from pytest_talk2agent.interfaces.suspicion import with_suspicions
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
)
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.results.store import Store, content_key
from pytest_talk2agent.results.task_result import VERSION
from pytest_talk2agent.results.transcript import Transcript, hypothesis_fault
from pytest_talk2agent.speech.acoustics.chain import heard_in, record_of
from pytest_talk2agent.speech.acoustics.effect import SoundError
from pytest_talk2agent.speech.audio import Audio, AudioError, audio_seconds, check_file, read_audio
from pytest_talk2agent.speech.noise import SoundSwitches, silence, with_noise

BATCH_SECONDS = 300.0
"""The audio that a batch may hold, unless one recording is longer: 19 MB as decoded samples."""

STALL_SECONDS = 3600.0
"""Seconds that a batch without its own limit may take; one that still runs then will never end."""


@dataclass(frozen=True)
class _Pending:
    """One distinct audio file, with the terms that it is heard with, and the jobs that wait for it.

    ``noises`` tells its noises from those of other recordings, where they are made of what lies beside it.
    """

    sha256: str
    jobs: tuple[Job, ...]
    terms: tuple[str, ...]
    noises: str = ""

    @property
    def path(self) -> Path:
        path = self.jobs[0].utterance.path
        assert path is not None, "jobs without a recording have been answered before"
        return path


class NotStoredError(Exception):
    """A recording is not stored and this pass may not transcribe."""


class ConditionPass:
    """One condition's share of a pass; without ``hears`` it raises NotStoredError at the first recording not stored."""

    def __init__(
        self,
        spec: Spec,
        interface: Interface,
        store: Store,
        counts: Counter,
        budget: Budget,
        setup: Setup,
        doing: Callable[[Sequence[str], float | None], None] = lambda keys, seconds: None,
        *,
        hears: bool = True,
    ) -> None:
        self._spec = spec
        self._frozen = setup.frozen
        self._anew = setup.refresh and not setup.frozen
        self._limited = setup.engine == "local"
        self._doing = doing
        self._store = store
        self._counts = counts
        self._interface = interface
        self._hears = hears
        self._repair = make_repair(spec) if spec.repair else None
        for paid in (self._interface, self._repair):
            if isinstance(paid, Charged):
                paid.charge_to(budget)
        self._heard = heard_identity(spec, self._interface)
        self._mark = fingerprint_of(self._heard)
        whole = condition_identity(spec, self._heard, self._repair)
        self._made_by: dict[str, Any] = {"identity": whole, "fingerprint": fingerprint_of(whole)}
        self._snr = read_switches(spec, "audio_", SoundSwitches).audio_snr_db

    def transcribe(self, jobs: Sequence[Job], work: Work = work_here) -> None:
        """Answer every job of this condition."""
        with Repairing(self._repair, self._store, self._counts, frozen=self._frozen) as self._repairing:
            if not self._interface.hears:
                self._replay(jobs)
                return
            pending = self._missing(jobs) if not self._spec.bias else self._missing_with_silence(jobs, work)
            with TemporaryDirectory(prefix="t2a-") as folder:
                for waiting, audio, outcome, elapsed in self._work_on(pending, work, Path(folder)):
                    self._take(waiting, audio, outcome, elapsed)

    def _deliver(self, job: Job, transcript: Transcript, *, stored: bool) -> None:
        terms = job.terms if self._spec.bias or self._spec.repair else None
        # Here, not where it is stored: a better rule also applies to transcripts stored before.
        if self._interface.hears and transcript.state in ("transcribed", "truncated"):
            transcript = replace(
                transcript, detail=with_suspicions(transcript.detail, transcript.text, transcript.seconds)
            )
        self._repairing.deliver(job, replace(transcript, **self._made_by, offered=terms), stored=stored)

    def _replay(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            try:
                hypothesis = hypothesis_of(self._interface.transcribe([job.utterance])[0], job)
            except TranscriptionError as error:
                self._counts.deliver(job, str(error))
            else:
                self._deliver(job, _transcript(hypothesis, None, self._heard, self._mark, 0.0), stored=True)

    def _missing(self, jobs: Sequence[Job]) -> list[_Pending]:
        """What is not stored, one entry for each distinct audio file and list of terms, shortest first."""
        waiting: dict[tuple[str, tuple[str, ...], str], list[Job]] = defaultdict(list)
        for job in jobs:
            path = job.utterance.path
            if path is None:
                self._counts.deliver(
                    job, f"{job.utterance.task}: the task lists no recording; add one under `recordings`"
                )
                continue
            try:
                sha256 = check_file(path, job.sha256)
                noises = "" if self._spec.sound is None else self._spec.sound.key(path)
            except (AudioError, SoundError) as error:
                self._counts.deliver(job, str(error))
                continue
            terms = job.terms if self._spec.bias else ()
            known = self._stored(sha256, terms, noises)
            if known is not None:
                self._deliver(job, known, stored=True)
            elif self._frozen:
                self._counts.deliver(job, f"{job.utterance.task}: {self._not_stored(path.name, sha256, terms, noises)}")
            else:
                self._may_hear()
                waiting[sha256, terms, noises].append(job)
        found = [_Pending(sha256, tuple(group), terms, noises) for (sha256, terms, noises), group in waiting.items()]
        return sorted(found, key=lambda pending: audio_seconds(pending.path))

    def _may_hear(self) -> None:
        if not self._hears:
            raise NotStoredError

    def _stored(self, sha256: str, terms: Sequence[str], noises: str = "") -> Transcript | None:
        """The stored transcript of a recording; None where the identity of the recogniser cannot be known."""
        if self._anew or not (self._frozen or self._interface.reproducible):
            return None
        return self._store.transcript(sha256, self._mark, self._key(terms, noises))

    def _not_stored(self, name: str, sha256: str, terms: Sequence[str], noises: str = "") -> str:
        """What a frozen run says where it has no transcript: the store has none, or has one that cannot be trusted."""
        why = self._store.why_no_transcript(sha256, self._mark, self._key(terms, noises))
        lacks = f"the store has no transcript of {name} by {self._spec.shown}"
        return f"frozen: {lacks if why is None else f'{lacks} that can be used: {why}'}; run once without --t2a-frozen"

    def _missing_with_silence(self, jobs: Sequence[Job], work: Work) -> list[_Pending]:
        """As `_missing`, after asking what is heard in silence with the longest list of the run."""
        longest = max((job.terms for job in jobs), key=lambda terms: (len(terms), terms))
        audio = silence()
        known = self._stored(audio.sha256, longest)
        if known is None and self._frozen:
            self._made_by["silence"] = {"error": self._not_stored("silence", audio.sha256, longest)}
            return self._missing(jobs)
        if known is None:
            self._may_hear()
            utterance = Utterance("silence", "", "", "", audio=audio, terms=longest)
            job = Job(self._spec.text, utterance, terms=longest)
            [(_, outcome, elapsed)] = work(self._spec.text, self._interface, iter([[(0, utterance)]]))
            try:
                hypothesis = self._biased(outcome, job)
            except TranscriptionError as error:
                self._made_by["silence"] = {"error": str(error)}
                return self._missing(jobs)
            known = _transcript(hypothesis, audio, self._heard, self._mark, elapsed)
            self._store.keep_transcript(known, self._key(longest))
        self._made_by["silence"] = {"text": known.text, "terms": len(longest)}
        return self._missing(jobs)

    def _work_on(
        self, pending: Sequence[_Pending], work: Work, folder: Path
    ) -> Iterator[tuple[_Pending, Audio, object, float]]:
        """Feed batches to the worker, and pair each outcome with its recording."""
        under_way: dict[int, tuple[_Pending, Audio]] = {}

        def batches() -> Iterator[Batch]:
            number = 0
            for group in _batches(pending, self._batch_size()):
                batch: list[tuple[int, Utterance]] = []
                for waiting in group:
                    try:
                        audio = read_audio(waiting.path)
                        utterance = self._utterance(waiting, audio, folder / f"{number + 1}.wav")
                    except (AudioError, SoundError, OSError) as error:
                        for job in waiting.jobs:
                            self._counts.deliver(job, str(error))
                        continue
                    number += 1
                    # Only what the record needs is kept: decoded samples of a whole run would fill the memory.
                    under_way[number] = waiting, replace(audio, samples=audio.samples[:0])
                    batch.append((number, utterance))
                if batch:
                    keys = [job.key for one, _ in batch for job in under_way[one][0].jobs]
                    self._doing(keys, self._seconds_for(batch))
                    yield batch

        for number, outcome, elapsed in work(self._spec.text, self._interface, batches()):
            waiting, audio = under_way.pop(number)
            yield waiting, audio, outcome, elapsed
            (folder / f"{number}.wav").unlink(missing_ok=True)

    def _key(self, terms: Sequence[str], noises: str = "") -> str:
        """What stands for the terms and the noises in the store.

        A list that was cut must not answer for one that is too long.
        """
        key = content_key(self._spec.switches.get("terms_over", "error"), *terms) if terms else ""
        return content_key(key, noises) if noises else key

    def _batch_size(self) -> int:
        size = self._interface.batch_size
        if size < 1:
            raise InterfaceError(f"{self._spec.text}: batch_size must be a whole number from 1 up, not {size}")
        return int(size)

    def _seconds_for(self, batch: Batch) -> float | None:
        """How long a batch may take; on a cluster it may wait for as long as there is no room."""
        if not self._limited:
            return None
        interface = self._interface
        return STALL_SECONDS if interface.time_limit is None else interface.time_limit * len(batch)

    def _utterance(self, waiting: _Pending, audio: Audio, beside: Path) -> Utterance:
        utterance = replace(waiting.jobs[0].utterance, audio=audio, terms=waiting.terms)
        if self._spec.sound is None and self._snr == float("inf"):
            return utterance
        import soundfile

        # An interface that opens the file itself must hear the noise, too.
        sound = self._spec.sound
        noisy = with_noise(audio, self._snr) if sound is None else heard_in(audio, sound, waiting.path)
        soundfile.write(beside, noisy.samples, noisy.rate, subtype="FLOAT")
        return replace(utterance, audio=noisy, path=beside)

    def _take(self, waiting: _Pending, audio: Audio, outcome: object, elapsed: float) -> None:
        try:
            hypothesis = self._biased(outcome, waiting.jobs[0])
        except TranscriptionError as error:
            for job in waiting.jobs:
                self._counts.deliver(job, str(error))
            return
        transcript = _transcript(hypothesis, audio, self._heard, self._mark, elapsed)
        if self._spec.sound is not None:
            heard = record_of(self._spec.sound, waiting.path)
            transcript = replace(transcript, detail={**transcript.detail, "sound": heard})
        self._store.keep_transcript(transcript, self._key(waiting.terms, waiting.noises))
        for job in waiting.jobs:
            self._deliver(job, transcript, stored=False)

    def _biased(self, outcome: object, job: Job) -> Hypothesis:
        hypothesis = hypothesis_of(outcome, job)
        if self._spec.bias and hypothesis.sent is None:
            raise InterfaceError(f"{job.spec}: does not say which terms it sent; set Hypothesis.sent, or drop +bias")
        return hypothesis


def hypothesis_of(outcome: object, job: Job) -> Hypothesis:
    """What an interface returned for a job, as the hypothesis it should be.

    Raises TranscriptionError where the interface returned one, anything else, or a hypothesis with an invalid value.
    The error belongs to this item alone.
    """
    if isinstance(outcome, TranscriptionError):
        raise outcome
    fault = hypothesis_fault(outcome)
    if fault is not None or not isinstance(outcome, Hypothesis):
        raise TranscriptionError(f"{job.utterance.task}: {shown_text(job.spec)} returned {fault}")
    return outcome


def _batches(pending: Sequence[_Pending], size: int) -> Iterator[Sequence[_Pending]]:
    """Cut a sorted list into batches that hold neither too many recordings nor too much sound."""
    batch: list[_Pending] = []
    seconds = 0.0
    for waiting in pending:
        length = audio_seconds(waiting.path)
        if batch and (len(batch) == size or seconds + length > BATCH_SECONDS):
            yield batch
            batch, seconds = [], 0.0
        batch.append(waiting)
        seconds += length
    if batch:
        yield batch


def _transcript(
    hypothesis: Hypothesis, audio: Audio | None, identity: Mapping[str, str], mark: str, elapsed: float
) -> Transcript:
    return Transcript(
        text=hypothesis.text,
        fingerprint=mark,
        identity=dict(identity),
        version=VERSION,
        audio_sha256=None if audio is None else audio.sha256,
        samples_sha256=None if audio is None else audio.samples_sha256,
        seconds=None if audio is None else round(audio.seconds, 3),
        elapsed=None if audio is None else round(elapsed, 3),
        detail=dict(hypothesis.detail),
        notes=() if audio is None else audio.notes,
        state=hypothesis.state,
        sent=hypothesis.sent,
    )
