"""Read the scripts of the shipped suites aloud: write every recording that their task files list.

The name of a recording says how it is made: TASK.VOICE.flac, or TASK.VOICE.white-5db.flac for one with white noise at a
signal-to-noise ratio of 5 dB. The SHA-256 of each file is written into the task file, and manifest.jsonl lists them.

    python fixtures_audio/render.py                       # all
    python fixtures_audio/render.py 'git/*' '*.espeak.*'  # those whose path below this folder matches
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import soundfile
import soxr
import yaml
from voices import Samples, VoiceError, check, speak

_HERE = Path(__file__).resolve().parent
_SUITES = _HERE.parent / "suites"
_RATE = 16_000
_PEAK = 0.25
_QUIET = 0.15  # seconds before and after the speech, so that no recording looks cut off
_NAME = re.compile(r"(?P<task>[^.]+)\.(?P<voice>[a-z]+)(?:\.(?P<colour>white|pink)-(?P<ratio>\d+)db)?\.flac")


@dataclass(frozen=True)
class Job:
    """One recording that a task file lists: what is said, by whom, with which noise, and where it is written."""

    task_file: Path
    task: str
    script: str
    audio: str
    speaker: str
    take: str | None

    @property
    def path(self) -> Path:
        """The recording, as an absolute path."""
        return (self.task_file.parent / self.audio).resolve()

    @property
    def name(self) -> str:
        """The recording's path below this folder, which also seeds its noise."""
        return self.path.relative_to(_HERE).as_posix()


def jobs() -> Iterator[Job]:
    """Every recording of the shipped suites, in the order of the task files."""
    for task_file in sorted(_SUITES.glob("*/tasks.yaml")):
        for task in yaml.safe_load_all(task_file.read_text(encoding="utf-8")):
            for recording in task.get("recordings", ()):
                yield Job(
                    task_file=task_file,
                    task=task["id"],
                    script=" ".join(task.get("script", task["instruction"]).split()),
                    audio=recording["audio"],
                    speaker=recording["speaker"],
                    take=recording.get("take"),
                )


def render(job: Job) -> None:
    """Write one recording: 16 kHz, mono, 16 bit, peak at a quarter of full scale."""
    match = _NAME.fullmatch(job.path.name)
    if match is None or match["voice"] != job.speaker:
        raise VoiceError(f"{job.name}: the name should be TASK.{job.speaker}.flac or TASK.{job.speaker}.white-5db.flac")
    speech, rate = speak(job.speaker, job.script)
    if rate != _RATE:
        speech = soxr.resample(speech, rate, _RATE, quality="VHQ")
    quiet = np.zeros(int(_QUIET * _RATE))
    sound = np.concatenate([quiet, speech, quiet])
    if match["colour"]:
        noise = _noise(match["colour"], len(sound), job.name)
        sound = sound + noise * np.sqrt(np.mean(speech**2)) / 10 ** (int(match["ratio"]) / 20)
    sound = sound * (_PEAK / np.max(np.abs(sound)))
    job.path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(job.path, sound, _RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)


def _noise(colour: str, length: int, name: str) -> Samples:
    """Noise of unit power, the same for the same name. Pink noise has power in inverse proportion to frequency."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    noise: Samples = np.random.default_rng(seed).standard_normal(length)
    if colour == "pink":
        spectrum = np.fft.rfft(noise)
        spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
        spectrum[0] = 0
        noise = np.fft.irfft(spectrum, length)
    unit: Samples = noise / np.sqrt(np.mean(noise**2))
    return unit


def pin(job: Job, digest: str) -> None:
    """Write the recording's SHA-256 into the task file, in place of an older one."""
    text = job.task_file.read_text(encoding="utf-8")
    entry = re.compile(rf"(\{{audio: {re.escape(job.audio)}\b[^}}]*?)(?:, sha256: [0-9a-f]{{64}})?\}}")
    text, found = entry.subn(rf"\g<1>, sha256: {digest}}}", text)
    if found != 1:
        raise VoiceError(
            f"{job.task_file.name}: {found} entries `{{audio: {job.audio}, ...}}`; write exactly one, on one line"
        )
    job.task_file.write_text(text, encoding="utf-8")


def write_manifest(listed: list[Job]) -> float:
    """List all recordings in manifest.jsonl, and return their duration in seconds."""
    lines = []
    total = 0.0
    for job in listed:
        seconds = soundfile.info(job.path).duration
        total += seconds
        entry = {
            "task": job.task,
            "audio": job.name,
            "speaker": job.speaker,
            "take": job.take or job.speaker,
            "sha256": hashlib.sha256(job.path.read_bytes()).hexdigest(),
            "seconds": round(seconds, 2),
        }
        lines.append(json.dumps(entry) + "\n")
    (_HERE / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    return total


def main() -> int:
    """Render what the command line asks for; 0 when all went well, 2 when something is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("patterns", nargs="*", default=["*"], help="paths below fixtures_audio, such as 'git/*'")
    patterns = parser.parse_args().patterns
    listed = list(jobs())
    chosen = [job for job in listed if any(fnmatch(job.name, pattern) for pattern in patterns)]
    try:
        if not chosen:
            raise VoiceError(f"no listed recording matches {' '.join(patterns)}; see the task files in suites/")
        for voice in ["audio", *sorted({job.speaker for job in chosen})]:
            for difference in check(voice):
                print(f"note: {difference}", file=sys.stderr)
        for job in chosen:
            render(job)
            digest = hashlib.sha256(job.path.read_bytes()).hexdigest()
            pin(job, digest)
            print(f"{digest}  {job.name}", flush=True)
        missing = [job.name for job in listed if not job.path.exists()]
        if missing:
            raise VoiceError(f"not yet rendered: {', '.join(missing)}; run this program without a pattern")
        print(f"{len(listed)} recordings, {write_manifest(listed) / 60:.1f} minutes")
    except VoiceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
