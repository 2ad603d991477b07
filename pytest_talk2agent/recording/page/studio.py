"""All that a speaker can ask of the server, without a word of HTTP: one lock around the folder of takes."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pytest_talk2agent.recording.page.fidelity import Hearing, Listener
from pytest_talk2agent.recording.page.prompts import Prompt
from pytest_talk2agent.recording.page.speaker_state import Consent, SpeakerFiles
from pytest_talk2agent.recording.page.take import Heard, Take, take_key
from pytest_talk2agent.recording.page.take_checks import check_take, measure
from pytest_talk2agent.recording.page.take_folder import TakeFolder
from pytest_talk2agent.recording.page.uploads import SAMPLE, Upload, UploadError, Uploads
from pytest_talk2agent.speech.audio import MAX_SECONDS

RATES = (8_000, 192_000)
"""Hz: from a telephone to a studio."""
PIECE = 1 << 18
"""Bytes of a take that are sent at once."""
SPARE = 64 << 20
"""Bytes that are left free on the disk: the operator's machine must go on working."""
MOST_UPLOADS = 40
MOST_TAKES = 50
"""Takes of one speaker and prompt, and uploads of one speaker: whoever has a link cannot fill the disk with it."""


class RefusedError(Exception):
    """What a speaker asks for cannot be: an HTTP status, one line for the speaker, and ``more`` for the page."""

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more


@dataclass(frozen=True)
class Rules:
    """What the operator chose: the text to agree to, takes of a batch, and the longest take in seconds."""

    consent: str
    batch: int = 20
    longest: float = 300.0

    def __post_init__(self) -> None:
        if not self.consent.strip():
            raise ValueError("the consent text is empty; write what speakers agree to")
        if self.batch < 1:
            raise ValueError(f"a batch of {self.batch} takes; a batch has one at least")
        if not 1 <= self.longest <= MAX_SECONDS:
            raise ValueError(f"takes of {self.longest:g} s; allow 1 to {MAX_SECONDS} s, the longest that is ever read")

    @property
    def consent_sha256(self) -> str:
        """Of the consent text."""
        return hashlib.sha256(self.consent.encode()).hexdigest()


