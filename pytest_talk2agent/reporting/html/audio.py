"""The recordings of a page: linked beside it, or carried inside it."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pytest_talk2agent.reporting.html.markup import Markup

AudioMode = Literal["link", "embed", "none"]

TYPES = {
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
}


class Recordings:
    """Numbers the files that exist, each once; ``absent`` are those that a result names and nobody finds.

    ``folder`` is where the page will stand: a link is relative to it, so that both can be moved together.
    """

    def __init__(self, mode: AudioMode, folder: Path) -> None:
        self.mode = mode
        self.absent: set[str] = set()
        self._folder = folder.resolve()
        self._numbers: dict[str, int] = {}

    def number(self, audio: str | None) -> int | None:
        """The number of a recording, None where the page has none."""
        if audio is None or self.mode == "none" or audio in self.absent:
            return None
        if audio not in self._numbers:
            if not Path(audio).is_file():
                self.absent.add(audio)
                return None
            self._numbers[audio] = len(self._numbers)
        return self._numbers[audio]

    def sources(self) -> list[str]:
        """For each number a relative link, or the media type of the block ``audio-NUMBER``."""
        if self.mode == "embed":
            return [TYPES.get(Path(audio).suffix.lower(), "application/octet-stream") for audio in self._numbers]
        links = (Path(os.path.relpath(Path(audio).resolve(), self._folder)).as_posix() for audio in self._numbers)
        return [quote(link, errors="surrogateescape") for link in links]  # the bytes of an odd file name

    def blocks(self) -> Iterator[Markup]:
        """The recordings themselves where they are embedded, one at a time; raises OSError with the path."""
        if self.mode != "embed":
            return
        for audio, number in self._numbers.items():
            text = base64.b64encode(Path(audio).read_bytes()).decode("ascii")
            yield Markup(f'<script type="text/plain" id="audio-{number}">{text}</script>\n')
