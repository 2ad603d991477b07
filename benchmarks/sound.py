"""Conditions of sound and voices by processes: python benchmarks/sound.py [--workers N] [--voice SPEC].

Puts every shipped recording into each of some conditions, in one process and in N (2 by default), and says how many
seconds of sound a second of wall time makes; likewise for the scripts of the suite git by a voice, where one is named.
The samples must not depend on the number of workers.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from table import print_table

from pytest_talk2agent.recording.rendering import Line, render
from pytest_talk2agent.recording.voices import make_voices
from pytest_talk2agent.speech.acoustics.chain import heard_in
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound
from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.tasks.loader import load_tasks

_ROOT = Path(__file__).resolve().parents[1]
CONDITIONS = ("white@5dB", "pink@5dB", "babble@5dB", "tv@5dB", "reverb@0.4s", "phone", "opus@12kbps", "mp3@24kbps",
              "loss@5%", "speed@1.1x", "babble@5dB,reverb@0.3s,phone,loss@3%")  # fmt: skip


def one(job: tuple[Path, str]) -> tuple[float, str]:
    """Seconds of a recording, and the hash of its samples in a condition."""
    path, condition = job
    audio = heard_in(read_audio(path), parse_sound(condition))
    return audio.seconds, hashlib.sha256(audio.samples.tobytes()).hexdigest()


def main() -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--recordings", type=int, metavar="N", help="of those that are shipped (default: all)")
    parser.add_argument("--voice", metavar="SPEC")
    options = parser.parse_args()
    paths = sorted((_ROOT / "fixtures_audio").glob("*/*.flac"))[: options.recordings]
    rows = []
    with ProcessPoolExecutor(options.workers) as pool:
        list(pool.map(one, [(path, "phone") for path in paths[: 2 * options.workers]]))  # imports, once in each
        for condition in CONDITIONS:
            jobs = [(path, condition) for path in paths]
            begin = time.perf_counter()
            alone = list(map(one, jobs))
            middle = time.perf_counter()
            together = list(pool.map(one, jobs, chunksize=4))
            end = time.perf_counter()
            seconds = sum(length for length, _ in alone)
            same = "yes" if alone == together else "NO"
            rows.append([condition, f"{seconds / (middle - begin):.0f}", f"{seconds / (end - middle):.0f}", same])
    print_table(["condition", "1 process", f"{options.workers} processes", "same samples"], rows)
    if options.voice:
        _voice(options.voice, options.workers)


def _voice(text: str, workers: int) -> None:
    [(spec, voice)] = make_voices([text])
    tasks = load_tasks(_ROOT / "suites" / "git" / "tasks.yaml")
    lines = [Line(task.id, " ".join(task.spoken.split()), spec, voice) for task in tasks]
    digests = []
    for number in (1, workers):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            made = render(lines, Path(folder) / "out", Path(folder) / "store", number)
            wall = time.perf_counter() - begin
            seconds = sum(read_audio(one.path).seconds for one in made)
            digests.append([one.sha256 for one in made])
            print(f"{text}, {number} at a time: {seconds / wall:.1f} seconds of speech a second")
    print(f"same recordings: {'yes' if digests[0] == digests[1] else 'NO'}")


if __name__ == "__main__":
    main()