class Studio:
    """The prompts, the takes of all speakers and what they may do. Thread-safe. Raises TakeError, OSError."""

    def __init__(
        self,
        folder: Path,
        prompts: Sequence[Prompt],
        rules: Rules,
        listener: Listener | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.rules, self.prompts = rules, {prompt.task.id: prompt for prompt in prompts}
        self._folder = TakeFolder(folder, prompts)
        self._uploads, self._speakers = Uploads(folder / "uploads"), SpeakerFiles(folder / "speakers")
        self._now, self._lock = now, threading.RLock()
        for key in [key for key in self._uploads.all if key in self._folder.takes]:
            self._uploads.drop(key)
        self._hearing = None if listener is None else Hearing(listener, self._keep_heard)
        for take in list(self._folder.takes.values()):
            self._ask(take)

    def close(self) -> None:
        """Let another process have the folder."""
        if self._hearing is not None:
            self._hearing.close()
        self._folder.close()

    @property
    def outdated(self) -> list[Take]:
        """Kept takes of scripts that have changed since."""
        return self._folder.outdated

    def count(self, speaker: str) -> int:
        """How many prompts a speaker has a kept take of."""
        with self._lock:
            takes = (self._folder.current(speaker, prompt) for prompt in self.prompts.values())
            return sum(take is not None and take.is_kept for take in takes)

    def session(self, speaker: str) -> dict[str, Any]:
        """All that the page shows, as plain values."""
        with self._lock:
            state = self._speakers.state(speaker)
            return {
                "speaker": speaker,
                "consent": {
                    "text": self.rules.consent,
                    "sha256": self.rules.consent_sha256,
                    "given": state.agreed_to(self.rules.consent_sha256),
                },
                "batch": self.rules.batch,
                "longest": self.rules.longest,
                "piece": PIECE,
                "check": None if self._hearing is None else self._hearing.listener.name,
                "prompts": [
                    {
                        "task": prompt.task.id,
                        "script": prompt.script,
                        "language": prompt.task.language,
                        "skipped": prompt.task.id in state.skipped,
                        "take": _shown(self._folder.current(speaker, prompt)),
                    }
                    for prompt in self.prompts.values()
                ],
            }

    def agree(self, speaker: str, sha256: str) -> None:
        """Take a speaker's consent to the present text; raises RefusedError for another one."""
        with self._lock:
            if sha256 != self.rules.consent_sha256:
                raise RefusedError(409, "the text has changed; load the page again and read it")
            self._speakers.agree(speaker, Consent(sha256=sha256, at=self._time(), text=self.rules.consent))

    def skip(self, speaker: str, task: str, *, skipped: bool) -> None:
        """Skip a prompt, or take it up again; raises RefusedError for an unknown one."""
        with self._lock:
            self._speakers.skip(speaker, self._prompt(task).task.id, skipped=skipped)

    def begin(self, speaker: str, task: str, rate: int, frames: int, sha256: str) -> dict[str, Any]:
        """Begin an upload, or go on with it; raises RefusedError, OSError."""
        with self._lock:
            prompt = self._prompt(task)
            if not self._speakers.state(speaker).agreed_to(self.rules.consent_sha256):
                raise RefusedError(403, "read the text about consent first, and agree to it")
            if not RATES[0] <= rate <= RATES[1]:
                raise RefusedError(400, f"{rate} samples a second; {RATES[0]} to {RATES[1]} are taken")
            if frames < 1:
                raise RefusedError(400, "a take without sound")
            if frames > self.rules.longest * rate:
                raise RefusedError(413, f"{frames / rate:.0f} s; a take has at most {self.rules.longest:g} s")
            key = take_key(speaker, task, rate, sha256)
            if key in self._folder.takes:
                return {"upload": key, "offset": frames * SAMPLE, "take": _shown(self._folder.takes[key])}
            upload = Upload(key=key, speaker=speaker, task=task, rate=rate, frames=frames, sha256=sha256)
            if key not in self._uploads.all and len(list(self._uploads.of(speaker))) >= MOST_UPLOADS:
                raise RefusedError(429, f"{MOST_UPLOADS} takes are on their way already; tell the operator")
            if self._folder.count(speaker, prompt) >= MOST_TAKES:
                raise RefusedError(429, f"{MOST_TAKES} takes of this text are there already; go on with the next")
            # The samples, the FLAC file, and its record lie beside each other for a moment.
            if shutil.disk_usage(self._folder.folder).free < 2 * upload.size + SPARE:
                raise RefusedError(507, "the disk is full; tell the operator. Your take is kept in this browser")
            return {"upload": key, "offset": self._uploads.begin(upload), "take": None}

    def append(self, speaker: str, key: str, offset: int, piece: bytes) -> int:
        """Add a piece to an upload; the offset behind it. Raises RefusedError, OSError."""
        with self._lock:
            upload = self._upload(speaker, key)
            try:
                return self._uploads.append(upload, offset, piece)
            except UploadError as error:
                raise RefusedError(409, str(error), offset=error.offset) from None

    def finish(self, speaker: str, key: str) -> dict[str, Any]:
        """Make a take of an upload; it is on the disk when this returns. Raises RefusedError, OSError."""
        import numpy as np

        with self._lock:
            take = self._folder.takes.get(key)
            if take is None or take.speaker != speaker:
                upload = self._upload(speaker, key)
                prompt = self._prompt(upload.task)
                try:
                    data = self._uploads.samples(upload)
                except UploadError as error:
                    raise RefusedError(409, str(error), offset=error.offset) from None
                samples = np.frombuffer(data, dtype="<i2")
                levels = measure(samples.astype(np.float32) / np.float32(32768), upload.rate)
                take = self._folder.add(
                    prompt,
                    speaker,
                    key,
                    samples,
                    upload.rate,
                    recorded=self._time(),
                    consent_sha256=self.rules.consent_sha256,
                    findings=tuple(check_take(levels, prompt.seconds)),
                )
                self._speakers.skip(speaker, upload.task, skipped=False)
            self._uploads.drop(key)
            self._ask(take)
            return _shown(take) or {}

    def take(self, speaker: str, key: str) -> dict[str, Any]:
        """A take as the page shows it; raises RefusedError."""
        with self._lock:
            return _shown(self._take(speaker, key)) or {}

    def sound(self, speaker: str, key: str) -> Path:
        """The FLAC file of a take; raises RefusedError."""
        with self._lock:
            take = self._take(speaker, key)
            if take.deleted:
                raise RefusedError(410, "this take was deleted")
            return self._folder.folder / take.audio

    def keep(self, speaker: str, key: str) -> dict[str, Any]:
        """Keep a take in spite of its faults; raises RefusedError, OSError."""
        with self._lock:
            return _shown(self._folder.change(self._take(speaker, key), kept_anyway=True)) or {}

    def delete(self, speaker: str, key: str) -> dict[str, Any]:
        """Delete a take's sound; the take that stands for the prompt now, if any. Raises RefusedError, OSError."""
        with self._lock:
            take = self._folder.change(self._take(speaker, key), deleted=True, heard=None)
            return {"take": _shown(self._folder.current(speaker, self._prompt(take.task)))}

    def _prompt(self, task: str) -> Prompt:
        prompt = self.prompts.get(task)
        if prompt is None:
            raise RefusedError(404, "no such text; load the page again")
        return prompt

    def _upload(self, speaker: str, key: str) -> Upload:
        upload = self._uploads.all.get(key)
        if upload is None or upload.speaker != speaker:
            raise RefusedError(404, "no such upload; it begins again")
        return upload

    def _take(self, speaker: str, key: str) -> Take:
        take = self._folder.takes.get(key)
        if take is None or take.speaker != speaker:
            raise RefusedError(404, "no such take")
        return take

    def _ask(self, take: Take) -> None:
        prompt = self.prompts.get(take.task)
        if self._hearing is None or take.heard is not None or take.deleted or prompt is None:
            return
        if take.script == prompt.script:
            self._hearing.ask(take.key, prompt, take.name, self._folder.folder / take.audio)

    def _keep_heard(self, key: str, heard: Heard) -> None:
        with self._lock:
            take = self._folder.takes[key]
            if take.deleted:
                return
            # What could not be written is heard again when the server next begins.
            with suppress(OSError):
                self._folder.change(take, heard=heard)

    def _time(self) -> str:
        return self._now().isoformat(timespec="seconds")


def _shown(take: Take | None) -> dict[str, Any] | None:
    if take is None:
        return None
    shown = take.model_dump(mode="json", include={"key", "number", "seconds", "findings", "heard", "kept_anyway"})
    return {**shown, "name": take.name, "kept": take.is_kept, "deleted": take.deleted}
