"""The sound of a session on the page: both channels as waveforms, and a player that the timeline can jump in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.reporting.html.markup import Markup, element
from pytest_talk2agent.reporting.html.recordings import Recordings
from pytest_talk2agent.workflows.campaign.record import SessionRecord

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

PER_SECOND, MOST_COLUMNS = 10, 1_500
"""Columns of a waveform: of a second, and of the whole, whatever its length."""
_BLOCK = 1 << 16
SUFFIX = ".flac"


@dataclass(frozen=True)
class Waves:
    """The largest magnitude of both channels, column by column; the loudest of all is 1."""

    seconds: float
    user: tuple[float, ...]
    agent: tuple[float, ...]


def waves_of(path: Path) -> Waves:
    """Read the envelope of a stereo recording, the user left and the agent right.

    Raises:
        OSError: where it cannot be read.
        ValueError: for what is no stereo recording.
    """
    import numpy as np
    import soundfile

    try:
        with path.open("rb") as stream, soundfile.SoundFile(stream) as file:
            if file.channels != 2 or not file.frames:
                raise ValueError("it is no stereo recording")
            width = max(file.samplerate // PER_SECOND, -(-file.frames // MOST_COLUMNS))
            peaks = [_peaks(block, width) for block in file.blocks(_BLOCK // width * width or width, dtype="float32")]
            seconds = file.frames / file.samplerate
    except soundfile.LibsndfileError as error:
        raise ValueError(f"no sound can be read from it ({error})") from None
    whole = np.concatenate(peaks)
    loudest = float(whole.max()) or 1.0
    user, agent = (tuple(np.round(whole[:, channel] / loudest, 3).tolist()) for channel in (0, 1))
    return Waves(seconds, user, agent)


def _peaks(block: NDArray[numpy.float32], width: int) -> NDArray[numpy.float32]:
    import numpy as np

    starts = np.arange(0, len(block), width)
    found: NDArray[numpy.float32] = np.maximum.reduceat(np.abs(block), starts, axis=0)
    return found


def envelope(values: Sequence[float], x: float, width: float, middle: float, half: float) -> str:
    """The path of an envelope between two places, as far from the middle above as below."""
    step = width / len(values)
    above = [f"{x + number * step:.1f} {middle - half * value:.1f}" for number, value in enumerate(values)]
    below = [f"{x + number * step:.1f} {middle + half * value:.1f}" for number, value in enumerate(values)]
    return f"M{'L'.join(above)}L{'L'.join(reversed(below))}z"


@dataclass(frozen=True)
class SessionSound:
    """What the page has of a session's recording: a player, and waves; or why it has none, in one line."""

    player: Markup | None = None
    waves: Waves | None = None
    note: str = ""


def recording_beside(log: Path) -> Path:
    """Where the recording of a session lies."""
    return log.with_suffix(SUFFIX)


def session_sound(record: SessionRecord, log: Path, recordings: Recordings) -> SessionSound:
    """The recording beside a log.

    A session without sound has neither player nor note.
    """
    if not record.key.sound or recordings.mode == "none":
        return SessionSound()
    path = recording_beside(log)
    number = recordings.number(str(path))
    if number is None:
        return SessionSound(note=f"its recording {recordings.refused.get(str(path), 'is not there')}")
    try:
        waves = waves_of(path)
    except (OSError, ValueError) as error:
        return SessionSound(note=f"its recording cannot be shown: {error}")
    linked = recordings.sources()[number] if recordings.mode == "link" else None
    player = element(
        "audio",
        controls=True,
        preload="none",
        src=linked,
        data_audio=number,
        aria_label="recording, the user left and the agent right",
    )
    return SessionSound(player, waves)
