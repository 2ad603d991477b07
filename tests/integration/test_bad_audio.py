"""A recording that cannot be used is the error of its own item, in one clear line; the others go on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.conftest import Run, write_tone
from tests.speech.test_mp3 import frames

FAKE = "--t2a-interface=python:fake_asr:Recogniser"
TASK = """\
id: audio/{name}
instruction: Set the port to 8080.
recordings: [{{audio: audio/{name}.wav{more}}}]
intentions: {{port: {{say: "8080", kind: number}}}}
value: port
"""


def silent(path: Path) -> None:
    soundfile.write(path, np.zeros(16_000), 16_000)


def truncated(path: Path) -> None:
    write_tone(path, seconds=1)
    path.write_bytes(path.read_bytes()[:8000])


def long(path: Path) -> None:
    soundfile.write(path, np.tile([0.0, 0.2], 10 * 60 * 1000), 1000, subtype="PCM_U8")


def stereo(path: Path) -> None:
    sound = 0.3 * np.sin(np.arange(48_000) / 20)
    soundfile.write(path, np.stack([sound, 0.5 * sound], axis=1), 48_000, subtype="PCM_16")


def mp3(path: Path) -> list[bytes]:
    """A variable bit rate of sound that begins loud; its frames, the first of which counts the others."""
    sound = 0.2 * np.random.default_rng(5).standard_normal(16_000) * np.repeat([1.0, 0.001], 8_000)
    soundfile.write(path, sound, 16_000, format="MP3", bitrate_mode="VARIABLE", compression_level=0.5)
    return frames(path.read_bytes())


def uncounted(path: Path) -> None:
    path.write_bytes(b"".join(mp3(path)[1:]))


def counted_too_high(path: Path) -> None:
    path.write_bytes(b"".join(mp3(path)[:-5]))


def cut_in_a_frame(path: Path) -> None:
    path.write_bytes(b"".join(mp3(path)[1:])[:-7])


def flipped(path: Path) -> None:
    sound = np.random.default_rng(5).standard_normal(160_000)
    soundfile.write(path, 0.2 * sound, 16_000, format="OGG", subtype="VORBIS")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def infinite(path: Path) -> None:
    soundfile.write(path, np.where(np.arange(16_000) == 99, np.inf, 0.3), 16_000, subtype="FLOAT")


Make = Callable[[Path], object]
BAD: dict[str, tuple[Make, str]] = {
    "missing": (lambda path: None, "no such recording"),
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "text": (lambda path: path.write_text("Set the port to 8080."), "*"),
    "silent": (silent, "silent"),
    "truncated": (truncated, "truncated"),
    "long": (long, "too long: 1200 s, at most 900 s"),
    "folder": (lambda path: path.mkdir(), "a folder"),
    "fifo": (os.mkfifo, "no regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "no regular file"),
    "infinite": (infinite, "not finite"),
    "counted": (counted_too_high, "truncated"),
    "cut": (cut_in_a_frame, "truncated"),
    "flipped": (flipped, "damaged"),
}
GOOD: dict[str, Make] = {"mono": write_tone, "stereo": stereo, "uncounted": uncounted}


def write_suite(folder: Path) -> Path:
    documents = [TASK.format(name=name, more="") for name in (*BAD, *GOOD)]
    documents.append(TASK.format(name="swapped", more=f", sha256: {'0' * 64}"))
    (folder / "audio").mkdir(exist_ok=True)
    for name, (make, _) in BAD.items():
        make(folder / "audio" / f"{name}.wav")
    for name, write in GOOD.items():
        write(folder / "audio" / f"{name}.wav")
    write_tone(folder / "audio" / "swapped.wav", 555)
    texts = ", ".join(f'"{name}": "Set the port to 8080."' for name in (*BAD, *GOOD, "swapped"))
    (folder / "texts.json").write_text(f"{{{texts}}}", encoding="utf-8")
    path = folder / "audio.yaml"
    path.write_text("---\n".join(documents), encoding="utf-8")
    return path


def test_each_fails_only_its_own_item(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    result = run(write_suite(pytester.path), FAKE)
    result.assert_outcomes(passed=len(GOOD), errors=len(BAD) + 1)
    assert result.ret == 1
    output = result.stdout.str()
    assert "Traceback" not in output
    lines = {
        line.split("[")[0].removeprefix("ERROR audio/"): line for line in result.outlines if "ERROR audio/" in line
    }
    for name, (_, message) in BAD.items():
        assert f"audio/{name}.wav: " in lines[name]
        assert message == "*" or message in lines[name]
    assert "its SHA-256 is" in lines["swapped"]
    result.stdout.fnmatch_lines([f"GATE FAILED: {len(BAD) + 1} items could not be judged: *"])
