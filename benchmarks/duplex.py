"""How many calls one process holds at once by the clock on the wall, and how late their frames go out.

    python benchmarks/duplex.py [--calls 8] [--times 10]

Each call is one to the reference agent, recorded in stereo, in a thread of its own. The target: with eight calls, 99 of
100 frames are at most 5 ms late, and no session is behind its clock at its end. On a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from table import print_table

from pytest_talk2agent.workflows.audio.calibration import calibration_of
from pytest_talk2agent.workflows.audio.ports import SoundOptions
from pytest_talk2agent.workflows.audio.reference import ReferenceAgent, reference_package
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.options import RunOptions
from pytest_talk2agent.workflows.session.run import run_session

LATE_MS = 5.0
"""The target for the 99th percentile."""
BEHIND_MS = 20.0
"""A session is behind its clock where it ends later than this."""


def main() -> int:
    """Hold the calls, print a line for each, and say whether the target is met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=8)
    parser.add_argument("--times", type=int, default=10, help="how often each agent is spoken over: 2.2 s each")
    options = parser.parse_args()
    print(f"cores {os.cpu_count()}, load {os.getloadavg()[0]:.1f}, calls {options.calls}")
    spent = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        rows = hold(options.calls, options.times, Path(folder))
    head = ["call", "frames", "p50 ms", "p99 ms", "max ms", "behind ms", "stops", "error ms"]
    names = ["n", "p50_ms", "p99_ms", "max_ms", "behind_ms", "stops", "error_ms"]
    print_table(head, [[number, *(row[name] for name in names)] for number, row in enumerate(rows, 1)])
    seconds = max(row["n"] for row in rows) * 0.02
    print(f"CPU {100 * (time.process_time() - spent) / seconds:.0f} % of a core for {seconds:.0f} s")
    late, behind = max(row["p99_ms"] for row in rows), max(row["behind_ms"] for row in rows)
    met = late <= LATE_MS and behind <= BEHIND_MS
    print(f"worst p99 {late:.2f} ms (target {LATE_MS:g}), worst behind {behind:.2f} ms: {'met' if met else 'NOT met'}")
    return 0 if met else 1


def hold(calls: int, times: int, folder: Path) -> list[dict[str, Any]]:
    """Hold so many calls at once; what was measured of each."""
    sound = SoundOptions(clips=lambda package, condition: StandIn(), detector="level")
    agents = [ReferenceAgent(times) for _ in range(calls)]
    logs: list[EventLog | None] = [None] * calls

    def one(number: int) -> None:
        run = RunOptions(clock="real", seed=number)
        own = replace(sound, recording=folder / f"{number}.flac")
        logs[number] = run_session(reference_package(times), agents[number], "reference", run, sound=own)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = []
    for log, agent in zip(logs, agents, strict=True):
        assert log is not None, "its thread has ended"
        made = calibration_of(log, agent)
        pacing = log.events[-1].payload["pacing"]
        rows.append({**pacing, "stops": len(made.stops), "error_ms": made.error_ms})
    return rows


if __name__ == "__main__":
    sys.exit(main())
