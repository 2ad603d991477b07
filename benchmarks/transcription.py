"""One model for all workers: python benchmarks/transcription.py [--suite PATH] [-n N].

The same items with a fresh store: in one process, and under xdist, where the controller owns the model server. Shows
what sharing the model costs against one process. Needs the extras whisper and xdist.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import print_table

ROOT = Path(__file__).resolve().parent.parent


def gate(suite: str, store: Path, *options: str) -> tuple[float, str]:
    """Seconds of one run, and what it says of its transcripts."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", suite, "--t2a-takes=first"]
    limits = ["--t2a-interface=whisper:tiny.en", "--t2a-min-native=0", "--t2a-min-shapley=0"]
    start = time.perf_counter()
    done = subprocess.run(
        [*command, *limits, f"--t2a-store={store}", *options], cwd=ROOT, check=False, capture_output=True, text=True
    )
    seconds = time.perf_counter() - start
    found = re.search(r"\d+ of \d+ transcripts from the store.*", done.stdout)
    return seconds, found[0] if found else done.stdout.splitlines()[-1]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="suites/git")
    parser.add_argument("-n", type=int, default=4)
    options = parser.parse_args()
    rows = []
    base = 0.0
    with tempfile.TemporaryDirectory() as name:
        workers = f"{options.n} workers, one model server"
        for run, extra in (("one process", ()), (workers, ("-n", str(options.n)))):
            for what in ("cold", "from the store"):
                seconds, line = gate(options.suite, Path(name) / run, *extra)
                base = base or seconds
                rows.append([run, what, f"{seconds:.1f}", f"{seconds / base:.2f}", line])
    print_table(["run", "store", "seconds", "ratio", "transcripts"], rows)


if __name__ == "__main__":
    main()
