"""Gating again what is in the store: python benchmarks/regating.py [--tasks N] [--takes N].

Synthetic tasks with tiny recordings and a recogniser that reads the instruction and declares what it is: else nothing
it heard before would count. The first run transcribes; the others find every transcript in the store, or this script
fails. In turn with them an empty test that is parametrised as often runs in the same place: what pytest itself takes
for so many items. All times are CPU time (user and system) of the run and its children; the target is at most four
times the bare run.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
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
BARE = """
import pytest

@pytest.mark.parametrize("number", range({items}))
def test_bare(number):
    pass
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


def run(folder: Path, *arguments: str, says: str = "") -> tuple[float, str]:
    """CPU seconds and last line of one run of pytest, which must say what it ``says``."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if says not in done.stdout:
        raise SystemExit(f"{' '.join(arguments)}: did not say {says!r}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout.strip().splitlines()[-1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--takes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3, help="how often each run is made; the median counts")
    options = parser.parse_args()
    items = options.tasks * options.takes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_suite(folder, options.tasks, options.takes)
        (folder / "test_bare.py").write_text(BARE.format(items=items))
        voice = ("tasks.yaml", "--t2a-interface=python?identity=1:recogniser:transcribe")
        runs = {
            "bare parametrised test": ("test_bare.py",),
            "from the store": voice,
            "from the store, with a report": (*voice, "--t2a-report=out"),
        }
        first, line = run(folder, *voice)
        rows = [["first", items, f"{first:.2f}", f"{1000 * first / items:.2f}", "", line]]
        stored = f"{items} of {items} transcripts from the store"
        found: dict[str, list[tuple[float, str]]] = {title: [] for title in runs}
        for _ in range(options.rounds):
            for title, arguments in runs.items():
                found[title].append(run(folder, *arguments, says=stored if arguments[0] == voice[0] else ""))
        median = {title: statistics.median(seconds for seconds, _ in times) for title, times in found.items()}
        bare = median["bare parametrised test"]
        for title, seconds in median.items():
            line = found[title][-1][1]
            rows.append(
                [title, items, f"{seconds:.2f}", f"{1000 * seconds / items:.2f}", f"{seconds / bare:.2f}", line]
            )
    print_table(["run", "items", "CPU seconds", "ms/item", "times the bare run", "pytest says"], rows)


if __name__ == "__main__":
    main()
