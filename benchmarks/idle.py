"""What the installed plugin costs a run that has no spoken task: python benchmarks/idle.py [--runs N].

A run of one empty test, with and without the plugin, in turn; CPU time (user and system) of the whole process. No other
plugin is loaded. The difference of the medians is the cost; the target is 15 ms.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from table import print_table

ENVIRONMENT = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": ""}


def cpu_seconds(folder: Path, *plugins: str) -> float:
    """CPU seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins]
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_empty.py").write_text("def test_empty(): pass\n")
        variants: dict[str, tuple[str, ...]] = {
            "pytest alone": (),
            "with talk2agent": ("-p", "pytest_talk2agent.plugin"),
        }
        times: dict[str, list[float]] = {variant: [] for variant in variants}
        for plugins in variants.values():
            cpu_seconds(folder, *plugins)
        for _ in range(runs):
            for variant, plugins in variants.items():
                times[variant].append(cpu_seconds(folder, *plugins) * 1000)
    base = statistics.median(times["pytest alone"])
    rows = [
        [v, f"{min(t):.1f}", f"{statistics.median(t):.1f}", f"{statistics.median(t) - base:+.1f}"]
        for v, t in times.items()
    ]
    print_table(["run", "best ms", "median ms", "added ms"], rows)


if __name__ == "__main__":
    main()
