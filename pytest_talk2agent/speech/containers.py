"""Whether an audio file is complete: decoders read what they find, these checks compare it with its header."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import BinaryIO, Literal

ByteOrder = Literal["little", "big"]

_STREAMED = 0xFFFFFFFF
_MOST_CHUNKS = 10_000
_BLOCK = 1 << 16
_CHUNK_NAME = re.compile(rb"[ -~]{4}")
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class AudioError(Exception):
    """A recording that cannot be used. One line: the path, what is wrong, what to do."""

    def __init__(self, path: Path, what: str, do: str) -> None:
        super().__init__(f"{path}: {what}; {do}")


def check_container(path: Path) -> None:
    """Raise AudioError where a file is no wav, flac, ogg, opus or mp3 by its content, or is cut off.

    WAV: the RIFF and data chunks must be finished and lie within the file, and nothing but chunks behind them. Ogg: one
    stream, every page whole and in its place, the last an end-of-stream page. FLAC and MP3 are compared with what they
    promise where they are decoded.
    """
    with path.open("rb") as file:
        head = file.read(512)
        size = os.fstat(file.fileno()).st_size
        if head[:4] in (b"RIFF", b"RIFX", b"RF64") and head[8:12] == b"WAVE":
            _check_wav(path, file, size)
        elif head[:4] == b"OggS":
            _check_ogg(path, file, size)
        elif head[:4] == b"fLaC" or head[:3] == b"ID3" or (head[0] == 0xFF and head[1:2] >= b"\xe0"):
            return
        elif head.startswith(b"version https://git-lfs"):
            raise AudioError(path, "a Git LFS pointer, not the recording", "run: git lfs pull")
        elif _is_text(head):
            raise AudioError(path, "holds text, not sound", "put the recording in its place")
        else:
            raise AudioError(
                path, "no wav, flac, ogg, opus or mp3 file", "convert it, for example: ffmpeg -i IN OUT.flac"
            )


def _is_text(head: bytes) -> bool:
    try:
        text = head[:400].decode("utf-8", errors="strict" if len(head) <= 400 else "ignore")
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character in "\t\r\n\f\ufeff" for character in text)


def _check_wav(path: Path, file: BinaryIO, size: int) -> None:
    file.seek(0)
    order: ByteOrder = "big" if file.read(4) == b"RIFX" else "little"
    declared = int.from_bytes(file.read(4), order)
    file.seek(12)
    large_data: int | None = None
    for _ in range(_MOST_CHUNKS):
        if len(header := file.read(8)) < 8:
            break
        name, length = header[:4], int.from_bytes(header[4:], order)
        start = file.tell()
        if name == b"ds64":
            # RF64: the real sizes stand here, and the 32-bit ones are all ones.
            declared = int.from_bytes(file.read(8), order)
            large_data = int.from_bytes(file.read(8), order)
        if name == b"data":
            if large_data is not None and length == _STREAMED:
                length = large_data
            if length == _STREAMED or declared in (0, _STREAMED) or (length == 0 and start < size):
                raise AudioError(path, "a WAV file that was never finished (no sizes in its header)", "record it again")
            if start + length > size:
                raise AudioError(
                    path, f"truncated: {size - start} of {length} bytes of sound are there", "copy it again"
                )
            if declared + 8 < start + length:
                raise AudioError(path, "a WAV file that was never finished (RIFF size too small)", "record it again")
            _check_behind_data(path, file, start + length, size, order)
            return
        file.seek(start + length + length % 2)
    raise AudioError(path, "truncated: a WAV file without sound data", "copy it again")


def _check_behind_data(path: Path, file: BinaryIO, end: int, size: int, order: ByteOrder) -> None:
    """What stands behind the sound must be chunks, or zeros: anything else is sound that the header does not count."""
    position = end + end % 2
    while position < size:
        file.seek(position)
        header = file.read(8)
        length = int.from_bytes(header[4:], order)
        if not header.strip(b"\0"):
            block = file.read(_BLOCK)
            position += len(header) + len(block) - len(block.lstrip(b"\0"))
        elif len(header) == 8 and _CHUNK_NAME.fullmatch(header[:4]) and position + 8 + length <= size + 1:
            position += 8 + length + length % 2
        else:
            raise AudioError(
                path, f"{size - position} bytes behind the sound that its header counts are no chunk", "export it again"
            )


def _check_ogg(path: Path, file: BinaryIO, size: int) -> None:
    position, ended, streams = 0, False, 0
    expected: dict[bytes, int] = {}
    while position < size:
        file.seek(position)
        header = file.read(27)
        if len(header) < 27 or header[:4] != b"OggS":
            raise AudioError(path, f"truncated or damaged: no Ogg page at byte {position}", "copy it again")
        segments = file.read(header[26])
        body = file.read(sum(segments))
        if len(segments) < header[26] or len(body) < sum(segments):
            raise AudioError(path, "truncated: no end-of-stream page", "copy or record it again")
        page = header[:22] + bytes(4) + header[26:] + segments + body
        if _ogg_checksum(page) != int.from_bytes(header[22:26], "little"):
            raise AudioError(path, f"damaged: the Ogg page at byte {position} is not what was written", "copy it again")
        stream, number = header[14:18], int.from_bytes(header[18:22], "little")
        begins, ended = bool(header[5] & 2), bool(header[5] & 4)
        if begins:
            streams += 1
        elif number != expected.get(stream, number):
            raise AudioError(path, f"damaged: an Ogg page before byte {position} is missing", "copy it again")
        expected[stream] = number + 1
        position += len(page)
    if not ended:
        raise AudioError(path, "truncated: no end-of-stream page", "copy or record it again")
    if streams > 1:
        raise AudioError(
            path, f"holds {streams} Ogg streams, of which one would be heard", "join them: ffmpeg -i IN OUT.flac"
        )


def _ogg_checksum(page: bytes) -> int:
    """The CRC-32 of Ogg (RFC 3533): that of zlib with the bits of each byte reversed, and nothing inverted."""
    crc = zlib.crc32(page.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{crc:032b}"[::-1], 2)


def flac_header(file: BinaryIO) -> int | None:
    """Where the marker of a FLAC file stands: at its beginning or behind an ID3 tag. None for any other file."""
    file.seek(0)
    head = file.read(10)
    start = 0
    if head[:3] == b"ID3" and len(head) == 10:
        for byte in head[6:10]:
            start = start << 7 | byte & 0x7F
        start += 10
    file.seek(start)
    return start if file.read(4) == b"fLaC" else None
