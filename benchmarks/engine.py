"""What the engine costs an item: python benchmarks/engine.py [-n N] [--seconds S].

Distinct recordings and a recogniser that returns at once, so that all the time is the engine's: hashing, reading and
checking the file, batching, storing, handing out. Reading alone is measured beside it. A second pass finds everything
in the store. Shortest of three runs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
from table import print_table

from pytest_talk2agent.engine.job import Job, Setup
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.speech.audio import read_audio

RECOGNISER = """
def transcribe(batch):
    return ["nothing"] * len(batch)
transcribe.batch_size = {size}
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    draw = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sys.path.insert(0, name)
        paths = [folder / f"{index}.wav" for index in range(options.n)]
        for path in paths:
            soundfile.write(path, 0.1 * draw.standard_normal(round(options.seconds * 16_000)), 16_000)
        rows = [["reading the files", 1, f"{_milliseconds(lambda: _read(paths), options.n):.2f}"]]
        for size in (1, 16):
            (folder / f"at_once_{size}.py").write_text(RECOGNISER.format(size=size))
            spec = f"python:at_once_{size}:transcribe"
            jobs = [Job(spec, Utterance(path.stem, "1", "", "", path)) for path in paths]
            cold = _milliseconds(lambda jobs=jobs: _pass(jobs, Path(tempfile.mkdtemp(dir=folder))), options.n)  # type: ignore[misc]
            rows.append(["pass, empty store", size, f"{cold:.2f}"])
            store = folder / f"store-{size}"
            _pass(jobs, store)
            warm = _milliseconds(lambda jobs=jobs, store=store: _pass(jobs, store), options.n)  # type: ignore[misc]
            rows.append(["pass, all in the store", size, f"{warm:.2f}"])
    print(f"{options.n} recordings of {options.seconds:g} s")
    print_table(["what", "a call", "ms/item"], rows)


def _milliseconds(work: Callable[[], None], items: int) -> float:
    """Milliseconds an item, the shortest of three runs."""
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return 1000 * min(taken) / items


def _read(paths: list[Path]) -> None:
    for path in paths:
        read_audio(path)


def _pass(jobs: list[Job], store: Path) -> None:
    outcomes: list[Transcript | str] = []
    transcribe_all(jobs, Store(store), Setup(), lambda key, outcome: outcomes.append(outcome), lambda progress: None)
    failed = [outcome for outcome in outcomes if isinstance(outcome, str)]
    if failed or len(outcomes) != len(jobs):
        sys.exit(f"{len(outcomes)} of {len(jobs)} came back, {len(failed)} failed: {failed[:1]}")


if __name__ == "__main__":
    main()
