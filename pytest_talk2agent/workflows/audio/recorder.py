"""The stereo recording of a call: the user's channel left, the agent's right, as FLAC, written while it is held."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

BLOCK_FRAMES = 50
"""Frames that are written at once: a second."""


@dataclass(frozen=True)
class Recording:
    """A recording that is whole: the name of its file, its SHA-256, and samples of each channel."""

    file: str
    sha256: str
    samples: int
    rate: int = SAMPLE_RATE

    def plain(self) -> dict[str, Any]:
        """Plain values for a log or a record."""
        return dict(vars(self))


class Recorder:
    """Writes one recording. It has its name once it is whole, and else none.

    Raises:
        OSError: where the folder cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        import soundfile

        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._partial = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file = soundfile.SoundFile(
            str(self._partial), "w", samplerate=SAMPLE_RATE, channels=2, format="FLAC", subtype="PCM_16"
        )
        self._block: list[Samples] = []
        self._samples = 0

    def write(self, user: Samples, agent: Samples) -> None:
        """Add a frame of both channels."""
        import numpy as np

        self._samples += len(user)
        self._block.append(np.column_stack((user, agent)))
        if len(self._block) >= BLOCK_FRAMES:
            self._write_block()

    def close(self) -> Recording:
        """Finish the file, and give it its name."""
        self._write_block()
        self._file.close()
        with self._partial.open("rb") as file:
            os.fsync(file.fileno())
        self._partial.replace(self._path)
        return Recording(self._path.name, file_sha256(self._path), self._samples)

    def discard(self) -> None:
        """Leave nothing behind; may be called after `close`."""
        self._file.close()
        self._partial.unlink(missing_ok=True)

    def _write_block(self) -> None:
        import numpy as np

        if self._block:
            self._file.write(np.concatenate(self._block))
            self._block = []
