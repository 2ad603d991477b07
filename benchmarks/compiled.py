"""Time and memory of the compiled benchmarks: load, compile, Shapley, Native and intervals of every task.

Run: ``python benchmarks/compiled.py [SUITE ..]``. No checkout is needed; words are not read.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from table import print_table

from pytest_talk2agent.commands.common import task_files
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

SUITES = [Path(__file__).parents[1] / "suites" / name for name in ("wildclawbench", "osworld")]


def steps(suite: Path) -> Iterator[tuple[str, int, float]]:
    """Each step on a suite: its name, how many tasks it was done for, and its seconds."""
    begin = time.perf_counter()
    tasks: list[Task] = [task for path in task_files([suite]) for task in load_tasks(path)]
    yield "load", len(tasks), time.perf_counter() - begin
    for name, step in (("lint", _lint), ("exact values", _values), ("intervals", _intervals)):
        begin = time.perf_counter()
        step(tasks)
        yield name, len(tasks), time.perf_counter() - begin


def _lint(tasks: list[Task]) -> None:
    lint(tasks)


def _values(tasks: list[Task]) -> None:
    for task in tasks:
        task.grader().shapley()
        task.grader().native_if_lost()


def _intervals(tasks: list[Task]) -> None:
    for task in tasks:
        names = list(task.intentions)
        task.grader().retention(names[::2], names[1::2])


def main() -> None:
    """Print the table."""
    suites = [Path(name) for name in sys.argv[1:]] or SUITES
    found = [(suite.name, *step) for suite in suites for step in steps(suite)]
    rows = [[suite, step, tasks, f"{seconds:.2f}"] for suite, step, tasks, seconds in found]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_table(["suite", "step", "tasks", "s"], [*rows, ["all", "", "", f"{sum(row[3] for row in found):.2f}"]])
    print(f"peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
