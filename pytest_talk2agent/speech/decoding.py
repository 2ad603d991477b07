"""Decoding of a whole audio file, even where its header declares a wrong length."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pytest_talk2agent.speech.containers import AudioError, flac_header
from pytest_talk2agent.speech.mp3 import Frames, frames_of

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Samples = NDArray[numpy.float32]

MAX_SECONDS = 15 * 60
"""The longest recording that is read; a spoken instruction takes a minute or two."""

_MOST_VALUES = 1 << 28  # samples of all channels: one gigabyte, twenty-five minutes of 88.2 kHz stereo
_BLOCK = 1 << 16
_FLAC_HEADER = 26  # bytes: the marker and what its first block says up to the number of samples
_CLOSE = 2  # frames of an MP3 file that a decoder may need before it gives a sample
_MOST_PADDING = 4095  # samples: the most that the first frame of an MP3 file can take off at either end


@dataclass(frozen=True)
class Decoded:
    """``frames`` x channels at full scale 1, their rate in Hz, the format's name, and what is odd about the file."""

    frames: Samples
    rate: int
    kind: str
    notes: tuple[str, ...] = ()


def decoded(path: Path) -> Decoded:
    """All the sound of a file whose container was checked.

    Raises AudioError: not to be decoded, longer than `MAX_SECONDS`, or less sound in it than it promises.
    """
    import soundfile

    try:
        with path.open("rb") as file:
            if (start := flac_header(file)) is not None:
                return _flac(path, file, start)
            file.seek(0)
            if file.read(4) in (b"RIFF", b"RIFX", b"RF64", b"OggS"):
                return _as_promised(path, file)
            return _mp3(path, file)
    except OSError as error:
        raise AudioError(path, f"cannot be read ({error.strerror})", "check its permissions") from None
    except soundfile.SoundFileError as error:
        reason = str(error).rpartition(": ")[2].strip().rstrip(".")
        raise AudioError(path, f"truncated or damaged ({reason})", "copy or convert it again") from None


def seconds_promised(path: Path) -> float:
    """How long a file is by its header, an MP3 file by its frames; 0 for what is no audio. Decodes nothing."""
    import soundfile

    if not path.is_file():  # to open a FIFO is to wait
        return 0.0
    try:
        with path.open("rb") as file:
            head = file.read(4)
            if (head[:3] == b"ID3" or head[:1] == b"\xff") and flac_header(file) is None:
                return frames_of(path, file, MAX_SECONDS).seconds
            file.seek(0)
            return min(float(soundfile.info(file).duration), MAX_SECONDS + 1.0)
    except (soundfile.SoundFileError, OSError, AudioError):
        return 0.0


def _as_promised(path: Path, file: BinaryIO) -> Decoded:
    """WAV and Ogg: `check_container` has compared the header with the file."""
    file.seek(0)
    with _opened(file) as sound:
        promised = sound.frames
        if promised > MAX_SECONDS * sound.samplerate:
            raise _too_long(path, promised / sound.samplerate)
        found = _read(path, sound)
    if len(found.frames) < promised:
        raise _truncated(path, found, promised)
    return found


def _flac(path: Path, file: BinaryIO, start: int) -> Decoded:
    """FLAC promises a number of samples, or 0 where its writer could not go back to say. The decoder is told 0."""
    file.seek(start)
    head = bytearray(file.read(_FLAC_HEADER))
    if len(head) < _FLAC_HEADER:
        raise AudioError(path, "truncated or damaged (its header is cut)", "copy or convert it again")
    promised = int.from_bytes(head[21:26], "big") & 0xF_FFFF_FFFF
    head[21] &= 0xF0
    head[22:26] = bytes(4)
    size = os.fstat(file.fileno()).st_size
    with _opened(_Spliced(bytes(head), file, ((start + _FLAC_HEADER, size),))) as sound:
        if promised > MAX_SECONDS * sound.samplerate:
            raise _too_long(path, promised / sound.samplerate)
        found = _read(path, sound)
    if not promised:
        return _noted(found, "its header gives no length: a missing end cannot be noticed")
    if len(found.frames) < promised:
        raise _truncated(path, found, promised)
    if len(found.frames) > promised:
        return _noted(found, _more(promised / found.rate, len(found.frames) / found.rate))
    return found


