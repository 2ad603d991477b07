"""Scripts to recordings: each made once, kept by what it is made of, and listed in a manifest that pytest reads.

A recording is 16 kHz mono FLAC of 16 bits with its peak at a quarter of full scale and 0.15 s of silence at either end.
What is rendered lies in a store under the hash of voice, text and form, so an interrupted run goes on where it stopped
and a voice that is the same speaks no script twice.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.recording.shared_manifest import key_of, refuse_clash, update
from pytest_talk2agent.recording.voices import Speech, Voice, VoiceError, VoiceSpec
from pytest_talk2agent.speech.audio import audio_seconds
from pytest_talk2agent.speech.libraries import quiet_import

RATE = 16_000
PEAK = 0.25
QUIET_SECONDS = 0.15
FORM = "1"
"""Raised whenever the same speech would become other bytes."""


@dataclass(frozen=True)
class Line:
    """One recording to be made: of which task, by which voice, saying what."""

    task: str
    script: str
    spec: VoiceSpec
    voice: Voice

    @property
    def name(self) -> str:
        """The file name of the recording."""
        return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', self.task)}.{self.spec.label}.flac"

    @property
    def key(self) -> str:
        """What determines the recording."""
        made_of = {"form": FORM, "text": self.script, "voice": dict(self.voice.identity())}
        return hashlib.sha256(json.dumps(made_of, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True)
class Rendered:
    """A recording that lies where it belongs; ``kept`` says that it was known."""

    line: Line
    path: Path
    sha256: str
    kept: bool

    @property
    def seconds(self) -> float:
        """How long it is."""
        return audio_seconds(self.path)


def render(
    lines: Sequence[Line], folder: Path, store: Path, workers: int, tell: Callable[[Rendered], None] = lambda one: None
) -> list[Rendered]:
    """Make every recording that the store lacks, ``workers`` at a time; returns all, in the order of ``lines``.

    Raises VoiceError with the first fault, after what is under way has been kept; ValueError where two recordings would
    have one name.
    """
    names: dict[str, Line] = {}
    for line in lines:
        if line.name in names:
            raise ValueError(f"tasks {names[line.name].task} and {line.task} would share {line.name}; rename one")
        names[line.name] = line
    folder.mkdir(parents=True, exist_ok=True)
    locks = {id(line.voice): threading.Lock() for line in lines if not line.voice.at_once}
    stop = threading.Event()

    def one(line: Line) -> Rendered:
        if stop.is_set():
            raise VoiceError("interrupted")
        kept = store / line.key[:2] / f"{line.key}.flac"
        known = kept.exists()
        if not known:
            lock = locks.get(id(line.voice))
            if lock is None:
                speech = line.voice.speak(line.script)
            else:
                with lock:
                    speech = line.voice.speak(line.script)
            _write(kept, recording_of(speech, line))
        path = folder / line.name
        content = kept.read_bytes()
        if not path.exists() or path.read_bytes() != content:
            keep_whole(path, content)
        return Rendered(line, path, hashlib.sha256(content).hexdigest(), known)

    made: list[Rendered] = []
    fault: BaseException | None = None
    with ThreadPoolExecutor(workers, thread_name_prefix="t2a-voice") as pool:
        for future in [pool.submit(one, line) for line in lines]:
            try:
                rendered = future.result()
            except BaseException as error:
                stop.set()
                fault = fault or error
                continue
            made.append(rendered)
            tell(rendered)
    if fault is not None:
        raise fault
    return made


def recording_of(speech: Speech, line: Line) -> bytes:
    """The bytes of a recording; raises VoiceError where the voice said nothing."""
    import numpy as np
    import soundfile

    with quiet_import():
        import soxr

    samples, rate = speech
    if not len(samples) or not np.abs(samples).max() > 0:
        raise VoiceError(f"voice {line.spec.text!r} said nothing for task {line.task}: {line.script[:60]!r}")
    if rate != RATE:
        samples = soxr.resample(samples, rate, RATE, quality="VHQ")
    quiet = np.zeros(int(QUIET_SECONDS * RATE))
    sound = np.concatenate([quiet, samples, quiet])
    sound = sound * (PEAK / np.max(np.abs(sound)))
    out = io.BytesIO()
    soundfile.write(out, sound, RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)
    return out.getvalue()


def write_manifest(path: Path, rendered: Iterable[Rendered]) -> None:
    """List recordings in a manifest; lines of other tasks, takes and makers, which are there already, stay."""
    rows = [
        {
            **row_of(one.line, one.path.parent, path.parent),
            "sha256": one.sha256,
            "seconds": round(one.seconds, 2),
            "voice": one.line.spec.unlabelled,
            "script": one.line.script,
        }
        for one in rendered
    ]
    own = {key_of(row): row["audio"] for row in rows}
    update(path, rows, lambda row: own.get(key_of(row)) == row["audio"])


def check_manifest(path: Path, lines: Iterable[Line], folder: Path) -> None:
    """Raise SharedManifestError where what a manifest has already would clash with recordings in ``folder``."""
    rows = [{**row_of(line, folder, path.parent), "script": line.script} for line in lines]
    own = {key_of(row): row["audio"] for row in rows}
    refuse_clash(path, rows, lambda row: own.get(key_of(row)) == row["audio"])


def row_of(line: Line, folder: Path, beside: Path) -> dict[str, Any]:
    """What a manifest in ``beside`` says of a recording before it is made."""
    audio = Path(os.path.relpath(folder / line.name, beside)).as_posix()
    return {"task": line.task, "audio": audio, "speaker": line.spec.label, "take": line.spec.label}


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_whole(path, content)


def keep_whole(path: Path, content: bytes) -> None:
    """A reader sees the whole file or none."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
