"""More than one node: python benchmarks/nodes.py [--suite PATH].

The same items, each run with a fresh store and one thread a model: on the local engine, and on Ray clusters of one and
of two nodes with one CPU each, all on this machine. Shows what Ray costs, what a second model beside the first gains on
the cores that there are, and whether the rows are equal. Needs the extras whisper and ray.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from table import print_table

ROOT = Path(__file__).resolve().parent.parent


def gate(suite: str, folder: Path, engine: str) -> tuple[float, str, list[dict[str, Any]]]:
    """Seconds of one run, of its transcription, and its rows without the time that each transcript took."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", suite, "--t2a-takes=first"]
    limits = ["--t2a-interface=whisper:tiny.en?cpu_threads=1", "--t2a-min-native=0", "--t2a-min-shapley=0"]
    where = [f"--t2a-engine={engine}", f"--t2a-store={folder}", f"--t2a-report={folder}"]
    start = time.perf_counter()
    done = subprocess.run([*command, *limits, *where], cwd=ROOT, check=False, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    found = re.search(r"recordings transcribed in ([\d.]+ \w+)", done.stdout)
    if found is None:
        raise SystemExit(done.stdout + done.stderr)
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        del row["transcript"]["elapsed"]
    return seconds, found[1], rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="suites/git")
    suite = parser.parse_args().suite
    os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as name:
        runs = {"local": gate(suite, Path(name) / "local", "local")}
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            runs["ray, 1 node"] = gate(suite, Path(name) / "one", f"ray:{cluster.address}")
            cluster.add_node(num_cpus=1)
            runs["ray, 2 nodes"] = gate(suite, Path(name) / "two", f"ray:{cluster.address}")
        finally:
            cluster.shutdown()
    local = runs["local"][2]
    table = []
    for engine, (seconds, transcription, rows) in runs.items():
        equal = sum(row in local for row in rows)
        table.append([engine, f"{seconds:.1f}", transcription, f"{equal} of {len(local)}"])
    print_table(["engine", "seconds", "of these transcription", "rows equal to the local ones"], table)


if __name__ == "__main__":
    main()