def _mp3(path: Path, file: BinaryIO) -> Decoded:
    frames = frames_of(path, file, MAX_SECONDS)
    if frames.seconds > MAX_SECONDS:
        raise _too_long(path, frames.seconds)
    if not frames.count:
        raise AudioError(path, "empty: no sound in it", "record it again")
    # A count that is right stands beside how much silence the encoder added at the ends, which the decoder takes off.
    head = frames.first if frames.declared == frames.count else frames.counted_anew()
    with _opened(_Spliced(head, file, frames.spans)) as sound:
        found = _read(path, sound)
    if len(found.frames) < (frames.count - _CLOSE) * frames.header.samples - 2 * _MOST_PADDING:
        raise AudioError(
            path,
            f"damaged: {len(found.frames) / found.rate:.2f} of {frames.seconds:.2f} seconds can be decoded",
            "copy it again",
        )
    return _noted(found, *_mp3_notes(frames))


def _mp3_notes(frames: Frames) -> Iterator[str]:
    if frames.declared is None:
        yield "its header gives no length: a missing end cannot be noticed"
    elif frames.declared < frames.count:
        yield _more(frames.seconds_of(frames.declared), frames.seconds)
    if frames.stray:
        yield f"{frames.stray} bytes behind its last frame are no sound"


class _Spliced(io.RawIOBase):
    """Some bytes and then parts of a file (begin and end), as one file."""

    def __init__(self, head: bytes, file: BinaryIO, spans: Sequence[tuple[int, int]]) -> None:
        self._head, self._file, self._at = head, file, 0
        self._parts, position = [], len(head)
        for begin, end in spans:
            self._parts.append((position, begin, end - begin))
            position += end - begin
        self._size = position

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = len(buffer)
        data = self._head[self._at : self._at + wanted]
        for position, begin, length in self._parts:
            inside = self._at + len(data) - position
            if len(data) < wanted and 0 <= inside < length:
                self._file.seek(begin + inside)
                data += self._file.read(min(wanted - len(data), length - inside))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


@contextmanager
def _opened(file: Any) -> Iterator[Any]:
    import soundfile

    class Forward(soundfile.SoundFile):  # type: ignore[misc]
        """After each block soundfile seeks to where it is; at the end of what has no length that fails."""

        def seekable(self) -> bool:
            return False

    with Forward(file) as sound:
        yield sound


def _read(path: Path, sound: Any) -> Decoded:
    import numpy as np

    rate, channels = sound.samplerate, sound.channels
    blocks, length = [], 0
    while len(block := sound.read(frames=_BLOCK, dtype="float32", always_2d=True)):
        blocks.append(block)
        length += len(block)
        # The bounds hold for files that promise no length, too.
        if length > MAX_SECONDS * rate:
            raise _too_long(path, length / rate)
        if length * channels > _MOST_VALUES:
            raise AudioError(
                path, f"too much: over {_MOST_VALUES} samples, {rate} Hz x {channels}", "convert it to 16 kHz mono"
            )
    frames = np.concatenate(blocks) if blocks else np.zeros((0, channels), dtype=np.float32)
    return Decoded(frames, rate, f"{sound.format}/{sound.subtype}")


def _noted(found: Decoded, *notes: str) -> Decoded:
    return Decoded(found.frames, found.rate, found.kind, (*found.notes, *notes))


def _more(promised: float, there: float) -> str:
    return f"its header promises {promised:.2f} of the {there:.2f} seconds that are there; all of it is read"


def _truncated(path: Path, found: Decoded, promised: int) -> AudioError:
    there, whole = len(found.frames) / found.rate, promised / found.rate
    return AudioError(path, f"truncated: {there:.2f} of {whole:.2f} seconds are there", "copy it again")


def _too_long(path: Path, seconds: float) -> AudioError:
    return AudioError(path, f"too long: {seconds:.0f} s, at most {MAX_SECONDS} s", "cut it to the instruction")
