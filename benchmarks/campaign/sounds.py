"""Recordings that are broken, cut, swapped or no recordings."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from campaign.fault import Break, Fault, Wanted, spread, turn
from campaign.observed import Ended
from campaign.project import BASELINE, HEAR, REPORT, Project

NAME = "suite/audio/r2.wav"
SECONDS = 6.0
_LENGTHS = """
from pathlib import Path

HERE = Path(__file__).parent


class R:
    def identity(self):
        return {"weights": "1"}

    def transcribe(self, batch):
        with (HERE / "lengths.txt").open("a") as stream:
            for utterance in batch:
                stream.write(f"{Path(utterance.path).stem} {len(utterance.audio.samples) / utterance.audio.rate}\\n")
        return [f"Set the port to {8000 + int(Path(u.path).stem[1:])} and restart nginx." for u in batch]
"""


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, change in BROKEN.items():
        yield from spread(
            "recording broken", place, _recording(change), "suite", HEAR, REPORT, wanted=Wanted.LOST, modes=turn(place)
        )
        yield from spread(
            "recording broken", f"{place}, against the baseline", _recording(change), modes=turn(place + "b")
        )
    for place, breaks in OTHER.items():
        yield from spread("recording is another", place, breaks, "suite", HEAR, BASELINE, REPORT)
    for place, make in ENCODED.items():
        words = ("suite", "--t2a-interface=python:lengths:R", REPORT)
        cut = "cut" in place
        yield from spread(
            "recording read in part",
            place,
            _encoded(make),
            *words,
            wanted=Wanted.DECIDED if cut else Wanted.GREEN,
            check=_whole,
            modes=("alone",),
        )


def _recording(change: Callable[[Path], object]) -> Break:
    """Another file in the place of one recording, its store emptied."""

    def breaks(project: Project) -> None:
        project.forget()
        change(project.root / NAME)

    return breaks


def _fresh(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


def _noise(seconds: float, rate: int = 16_000, loud: float = 0.1) -> Any:
    return np.random.default_rng(7).normal(0, loud, round(seconds * rate)).astype("float32")


def _wave(samples: Any, rate: int = 16_000, **how: Any) -> Callable[[Path], object]:
    return lambda path: soundfile.write(path, samples, rate, format="WAV", **how)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _header(offset: int, value: int, form: str = "<I") -> Callable[[Path], object]:
    def change(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        struct.pack_into(form, whole, offset, value)
        path.write_bytes(whole)

    return change


BROKEN: Mapping[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": _cut,
    "header alone": lambda path: path.write_bytes(path.read_bytes()[:44]),
    "half a header": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "noise for bytes": lambda path: path.write_bytes(bytes(range(256)) * 100),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a text": lambda path: path.write_text("not a sound"),
    "a page": lambda path: path.write_text("<html><body>404 not found</body></html>"),
    "a pointer": lambda path: path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"),
    "silence": _wave(np.zeros(8_000, "float32")),
    "nearly silence": _wave(_noise(1, loud=1e-6), subtype="FLOAT"),
    "constant": _wave(np.full(8_000, 0.5, "float32")),
    "no sample": _wave(np.zeros(0, "float32")),
    "not a number": _wave(np.full(8_000, np.nan, "float32"), subtype="FLOAT"),
    "endless": _wave(np.full(8_000, np.inf, "float32"), subtype="FLOAT"),
    "too long": _wave(_noise(16 * 60, 2_000), 2_000),
    "rate of nought": _header(24, 0),
    "channels of nought": _header(22, 0, "<H"),
    "folder": _fresh(Path.mkdir),
    "fifo": _fresh(os.mkfifo),
    "/dev/zero": _fresh(lambda path: path.symlink_to("/dev/zero")),
    "dangling link": _fresh(lambda path: path.symlink_to("nowhere.wav")),
    "link to itself": _fresh(lambda path: path.symlink_to(path.name)),
}


def _declared(project: Project) -> None:
    project.edit("suite/tasks.yaml", lambda text: text.replace("r2.wav,", f"r2.wav, sha256: {'0' * 64},"))


def _replaced(project: Project) -> None:
    (project.root / NAME).write_bytes((project.root / "suite/audio/r3.wav").read_bytes())


def _swapped(project: Project) -> None:
    one, two = project.root / NAME, project.root / "suite/audio/r3.wav"
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)


def _one_sample(project: Project) -> None:
    path = project.root / NAME
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)


OTHER: Mapping[str, Break] = {
    "another digest declared": _declared,
    "replaced by another": _replaced,
    "swapped with another": _swapped,
    "one bit flipped": _one_sample,
}


def _mp3(sound: Any, *, mode: str, info: bool) -> bytes:
    """An MP3; without its first frame, the header that says how long it is."""
    stream = io.BytesIO()
    with soundfile.SoundFile(
        stream, "w", 16_000, 1, format="MP3", subtype="MPEG_LAYER_III", bitrate_mode=mode, compression_level=0.5
    ) as file:
        file.write(sound)
    whole = stream.getvalue()
    if info:
        return whole
    start = whole.index(b"\xff", 4)
    while whole[start + 1] & 0xE0 != 0xE0:
        start = whole.index(b"\xff", start + 1)
    return whole[start:]


def _loud_first(seconds: float) -> Any:
    """Noise, then a quiet tone: a variable rate begins high, so that a guess from the first frames is short."""
    half = round(seconds * 8_000)
    return np.concatenate([_noise(seconds / 2, loud=0.3), (0.02 * np.sin(np.arange(half) / 9)).astype("float32")])


ENCODED: Mapping[str, Callable[[], bytes]] = {
    "variable, with a header": lambda: _mp3(_loud_first(SECONDS), mode="VARIABLE", info=True),
    "variable, no header, loud first": lambda: _mp3(_loud_first(SECONDS), mode="VARIABLE", info=False),
    "variable, no header, soft first": lambda: _mp3(_loud_first(SECONDS)[::-1], mode="VARIABLE", info=False),
    "variable, no header, long": lambda: _mp3(np.tile(_loud_first(SECONDS), 5), mode="VARIABLE", info=False),
    "average, no header": lambda: _mp3(_loud_first(SECONDS), mode="AVERAGE", info=False),
    "constant, no header": lambda: _mp3(_loud_first(SECONDS), mode="CONSTANT", info=False),
    "constant, cut in half": lambda: _half(_mp3(_loud_first(SECONDS), mode="CONSTANT", info=True)),
    "variable, cut in half": lambda: _half(_mp3(_loud_first(SECONDS), mode="VARIABLE", info=True)),
}


def _half(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def _encoded(make: Callable[[], bytes]) -> Break:
    def breaks(project: Project) -> None:
        project.write("lengths.py", _LENGTHS)
        (project.root / NAME).write_bytes(make())

    return breaks


def _whole(project: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """Heard to its end; where it is known to be cut, an error; where that cannot be known, a note."""
    path = project.root / "lengths.txt"
    lengths = dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}
    heard = float(lengths.get("r2", "0"))
    said = "truncated" in ended.out or "truncated" in _results(project) or "cut" in _results(project)
    if ended.status == 0 and heard < 0.9 * SECONDS and not said:
        yield "wrong green", f"{heard:.2f} of {SECONDS:.2f} seconds were heard, and nothing says so"


def _results(project: Project) -> str:
    path = project.root / "rep" / "results.jsonl"
    return path.read_text(encoding="utf-8") if path.exists() else ""
