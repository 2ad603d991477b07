"""Uploads in pieces: what has arrived is on the disk, so that a sender goes on where a crash or a lost line stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_talk2agent.recording.durable import write_durably
from pytest_talk2agent.recording.page.take import HEX

SAMPLE = 2
"""Bytes of one sample: signed, little-endian, mono."""


class UploadError(ValueError):
    """A piece that does not fit its upload; ``offset`` is where the next one must begin."""

    def __init__(self, text: str, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


class Upload(BaseModel):
    """What a sender said of a take before it sent it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str = Field(pattern=r"^[0-9a-f]{32}$")
    speaker: str
    task: str
    rate: int
    frames: int
    sha256: str = Field(pattern=HEX)

    @property
    def size(self) -> int:
        """Bytes of the samples."""
        return self.frames * SAMPLE


class Uploads:
    """The uploads under way, each a file of samples with what was said of it beside it. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.all: dict[str, Upload] = {}
        for path in sorted(folder.glob("*.json")):
            try:
                upload = Upload.model_validate_json(path.read_bytes())
            except ValidationError:
                upload = None
            if upload is None or upload.key != path.stem:
                path.unlink()  # the sender still has it all, and begins again
            else:
                self.all[upload.key] = upload
        for path in folder.glob("*.pcm"):
            if path.stem not in self.all:
                path.unlink()

    def begin(self, upload: Upload) -> int:
        """Begin or go on; how many bytes are here already. Raises OSError."""
        if upload.key not in self.all:
            self._samples(upload).unlink(missing_ok=True)
            write_durably(self._folder / f"{upload.key}.json", upload.model_dump_json().encode())
            self.all[upload.key] = upload
        return self.offset(upload)

    def of(self, speaker: str) -> Iterator[Upload]:
        """The uploads of a speaker."""
        return (upload for upload in self.all.values() if upload.speaker == speaker)

    def offset(self, upload: Upload) -> int:
        """How many bytes have arrived."""
        try:
            return self._samples(upload).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, upload: Upload, offset: int, piece: bytes) -> int:
        """Add a piece; the offset behind it. A piece that is here already is taken for sent twice.

        Raises UploadError for a piece from elsewhere or past the end, and OSError: then nothing of the piece is kept.
        """
        here = self.offset(upload)
        if offset + len(piece) > upload.size:
            raise UploadError("more than was announced", here)
        if offset + len(piece) <= here:
            return here
        if offset != here:
            raise UploadError("a piece that does not follow the last one", here)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._samples(upload), flags, 0o600)
        try:
            _write(descriptor, piece)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, here)
            raise
        finally:
            os.close(descriptor)
        return here + len(piece)

    def samples(self, upload: Upload) -> bytes:
        """All bytes of an upload; raises UploadError where some are missing, or are not those that were announced.

        Those are thrown away: the sender begins anew.
        """
        here = self.offset(upload)
        if here != upload.size:
            raise UploadError("not all of it has arrived", here)
        data = self._samples(upload).read_bytes()
        if hashlib.sha256(data).hexdigest() != upload.sha256:
            self._samples(upload).unlink()
            raise UploadError("damaged on the way", 0)
        return data

    def drop(self, key: str) -> None:
        """Forget an upload."""
        if upload := self.all.pop(key, None):
            (self._folder / f"{key}.json").unlink(missing_ok=True)
            self._samples(upload).unlink(missing_ok=True)

    def _samples(self, upload: Upload) -> Path:
        return self._folder / f"{upload.key}.pcm"


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
