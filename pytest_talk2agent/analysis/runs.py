"""The results of several runs, as if they were one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.saved import SavedRun


def joined(runs: Sequence[SavedRun]) -> list[TaskResult]:
    """All results, run by run.

    Raises ValueError where two runs hold the same task, take and condition, or two versions of one task: a condition
    that ran twice needs two labels, and versions of a task cannot be compared.
    """
    results: list[TaskResult] = []
    items: dict[tuple[str, str, str], Path] = {}
    versions: dict[str, tuple[str, Path]] = {}
    for run in runs:
        for result in run.results:
            item = (result.task, result.take, result.condition)
            if (other := items.setdefault(item, run.folder)) is not run.folder:
                raise ValueError(
                    f"{other} and {run.folder} both hold {result.key} under condition {result.condition!r}; label the "
                    "conditions when you run them: --t2a-interface=LABEL=SPEC"
                )
            version, first = versions.setdefault(result.task, (result.task_sha256, run.folder))
            if version != result.task_sha256:
                raise ValueError(f"task {result.task!r} differs between {first} and {run.folder}; run it again")
            results.append(result)
    return results
