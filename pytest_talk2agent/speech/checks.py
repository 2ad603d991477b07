"""Is an audio file all there? Decoders read what they find; these checks compare it with what its header promises."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, Literal

ByteOrder = Literal["little", "big"]

_STREAMED = 0xFFFFFFFF


class AudioError(Exception):
    """A recording that cannot be used. One line: the path, what is wrong, what to do."""

    def __init__(self, path: Path, what: str, do: str) -> None:
        super().__init__(f"{path}: {what}; {do}")


def check_container(path: Path) -> None:
    """Raise AudioError where a file is no wav, flac, ogg, opus or mp3 by its content, or is cut off.

    WAV: the RIFF and data chunks must be finished and lie within the file. Ogg: the file must end with an end-of-stream
    page. FLAC and MP3 promise a number of frames, which is compared after decoding.
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
    while len(header := file.read(8)) == 8:
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
            return
        file.seek(start + length + length % 2)
    raise AudioError(path, "truncated: a WAV file without sound data", "copy it again")


def _check_ogg(path: Path, file: BinaryIO, size: int) -> None:
    position, last_page_ends_stream = 0, False
    while position < size:
        file.seek(position)
        header = file.read(27)
        if len(header) < 27 or header[:4] != b"OggS":
            raise AudioError(path, f"truncated or damaged: no Ogg page at byte {position}", "copy it again")
        segments = file.read(header[26])
        position += 27 + header[26] + sum(segments)
        last_page_ends_stream = bool(header[5] & 4)
    if position > size or not last_page_ends_stream:
        raise AudioError(path, "truncated: no end-of-stream page", "copy or record it again")
