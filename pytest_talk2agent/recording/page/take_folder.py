"""Where takes are kept: FLAC files with a record each, and the manifest that pytest reads.

::

    recordings/
      manifest.jsonl               the takes that are kept, the newest of each speaker and task; other lines stay
      takes/SPEAKER/TASK-N.flac    the sound
      takes/SPEAKER/TASK-N.json    its record (`Take`)
      uploads/                     what was not sent whole yet
      speakers/SPEAKER.json        consent, and what was skipped
      .studio.json                 the links; for the operator alone

Every path is made here, of the operator's names and of numbers: nothing that a client sends becomes part of one. The
record is written before the sound gets its name, so that a name without a record, or a record without its sound, is a
take that was not finished; its upload is still there.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.recording.durable import create_durably, sync_folder, write_durably
from pytest_talk2agent.recording.page.prompts import Prompt
from pytest_talk2agent.recording.page.take import Take, TakeError, read_take
from pytest_talk2agent.recording.shared_manifest import Row, SharedManifestError, refuse_clash, update
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.speech.libraries import quiet_import

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

MANIFEST = "manifest.jsonl"


class TakeFolder:
    """All takes of a folder, in one process. Not thread-safe: `studio.Studio` has the lock.

    Raises TakeError where another process has the folder, or a record or a sound is damaged.
    """

    def __init__(self, folder: Path, prompts: Sequence[Prompt] = ()) -> None:
        self.folder = folder
        self.prompts = {prompt.task.id: prompt for prompt in prompts}
        self.takes: dict[str, Take] = {}
        self._numbers: dict[tuple[str, str], int] = defaultdict(int)
        for name in ("takes", "uploads", "speakers"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise TakeError(f"{folder}: another process records into it; end that one or name another --out") from None
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another process have the folder."""
        os.close(self._lock)

    def _read(self) -> None:
        for leftover in self.folder.rglob(".*.tmp"):
            leftover.unlink()
        for path in sorted((self.folder / "takes").glob("*/*.json")):
            take = read_take(path.read_text(encoding="utf-8"), str(path))
            sound = self.folder / take.audio
            if sound != path.with_suffix(".flac"):
                raise TakeError(f"{path}: it is the record of {take.audio}; move it back beside it")
            slot = (take.speaker, take.task)
            self._numbers[slot] = max(self._numbers[slot], take.number)
            if take.deleted:
                sound.unlink(missing_ok=True)
            elif not sound.exists():
                path.unlink()
                continue
            elif file_sha256(sound) != take.audio_sha256:
                raise TakeError(f"{sound}: not the sound that was recorded; restore it, or move it and its record away")
            self.takes[take.key] = take
        try:
            refuse_clash(self.folder / MANIFEST, self._rows(), _is_own)
        except SharedManifestError as error:
            raise TakeError(str(error)) from None
        self.write_manifest()

    def add(
        self, prompt: Prompt, speaker: str, key: str, samples: NDArray[numpy.int16], rate: int, **values: object
    ) -> Take:
        """Save a take under the next number; on the disk when this returns. Raises OSError: nothing was saved."""
        sound = flac(samples, rate)
        folder = self.folder / "takes" / speaker
        folder.mkdir(exist_ok=True)
        number = self._numbers[speaker, prompt.task.id] + 1
        while (folder / f"{prompt.slug}-{number}.flac").exists():
            number += 1
        path = folder / f"{prompt.slug}-{number}.flac"
        take = Take.model_validate(
            {
                "key": key,
                "task": prompt.task.id,
                "speaker": speaker,
                "number": number,
                "script": prompt.script,
                "declared": prompt.declared,
                "audio": path.relative_to(self.folder).as_posix(),
                "audio_sha256": hashlib.sha256(sound).hexdigest(),
                "rate": rate,
                "seconds": len(samples) / rate,
                **values,
            }
        )
        self._write_record(take)
        try:
            create_durably(path, sound)
        except BaseException:
            with suppress(OSError):
                path.with_suffix(".json").unlink()
            raise
        self._numbers[speaker, prompt.task.id] = number
        self.takes[key] = take
        self.write_manifest()
        return take

    def change(self, take: Take, **values: object) -> Take:
        """Write a take's record anew; the sound of one that is deleted goes. Raises OSError."""
        changed = take.model_copy(update=values)
        self._write_record(changed)
        self.takes[take.key] = changed
        if changed.deleted:
            (self.folder / take.audio).unlink(missing_ok=True)
            sync_folder((self.folder / take.audio).parent)
        self.write_manifest()
        return changed

    def current(self, speaker: str, prompt: Prompt) -> Take | None:
        """The take that stands for a speaker and a prompt: the newest that is kept, else the newest.

        One of another script than the present one stands for nothing.
        """
        mine = (one for one in self._in_order() if (one.speaker, one.task) == (speaker, prompt.task.id))
        takes = [one for one in mine if not one.deleted and one.script == prompt.script]
        return next((one for one in reversed(takes) if one.is_kept), takes[-1] if takes else None)

    def count(self, speaker: str, prompt: Prompt) -> int:
        """How many takes of a prompt a speaker has made, those that were deleted included."""
        return self._numbers[speaker, prompt.task.id]

    def write_manifest(self) -> None:
        """Write the manifest: the newest kept take of each speaker and task, of the script that the task has now.

        Of a task that is not recorded at present it is the script that was read last. What voices have in it stays.
        Raises OSError, also for a manifest that somebody has damaged.
        """
        path = self.folder / MANIFEST
        try:
            update(path, self._rows(), _is_own)
        except SharedManifestError:
            raise OSError(errno.EINVAL, "the manifest is damaged", str(path)) from None

    def _rows(self) -> list[Row]:
        scripts = self._scripts()
        kept = (take for take in self._in_order() if take.is_kept and take.script == scripts[take.task])
        chosen = {(take.task, take.speaker): take for take in kept}
        return [_row(take) for _, take in sorted(chosen.items())]

    @property
    def outdated(self) -> list[Take]:
        """The kept takes of a script that is no longer that of its task."""
        scripts = self._scripts()
        return [take for take in self._in_order() if take.is_kept and take.script != scripts[take.task]]

    def _scripts(self) -> dict[str, str]:
        read = {take.task: take.script for take in sorted(self.takes.values(), key=lambda one: one.recorded)}
        return {**read, **{name: prompt.script for name, prompt in self.prompts.items()}}

    def _in_order(self) -> list[Take]:
        return sorted(self.takes.values(), key=lambda one: (one.task, one.speaker, one.number))

    def _write_record(self, take: Take) -> None:
        path = (self.folder / take.audio).with_suffix(".json")
        write_durably(path, f"{take.model_dump_json(indent=1)}\n".encode())


def _is_own(row: Row) -> bool:
    """What lies among the takes was recorded here."""
    return str(row["audio"]).startswith("takes/")


def _row(take: Take) -> Row:
    value = {"task": take.task, "audio": take.audio, "speaker": take.speaker, "take": take.name}
    # A script that the task file gives itself needs no second place to go out of date.
    script = {} if take.declared else {"script": " ".join(take.script.split())}
    return {**value, "sha256": take.audio_sha256, "seconds": round(take.seconds, 2), **script}


def flac(samples: NDArray[numpy.int16], rate: int) -> bytes:
    """Mono samples as a FLAC file of 16 bits: nothing of them is lost."""
    with quiet_import():
        import soundfile

    stream = io.BytesIO()
    soundfile.write(stream, samples, rate, format="FLAC", subtype="PCM_16")
    return stream.getvalue()
