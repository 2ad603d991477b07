"""The frames of an MP3 file, counted one by one.

An MP3 file need not say how long it is: only the first frame of some (Xing, Info, VBRI) counts those that follow.
Without it a decoder guesses from the first bit rate, and reads no further than its guess; with one that is wrong it
reads as far as that. The frames themselves tell, as each begins with its own length (ISO/IEC 11172-3, 2.4.1.3).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pytest_talk2agent.speech.containers import AudioError

_KBITS = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = (44_100, 48_000, 32_000)
_VERSIONS = {3: 1, 2: 2, 0: 4}  # the two bits of a header: MPEG-1, MPEG-2, MPEG-2.5, by what divides the rate
_LAYERS = {3: 1, 2: 2, 1: 3}
_SEARCHED = 1 << 20  # bytes that are searched for the next frame
_LONGEST_LYRICS = 1 << 16
_XING = 120  # bytes of a first frame in which its count stands


@dataclass(frozen=True)
class FrameHeader:
    """Four bytes that begin a frame: ``length`` of the frame in bytes, ``samples`` of a channel in it, Hz."""

    raw: bytes
    version: int
    layer: int
    rate: int
    length: int
    samples: int

    @property
    def side_information(self) -> int:
        """Bytes between the header and where a Xing or Info count stands (layer III)."""
        mono = self.raw[3] >> 6 == 3
        return (17 if mono else 32) if self.version == 1 else (9 if mono else 17)


@dataclass(frozen=True)
class Frames:
    """What an MP3 file holds.

    ``spans`` are where its frames of sound stand (begin and end in bytes; tags may lie between), ``count`` how many
    there are. ``first`` is the frame before them that holds a count, empty where there is none; ``declared`` is what it
    counts, None where it does not. ``stray`` bytes behind the last frame are neither sound nor a tag.
    """

    header: FrameHeader
    spans: tuple[tuple[int, int], ...]
    count: int
    first: bytes
    declared: int | None
    stray: int

    @property
    def seconds(self) -> float:
        """How long all frames last."""
        return self.seconds_of(self.count)

    def seconds_of(self, count: int) -> float:
        """How long so many frames last."""
        return count * self.header.samples / self.header.rate

    def counted_anew(self) -> bytes:
        """A first frame that counts more frames than there can be, to stand before the first frame of sound.

        A decoder that believes it reads to the end.
        """
        header = self.header
        version, layer, rate = header.raw[1] >> 3 & 3, header.raw[1] >> 1 & 3, header.raw[2] >> 2 & 3
        # The largest frame of its kind holds the count, whatever the channels.
        raw = bytes([0xFF, 0xE1 | version << 3 | layer << 1, 14 << 4 | rate << 2, header.raw[3]])
        largest = _header(raw)
        assert largest is not None, "made of a valid header's own bits"
        body = bytes(largest.side_information) + b"Info" + (1).to_bytes(4, "big") + (1 << 24).to_bytes(4, "big")
        return (raw + body).ljust(largest.length, b"\0")


def frames_of(path: Path, file: BinaryIO, most_seconds: float) -> Frames:
    """Count the frames of an MP3 file; of one that lasts longer than ``most_seconds``, no more than that.

    Raises AudioError: no MP3 file, free format, cut within a frame, fewer frames than its first one counts, no frame
    where one should begin.
    """
    size = os.fstat(file.fileno()).st_size
    behind_tags = _behind_tags(file, 0)
    if behind_tags > size:
        raise AudioError(path, "truncated: its tag is longer than the file", "copy it again")
    beginning = _next_frame(file, behind_tags, size, None)
    if beginning is None:
        raise AudioError(path, "no wav, flac, ogg, opus or mp3 file", "convert it, for example: ffmpeg -i IN OUT.flac")
    begin, header = beginning
    if not header.length:
        raise AudioError(path, "an MP3 file of free format, whose length is not known", "convert it to FLAC")
    is_sound, declared, whole = _declared(file, begin, header, size)
    first_frame = b"" if is_sound else _bytes(file, begin, header.length)
    position, count = begin + len(first_frame), 0
    spans = [(position, position)]
    most = most_seconds * header.rate / header.samples + 1
    stray = 0
    while position < size and count <= most:
        found = _header_at(file, position)
        if found is not None and _alike(found, header):
            if position + found.length > size:
                missing = position + found.length - size
                raise AudioError(path, f"truncated: {missing} bytes of its last frame are missing", "copy it again")
            begin = spans.pop()[0] if spans[-1][1] == position else position
            position += found.length
            spans.append((begin, position))
            count += 1
            continue
        if (behind := _behind_tags(file, position)) > position:
            position = behind
            continue
        if padding := _zeros(file, position):
            position += padding
            continue
        further = _next_frame(file, position, size, header)
        if further is not None:
            raise AudioError(path, f"damaged: no frame of sound at byte {position}", "copy it again")
        elif size - position < 4 and _starts_frame(file, position):
            raise AudioError(path, "truncated: its last frame is missing", "copy it again")
        else:
            stray = size - position
            break
    frames = Frames(header, tuple(spans), count, first_frame, declared, stray)
    if declared is not None and count < declared and count <= most and not (whole and count == declared - 1):
        there, promised = frames.seconds, frames.seconds_of(declared)
        raise AudioError(path, f"truncated: {there:.2f} of {promised:.2f} seconds are there", "copy it again")
    return frames


def _header(raw: bytes) -> FrameHeader | None:
    if len(raw) < 4 or raw[0] != 0xFF or raw[1] & 0xE0 != 0xE0:
        return None
    version, layer = _VERSIONS.get(raw[1] >> 3 & 3), _LAYERS.get(raw[1] >> 1 & 3)
    bits, rate, padding = raw[2] >> 4, raw[2] >> 2 & 3, raw[2] >> 1 & 1
    if version is None or layer is None or bits == 15 or rate == 3:
        return None
    hertz = _RATES[rate] // version
    bit_rate = 1000 * _KBITS[min(version, 2), layer][bits]
    if layer == 1:
        samples, length = 384, (12 * bit_rate // hertz + padding) * 4
    else:
        samples = 576 if layer == 3 and version > 1 else 1152
        length = samples // 8 * bit_rate // hertz + padding
    return FrameHeader(raw, version, layer, hertz, length if bit_rate else 0, samples)


def _header_at(file: BinaryIO, position: int) -> FrameHeader | None:
    return _header(_bytes(file, position, 4))


def _alike(one: FrameHeader, other: FrameHeader) -> bool:
    return (one.version, one.layer, one.rate) == (other.version, other.layer, other.rate) and one.length > 0


def _next_frame(file: BinaryIO, begin: int, size: int, like: FrameHeader | None) -> tuple[int, FrameHeader] | None:
    """The next place at which a frame begins: a header, with another one, a tag or the end of the file behind it."""
    searched = _bytes(file, begin, min(size - begin, _SEARCHED))
    at = -1
    while (at := searched.find(b"\xff", at + 1)) >= 0:
        header = _header(searched[at : at + 4])
        if header is None or (like is not None and not _alike(header, like)):
            continue
        if at == 0 and like is None and not header.length:
            return begin, header
        behind = begin + at + header.length
        following = _header_at(file, behind) if header.length and behind < size else None
        ends = behind == size or (behind > size and at == 0) or (behind < size and _behind_tags(file, behind) > behind)
        if (following is not None and _alike(following, header)) or (header.length and ends):
            return begin + at, header
    return None


def _behind_tags(file: BinaryIO, position: int) -> int:
    """Where the tags that begin at a position end; the position where there is none."""
    while True:
        head = _bytes(file, position, 32)
        if head[:3] == b"ID3" and len(head) >= 10:
            length = 0
            for byte in head[6:10]:
                length = length << 7 | byte & 0x7F
            position += 10 + length + (10 if head[5] & 0x10 else 0)
        elif head[:8] == b"APETAGEX" and len(head) == 32:
            footer = int.from_bytes(head[12:16], "little")
            position += 32 + (footer if head[23] & 0x20 else 0)
        elif head[:4] == b"TAG+":
            position += 227
        elif head[:3] == b"TAG":
            position += 128
        elif head[:11] == b"LYRICSBEGIN":
            text = _bytes(file, position + 11, _LONGEST_LYRICS)
            end = max(text.find(b"LYRICS200"), text.find(b"LYRICSEND"))
            if end < 0:
                return position
            position += 11 + end + 9
        else:
            return position


def _declared(file: BinaryIO, begin: int, header: FrameHeader, size: int) -> tuple[bool, int | None, bool]:
    """Whether the first frame is sound, how many frames it counts, and whether all bytes that it counts are there."""
    frame = _bytes(file, begin, min(header.length, _XING))
    at = 4 + header.side_information
    if frame[at : at + 4] in (b"Xing", b"Info") and len(frame) >= at + 16:
        flags, count, length = (int.from_bytes(frame[at + place : at + place + 4], "big") for place in (4, 8, 12))
        return False, count if flags & 1 else None, bool(flags & 2) and begin + length <= size
    if frame[36:40] == b"VBRI" and len(frame) >= 54:
        return False, int.from_bytes(frame[50:54], "big"), begin + int.from_bytes(frame[46:50], "big") <= size
    return True, None, False


def _zeros(file: BinaryIO, begin: int) -> int:
    """How many bytes of padding stand at a position."""
    block = _bytes(file, begin, _SEARCHED)
    return len(block) - len(block.lstrip(b"\0"))


def _starts_frame(file: BinaryIO, position: int) -> bool:
    rest = _bytes(file, position, 4)
    return rest[:1] == b"\xff" and rest[1:2] >= b"\xe0"[: len(rest) - 1]


def _bytes(file: BinaryIO, begin: int, length: int) -> bytes:
    file.seek(begin)
    return file.read(length)
