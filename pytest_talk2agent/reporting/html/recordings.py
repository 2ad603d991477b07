"""The recordings of a page: linked beside it, or carried inside it."""

from __future__ import annotations

import base64
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import quote

from pytest_talk2agent.reporting.html.markup import Markup
from pytest_talk2agent.tasks.files import open_regular

AudioMode = Literal["link", "embed", "none"]

LARGEST = 100 << 20
"""Bytes of one recording that a saved run may embed: almost an hour of 16-bit speech at 16 kHz."""

TYPES = {
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
}


@dataclass(frozen=True)
class Bounds:
    """Which files a saved run may bring into a page. The run names them, and anybody may have written it.

    A file must lie below one of ``roots``, links followed, and be audio by its bytes, whatever its name; what is
    embedded must have a digest that the run recorded for the name, where ``sha256`` has any.
    """

    roots: tuple[Path, ...]
    sha256: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def check(self, audio: str, *, embed: bool) -> None:
        """Raise ValueError with the reason where the file may not be in the page, OSError where it cannot be read."""
        place = Path(audio).resolve()
        if not any(place.is_relative_to(root.resolve()) for root in self.roots):
            raise ValueError("lies in no folder that the run heard; name its own with --audio-root if it belongs here")
        with open_regular(place) as stream:
            if not embed:
                _refuse_other_than_audio(stream)
                return
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError(f"is larger than {LARGEST >> 20} MB, too large to be carried along")
        _refuse_other_than_audio(io.BytesIO(content))
        heard = self.sha256.get(audio)
        if heard and hashlib.sha256(content).hexdigest() not in heard:
            raise ValueError("is another file than the run heard: its SHA-256 differs")


class Recordings:
    """Numbers the files that exist, each once; ``absent`` are those that a result names and the page does not have.

    ``folder`` is where the page will stand: a link is relative to it, so that both can be moved together. ``refused``
    says of some absent ones why they are not taken although something is there. ``bounds`` are needed wherever the
    results were read from a file; without them the results are those of this process, which heard the recordings.
    """

    def __init__(self, mode: AudioMode, folder: Path, bounds: Bounds | None = None) -> None:
        self.mode = mode
        self.absent: set[str] = set()
        self.refused: dict[str, str] = {}
        self._folder = folder.resolve()
        self._bounds = bounds
        self._numbers: dict[str, int] = {}

    def number(self, audio: str | None) -> int | None:
        """The number of a recording, None where the page has none."""
        if audio is None or self.mode == "none" or audio in self.absent:
            return None
        if audio not in self._numbers:
            if not self._is_there(audio):
                self.absent.add(audio)
                return None
            self._numbers[audio] = len(self._numbers)
        return self._numbers[audio]

    def _is_there(self, audio: str) -> bool:
        if not os.path.lexists(audio) or (self._bounds is None and not Path(audio).is_file()):
            return False
        try:
            if self._bounds is not None:
                self._bounds.check(audio, embed=self.mode == "embed")
        except OSError as error:
            self.refused[audio] = f"cannot be read: {error.strerror}"
        except ValueError as error:
            self.refused[audio] = str(error)
        return audio not in self.refused

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


def digests(pairs: Iterable[tuple[str | None, str | None]]) -> dict[str, frozenset[str]]:
    """The digests of each name, from pairs of a name and a digest; a pair that lacks either is left out."""
    found: dict[str, set[str]] = {}
    for audio, sha256 in pairs:
        if audio and sha256:
            found.setdefault(audio, set()).add(sha256)
    return {audio: frozenset(known) for audio, known in found.items()}


def _refuse_other_than_audio(stream: BinaryIO) -> None:
    """Raise ValueError unless the bytes are audio; a stream has no name that could say so for them."""
    import soundfile

    try:
        with soundfile.SoundFile(stream):
            return
    except (soundfile.LibsndfileError, TypeError):  # the latter for what would need to be told its format
        raise ValueError("is no audio") from None
