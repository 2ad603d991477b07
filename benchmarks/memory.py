"""Memory of a long pass: python benchmarks/memory.py [--interface SPEC] [-n N] [--seconds S].

Distinct recordings of noise, transcribed and stored by the engine; the resident memory of the process after every
tenth of them. It must not grow with the number of recordings: what it grows by after the first fifth is printed, too.
Linux only.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import soundfile
from table import print_table

from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript

SPEECH = Path(__file__).resolve().parent.parent / "fixtures_audio" / "desktop" / "search-engine.slt.flac"


def resident() -> float:
    """The resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def make_recordings(folder: Path, number: int, seconds: float) -> list[Path]:
    """The same speech in noise that differs, so that no transcript is stored twice."""
    speech, rate = soundfile.read(SPEECH, stop=round(seconds * 16_000), dtype="float32")
    draw = np.random.default_rng(0)
    paths = [folder / f"{index}.wav" for index in range(number)]
    for path in paths:
        soundfile.write(path, speech + 0.003 * draw.standard_normal(len(speech)), rate)
    return paths


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interface", default="whisper:tiny.en")
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    step = max(options.n // 10, 1)
    taken: list[tuple[int, float]] = [(0, resident())]
    failed: list[str] = []

    def deliver(key: str, outcome: Transcript | str) -> None:
        if isinstance(outcome, str):
            failed.append(outcome)

    def report(progress: Progress) -> None:
        if progress.done % step == 0:
            taken.append((progress.done, resident()))

    with tempfile.TemporaryDirectory() as name:
        paths = make_recordings(Path(name), options.n, options.seconds)
        jobs = [Job(options.interface, Utterance(path.stem, "1", "", "", path)) for path in paths]
        transcribe_all(jobs, Store(Path(name) / "store"), Setup(), deliver, report)
    settled = [megabytes for done, megabytes in taken if done >= options.n / 5]
    print(f"{options.interface}, {options.n} recordings of {options.seconds:g} s, {len(failed)} failed")
    print_table(["recordings", "MB"], [[done, f"{megabytes:.0f}"] for done, megabytes in taken])
    print(f"growth after the first fifth: {settled[-1] - settled[0]:+.1f} MB")
    for line in failed[:1]:
        print(line)


if __name__ == "__main__":
    main()
