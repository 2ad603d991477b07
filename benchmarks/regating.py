"""Gating again what is in the store: python benchmarks/regating.py [--tasks N] [--takes N].

Synthetic tasks with tiny recordings and a recogniser that reads the instruction. The first run transcribes; the second
finds every transcript in the store, judges and gates. The target is 2,000 items in under 10 s in one process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile
from table import print_table

TASK = """\
id: bench/task-{n}
instruction: Copy report_{n}.docx to /srv/archive/{n}, set the port to {port} and do not overwrite anything.
script: >
  copy report underscore {n} dot doc x to slash s r v slash archive slash {n}, set the port to {port} and do not
  overwrite anything
recordings: [{recordings}]
intentions:
  file: {{say: report_{n}.docx, kind: filename}}
  target: {{say: /srv/archive/{n}, kind: path}}
  port: {{say: "{port}", kind: number}}
  keep: {{say: do not overwrite anything, kind: gist, keywords: [[overwrite]], contrary: [and overwrite]}}
value: gate(all(file, target), 0.4 + 0.3*port + 0.3*keep)
"""
RECOGNISER = """
def transcribe(batch):
    return [u.instruction for u in batch]
"""


def make_suite(folder: Path, tasks: int, takes: int) -> None:
    """Write the tasks and one tenth of a second of distinct noise for each recording."""
    draw = np.random.default_rng(0)
    documents = []
    for n in range(tasks):
        names = [f"audio/{n}-{take}.wav" for take in range(takes)]
        for name in names:
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            soundfile.write(path, 0.1 * draw.standard_normal(1600), 16_000)
        recordings = ", ".join(f"{{audio: {name}}}" for name in names)
        documents.append(TASK.format(n=n, port=1000 + n, recordings=recordings))
    (folder / "tasks.yaml").write_text("---\n".join(documents))
    (folder / "recogniser.py").write_text(RECOGNISER)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")


def gate(folder: Path, *options: str) -> tuple[float, str]:
    """Seconds and last line of one run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tasks.yaml", *options]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, done.stdout.strip().splitlines()[-1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--takes", type=int, default=4)
    options = parser.parse_args()
    items = options.tasks * options.takes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_suite(folder, options.tasks, options.takes)
        spec = "--t2a-interface=python:recogniser:transcribe"
        rows = []
        first = 0.0
        for run, extra in (
            ("first", ()),
            ("from the store", ()),
            ("from the store, with a report", ("--t2a-report=out",)),
        ):
            seconds, line = gate(folder, spec, *extra)
            first = first or seconds
            rows.append([run, items, f"{seconds:.1f}", f"{1000 * seconds / items:.2f}", f"{seconds / first:.2f}", line])
    print_table(["run", "items", "seconds", "ms/item", "ratio", "pytest says"], rows)


if __name__ == "__main__":
    main()
