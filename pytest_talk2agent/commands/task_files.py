"""``talk2agent show``, ``score``, ``lint`` and ``schema``: what task files say, and what is wrong or odd in them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.commands.common import (
    Commands,
    add_checkouts,
    add_json,
    checkouts_of,
    declared,
    names,
    task_files,
    write,
    write_json,
)
from pytest_talk2agent.commands.execution import report_unfit
from pytest_talk2agent.grading.grader import Grader
from pytest_talk2agent.grading.grader_source import some
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.results.verdict import show_lost
from pytest_talk2agent.tasks.errors import TaskFileError, counted
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.schema import json_schema, manifest_schema
from pytest_talk2agent.tasks.sniff import classify
from pytest_talk2agent.tasks.task import Task
from pytest_talk2agent.workflows.package.loader import MANIFEST, is_package
from pytest_talk2agent.workflows.proof.lint import lint_package
from pytest_talk2agent.workflows.proof.prove import Objection, prove

TOGETHER = "  (how much more the one is worth where the other is retained, the strongest pairs; below 0: how much less)"
"""What the numbers of pairs say: the Shapley interaction index."""


def add_show(commands: Commands) -> None:
    """Declare the command."""
    show = declared(commands, "show", run_show, "what each intention of each task is worth, exactly")
    show.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    add_json(show)


def run_show(options: argparse.Namespace) -> int:
    """Show the tasks of the files."""
    shown, lines = [], []
    for path in task_files(options.paths):
        for task in load_tasks(path):
            with task.locating_errors():
                if options.json:
                    shown.append(_shown(task, task.grader()))
                else:
                    lines.extend(_lines(task, task.grader()))
    if options.json:
        write_json({"tasks": shown})
    else:
        write(lines)
    return 0


def _shown(task: Task, grader: Grader) -> dict[str, Any]:
    lost = grader.native_if_lost()
    return {
        "id": task.id,
        "g": str(grader.full),
        "base": str(grader.base),
        "status": grader.status,
        "reason": grader.reason,
        "polarity": task.polarity,
        "shapley": {name: str(value) for name, value in grader.shapley().items()},
        "native_if_lost": {name: None if value is None else str(value) for name, value in lost.items()},
        "interactions": [{"intentions": list(names), "value": str(value)} for names, value in grader.interactions()],
        "powerless": list(grader.powerless),
    }


def _lines(task: Task, grader: Grader) -> list[str]:
    lost, total = grader.native_if_lost(), grader.full
    rows = [
        [name, str(phi), "-" if not total else f"{float(phi / total):.4f}", _fraction(lost[name])]
        for name, phi in grader.shapley().items()
    ]
    lines = [task.id, f"  value  {task.value}"]
    lines.extend(f"         {name} = {text}" for name, text in task.let.items())
    lines.append(f"  g(I) = {total}" + (f"   {grader.status}: {grader.reason}" if grader.reason else ""))
    lines.extend(f"  {line}" for line in table(["intention", "Shapley", "share", "Native if lost alone"], rows))
    pairs = grader.interactions()
    lines.extend(f"  together: {' x '.join(names)}  {value}" for names, value in pairs)
    return [*lines, *([TOGETHER] if pairs else []), ""]


def _fraction(value: Fraction | None) -> str:
    return "undefined" if value is None else str(value)


MOST_NAMED = 20


def add_score(commands: Commands) -> None:
    """Declare the command."""
    score = declared(
        commands, "score", run_score, "exact scores of one task for given labels; what is not named is lost"
    )
    score.add_argument("file", type=Path, metavar="PATH", help="task file, or a folder of them")
    score.add_argument("--task", required=True, metavar="ID", help="id of the task to score")
    score.add_argument(
        "--retained", type=names, default=[], metavar="A,B", help="names of intentions that came through"
    )
    score.add_argument("--unresolved", type=names, default=[], metavar="C,D", help="names of those left open")
    add_json(score)


def run_score(options: argparse.Namespace) -> int:
    """Score the labels."""
    tasks = {task.id: task for path in task_files([options.file]) for task in load_tasks(path)}
    if options.task not in tasks:
        raise ValueError(f"{options.file}: no task {options.task!r}; it has {some(list(tasks), MOST_NAMED)}")
    task = tasks[options.task]
    with task.locating_errors():
        retention = task.grader().retention(options.retained, options.unresolved)
    if options.json:
        write_json(
            {
                "native": _interval(retention.native, retention.reason),
                "shapley": _interval(retention.shapley, retention.reason),
                "flat": _interval(retention.flat, None),
                "lost": retention.lost,
                "lost_upper": retention.lost_upper,
                "status": retention.status,
            }
        )
        return 0
    lines = [
        f"native   {_both(retention.native)}",
        f"shapley  {_both(retention.shapley)}",
        f"flat     {_both(retention.flat)}",
        f"lost     {show_lost(retention)}",
    ]
    write([*lines, *([f"{retention.status}: {retention.reason}"] if retention.reason else [])])
    return 0


def _interval(interval: Interval | None, reason: str | None) -> dict[str, Any]:
    if interval is None:
        return {"interval": None, "reason": reason}
    return {"interval": interval.to_json(), "midpoint": str(interval.midpoint)}


def _both(interval: Interval | None) -> str:
    if interval is None:
        return "undefined"
    low = f"{interval.low} ({float(interval.low):.4f})"
    return low if interval.is_point else f"{low} to {interval.high} ({float(interval.high):.4f})"


def add_lint(commands: Commands) -> None:
    """Declare the command."""
    lint = declared(commands, "lint", run_lint, "what is wrong, or odd, in task files and packages of workflows")
    lint.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, packages, or folders of them")
    add_checkouts(lint)
    lint.add_argument(
        "--corrupt",
        action="store_true",
        help="replace each value in the words: what uses it, and no more, must be lost",
    )
    lint.add_argument(
        "--execute",
        action="store_true",
        help="run every task that says how: its solution must reach 1, and doing nothing must not",
    )
    lint.add_argument(
        "--prove",
        action="store_true",
        help="run every package: its oracle must pass, silence must not, each adversary must fail its gates alone, and"
        " something must break every rule",
    )


def run_lint(options: argparse.Namespace) -> int:
    """Lint the files and packages; 1 where there are errors."""
    packages = _packages_in(options.paths)
    errors = 0
    if packages:
        errors = _lint_packages(packages, proofs=options.prove)
        options.paths = [path for path in options.paths if not _only_packages(path)]
    elif options.prove:
        raise ValueError("--prove: there is no package in these paths; name a folder that has a task.yaml and a user/")
    return max(errors > 0, _lint_tasks(options)) if options.paths else int(errors > 0)


def _packages_in(paths: Iterable[Path]) -> list[Path]:
    """The folders of packages among some paths and in them, each once, by name."""
    found = [place.parent for path in paths if path.is_dir() for place in path.rglob(MANIFEST)]
    return sorted({folder for folder in found if is_package(folder)})


def _lint_packages(folders: Sequence[Path], *, proofs: bool) -> int:
    """Write what is wrong or odd in packages, and with ``proofs`` what a proof objects to; the number of errors."""
    errors = warnings = sessions = rules = 0
    for folder in folders:
        package, faults, objections = lint_package(folder)
        errors += len(faults)
        write(faults)
        if package is not None and proofs and not any(one.level == "error" for one in objections):
            proved = prove(package)
            sessions, rules = sessions + proved.sessions, rules + proved.rules
            objections += proved.objections
        errors += sum(one.level == "error" for one in objections)
        warnings += sum(one.level == "warning" for one in objections)
        write([_objection_line(folder, one) for one in objections])
    numbers = ((len(folders), "package"), (errors, "error"), (warnings, "warning"))
    write([", ".join(counted(number, noun) for number, noun in numbers)])
    if proofs:
        write([f"{counted(rules, 'rule')} proved in {counted(sessions, 'session')}"])
    return errors


def _objection_line(folder: Path, objection: Objection) -> str:
    return f"{folder / objection.file}: {objection.level}: {objection.message}"


def _only_packages(path: Path) -> bool:
    """Whether a folder has packages and no task files."""
    if not path.is_dir():
        return False
    files = [place for place in path.rglob("*") if place.suffix in (".yaml", ".yml") and place.is_file()]
    return not any(classify(place) != "other" for place in files)


def _lint_tasks(options: argparse.Namespace) -> int:
    from pytest_talk2agent.judging.task_controls import labels_of

    checkouts = checkouts_of(options)
    for benchmark in checkouts.paths:
        checkouts.of(benchmark)  # one that cannot be read is one line, not one for each file
    tasks, errors = [], 0
    for path in task_files(options.paths):
        try:
            tasks.extend(checkouts.bind(load_tasks(path)))
        except TaskFileError as error:
            errors += len(error.problems)
            write([str(error)])
    executable = [task for task in tasks if task.execution is not None]
    if options.execute and not executable and not errors:
        raise ValueError("none of these tasks has `execution`, so nothing can be tried; see docs/execution.md")
    findings = lint(tasks, labels_of, _holes, _unsettled)
    errors += sum(finding.level == "error" for finding in findings)
    write([str(finding) for finding in findings])
    warnings, hints = (sum(finding.level == level for finding in findings) for level in ("warning", "hint"))
    counts = [(len(tasks), "task"), (errors, "error"), (warnings, "warning"), *([(hints, "hint")] if hints else [])]
    write([", ".join(counted(number, noun) for number, noun in counts)])
    if options.corrupt:
        errors += _corrupt(tasks)
    if options.execute:
        from pytest_talk2agent.execution.trial import refusal

        executable = [task for task in tasks if task.execution is not None]
        if not executable:
            raise ValueError(
                "--execute: none of these tasks has `execution`, so nothing was tried; see docs/execution.md"
            )
        unfit = report_unfit(executable, refusal)
        errors += unfit
        write([f"{counted(len(executable), 'task')} executed, {unfit} unfit"])
    write(checkouts.remarks())
    unbound = sum(not task.is_bound for task in tasks)
    if unbound:
        write([f"controls not run: {counted(unbound, 'task')} with words in a checkout; name it"])
    return 1 if errors else 0


def _holes(task: Task) -> list[str]:
    """The pieces of the instruction that no intention covers."""
    from pytest_talk2agent.judging.coverage import uncovered

    return [piece.text for piece in uncovered(task.instruction, task.intentions)]


def _unsettled(task: Task) -> dict[str, str]:
    """The intentions that no perfect reading settles: how one was said, and why it is not retained."""
    from pytest_talk2agent.judging.judge import case_of
    from pytest_talk2agent.judging.task_controls import unsettled

    lost = unsettled(case_of(task, ""))
    return {name: f"`{said}` is {found.label.value} ({found.reason})" for name, (said, found) in lost.items()}


def _corrupt(tasks: Sequence[Task]) -> int:
    """Print what a corruption does that it must not, and how many were tried; returns how many such there are."""
    from pytest_talk2agent.judging.task_controls import corrupted

    tried, wrong = 0, 0
    for task in tasks:
        for corruption, surprises in corrupted(task) if task.is_bound else ():
            tried, wrong = tried + 1, wrong + len(surprises)
            for surprise in surprises:
                place = ":".join(map(str, (task.path, *task.place(f"intentions.{surprise.intention}"))))
                kind = task.intentions[surprise.intention].kind
                write(
                    [
                        f"{place}: error: {task.id}: with another value of `{corruption.intention}`"
                        f" `{surprise.intention}` ({kind}) is {surprise.label.value}"
                    ]
                )
    write([f"{counted(tried, 'value')} replaced, {counted(wrong, 'label')} not what that makes of them"])
    return wrong


def add_schema(commands: Commands) -> None:
    """Declare the command."""
    schema = declared(commands, "schema", run_schema, "JSON Schema of the task format")
    schema.add_argument("--manifest", action="store_true", help="of one line of a manifest of recordings")


def run_schema(options: argparse.Namespace) -> int:
    """Print the schema."""
    write_json(manifest_schema() if options.manifest else json_schema())
    return 0
