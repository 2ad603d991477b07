"""The cases behind a saved run: what was heard is in its results, what was asked for in its task files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_talk2agent.engine.controls import case_of
from pytest_talk2agent.judging.cases import LabelledCase
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.sniff import classify
from pytest_talk2agent.tasks.task import Task

_SUFFIXES = (".yaml", ".yml")


def tasks_behind(results: Iterable[TaskResult], paths: Sequence[Path] = ()) -> dict[str, Task]:
    """The tasks of some results by the hash of their content.

    ``paths`` are task files, or folders of them; without any, the files that the node ids name are looked for from the
    current folder. A task that is nowhere, or no longer as it was, is left out. Raises TaskFileError.
    """
    wanted = {(result.task, result.task_sha256) for result in results}
    files: Iterable[Path] = dict.fromkeys(Path(result.node.partition("::")[0]) for result in results)
    if paths:
        files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    found: dict[str, Task] = {}
    for file in files:
        if file.suffix not in _SUFFIXES or classify(file) == "other":
            continue
        for task in load_tasks(file):
            if (task.id, task.content_hash) in wanted:
                found[task.content_hash] = task
    return found


def saved_cases(results: Sequence[TaskResult], paths: Sequence[Path] = ()) -> list[LabelledCase]:
    """Every distinct transcript of a run as a case that has the run's own labels; ``paths`` as in `tasks_behind`.

    Transcripts that are none (refused, answered, broken off) are left out. Raises ValueError where a task is not found.
    """
    tasks = tasks_behind(results, paths)
    found: dict[tuple[str, str], LabelledCase] = {}
    for result in results:
        if result.transcript.state != "transcribed":
            continue
        task = tasks.get(result.task_sha256)
        if task is None:
            raise ValueError(
                f"{result.task}: no task file has it as this run knew it; name the files with --tasks=PATH, or make the"
                " run again"
            )
        place = (result.task_sha256, result.transcript.text)
        if place not in found:
            case = case_of(task, result.transcript.text)
            found[place] = LabelledCase(result.node, case, result.judgement.labels(), result.judgement.judge)
    return list(found.values())
