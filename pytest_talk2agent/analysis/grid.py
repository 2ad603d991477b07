"""Tasks x conditions with every metric and the execution score: what a correlation is computed of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean

from pytest_talk2agent.analysis.metrics import Column
from pytest_talk2agent.analysis.outcomes import Outcomes
from pytest_talk2agent.grading.grader_source import some
from pytest_talk2agent.results.saved import SavedRun
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.errors import counted


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


Number = Fraction | float | int
Matrix = tuple[tuple[Number, ...], ...]
"""A row for each task, a column for each condition."""

LEVELS = ("task-interface", "type-interface", "interface")


@dataclass(frozen=True)
class Grid:
    """A full grid: no cell is missing.

    ``types`` gives the type of each task, None where not every task has one. ``left_out`` maps a reason to the tasks or
    conditions that are not in the grid because of it.
    """

    tasks: tuple[str, ...]
    conditions: tuple[str, ...]
    metrics: Mapping[str, Matrix]
    execution: Matrix
    types: tuple[str, ...] | None
    left_out: Mapping[str, tuple[str, ...]]

    @property
    def levels(self) -> tuple[str, ...]:
        """The available levels: that of types only where tasks have types."""
        return LEVELS if self.types is not None else (LEVELS[0], LEVELS[2])


def make_grid(
    results: Sequence[TaskResult],
    columns: Sequence[Column],
    execution: Outcomes,
    further: Mapping[str, Outcomes] | None = None,
) -> Grid:
    """Join results, and their columns, with what execution scored.

    ``further`` are metrics from elsewhere, by name; they come first. A score is the mean over a task's takes. Tasks of
    reversed polarity are left out, as losing an unsafe request raises their score; so are tasks that lack a score under
    any condition, for a resampled task must bring them all.

    Raises ValueError where fewer than two tasks or two conditions remain.
    """
    left_out: dict[str, tuple[str, ...]] = {}

    def leave_out(reason: str, names: Sequence[str]) -> None:
        if names:
            left_out[reason] = tuple(sorted(names))

    judged = dict.fromkeys(result.condition for result in results)
    executed = dict.fromkeys(condition for _, condition in execution.scores)
    conditions = [condition for condition in judged if condition in executed]
    leave_out("conditions without execution scores", [name for name in judged if name not in executed])
    leave_out("conditions that were executed and not judged", [name for name in executed if name not in judged])

    cells: dict[str, Mapping[tuple[str, str], Number]] = {name: found.scores for name, found in (further or {}).items()}
    for column in columns:
        if column.name in cells:
            raise ValueError(f"metric {column.name!r} is measured here and given from elsewhere; rename one")
        cells[column.name] = _cells(results, column)
    tasks = list(dict.fromkeys(result.task for result in results))
    reversal = {result.task for result in results if result.polarity == "reversal"}
    leave_out("tasks of reversed polarity", [task for task in tasks if task in reversal])
    leave_out("tasks that were executed and not judged", list({task for task, _ in execution.scores} - set(tasks)))
    tasks = [task for task in tasks if task not in reversal]
    for name, found in {"execution score": execution.scores, **cells}.items():
        lacking = {task for task in tasks for condition in conditions if (task, condition) not in found}
        leave_out(f"tasks without {name} under some condition", list(lacking))
        tasks = [task for task in tasks if task not in lacking]
    if len(tasks) < 2 or len(conditions) < 2:
        reasons = "".join(f"; {reason}: {some(names)}" for reason, names in left_out.items())
        raise ValueError(
            f"{counted(len(tasks), 'task')} under {counted(len(conditions), 'condition')} have all scores, a"
            f" correlation needs two of each{reasons}"
        )

    def matrix(found: Mapping[tuple[str, str], Number]) -> Matrix:
        return tuple(tuple(found[task, condition] for condition in conditions) for task in tasks)

    typed = all(task in execution.types for task in tasks)
    return Grid(
        tuple(tasks),
        tuple(conditions),
        {name: matrix(found) for name, found in cells.items()},
        matrix(execution.scores),
        tuple(execution.types[task] for task in tasks) if typed else None,
        left_out,
    )


def points(grid: Grid, matrix: Matrix, level: str) -> list[Number]:
    """The values of a matrix at one level; means are exact.

    ``task-interface``: every cell; ``type-interface``: plain means over the tasks of a type; ``interface``: over all.
    """
    if level == "task-interface":
        return [value for row in matrix for value in row]
    if level == "interface":
        return _means(matrix)
    assert grid.types is not None, "the level of types needs types"
    groups: dict[str, list[tuple[Number, ...]]] = defaultdict(list)
    for kind, row in zip(grid.types, matrix, strict=True):
        groups[kind].append(row)
    return [value for kind in sorted(groups) for value in _means(groups[kind])]


def _means(rows: Sequence[Sequence[Number]]) -> list[Number]:
    return [mean(map(Fraction, column)) for column in zip(*rows, strict=True)]


def _cells(results: Sequence[TaskResult], column: Column) -> dict[tuple[str, str], Number]:
    """The mean over takes of each task and condition; no cell where no take has a score."""
    takes: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    for result, score in zip(results, column.scores, strict=True):
        if score is not None:
            takes[result.task, result.condition].append(Fraction(score))
    return {cell: mean(found) for cell, found in takes.items()}
