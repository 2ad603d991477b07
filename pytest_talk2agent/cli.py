"""The command line: talk2agent show | score | judge | lint | schema.

Exit status: 0 done, 1 findings (lint errors), 2 bad input, with one line a problem on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.grading.grader import Grader
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.table import table
from pytest_talk2agent.results.verdict import show_lost
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has seen enough; the interpreter's own last flush must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="talk2agent", description="Look into spoken tasks, judges and scores.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    show = commands.add_parser("show", help="what each intention of each task is worth, exactly")
    show.add_argument("file", type=Path, help="task file")
    show.set_defaults(run=_show)

    score = commands.add_parser("score", help="exact scores of one task for given labels; what is not named is lost")
    score.add_argument("file", type=Path, help="task file")
    score.add_argument("--task", required=True, metavar="ID")
    score.add_argument("--retained", type=_names, default=[], metavar="A,B")
    score.add_argument("--unresolved", type=_names, default=[], metavar="C,D")
    score.set_defaults(run=_score)

    judge = commands.add_parser("judge", help="measure a judge against labelled cases")
    judge.add_argument("cases", type=Path, help="case file (JSON Lines)")
    judge.add_argument("--judge", default="lexical", metavar="SPEC")
    judge.set_defaults(run=_judge)

    for command in (show, score, judge):
        command.add_argument("--json", action="store_true", help="the same as data; fractions are strings")

    lint = commands.add_parser("lint", help="what is wrong, or odd, in task files")
    lint.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    lint.set_defaults(run=_lint)

    schema = commands.add_parser("schema", help="JSON Schema of the task format")
    schema.set_defaults(run=_schema)
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _show(options: argparse.Namespace) -> int:
    shown, lines = [], []
    for task in load_tasks(options.file):
        with task.locating_errors():
            if options.json:
                shown.append(_shown(task, task.grader()))
            else:
                lines.extend(_show_lines(task, task.grader()))
    if options.json:
        _write_json({"tasks": shown})
    else:
        _write(lines)
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


def _show_lines(task: Task, grader: Grader) -> list[str]:
    lost, total = grader.native_if_lost(), grader.full
    rows = [
        [name, str(phi), "-" if not total else f"{float(phi / total):.4f}", _fraction(lost[name])]
        for name, phi in grader.shapley().items()
    ]
    lines = [task.id, f"  value  {task.value}"]
    lines.extend(f"         {name} = {text}" for name, text in task.let.items())
    lines.append(f"  g(I) = {total}" + (f"   {grader.status}: {grader.reason}" if grader.reason else ""))
    lines.extend(f"  {line}" for line in table(["intention", "Shapley", "share", "Native if lost alone"], rows))
    lines.extend(f"  together: {' x '.join(names)}  {value}" for names, value in grader.interactions())
    return [*lines, ""]


def _fraction(value: Fraction | None) -> str:
    return "undefined" if value is None else str(value)


def _score(options: argparse.Namespace) -> int:
    tasks = {task.id: task for task in load_tasks(options.file)}
    if options.task not in tasks:
        raise ValueError(f"{options.file}: no task {options.task!r}; it has {', '.join(tasks)}")
    task = tasks[options.task]
    with task.locating_errors():
        retention = task.grader().retention(options.retained, options.unresolved)
    if options.json:
        _write_json(
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
    _write([*lines, *([f"{retention.status}: {retention.reason}"] if retention.reason else [])])
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


def _judge(options: argparse.Namespace) -> int:
    from pytest_talk2agent.judging.agreement import agreement, agreement_lines
    from pytest_talk2agent.judging.cases import read_cases
    from pytest_talk2agent.judging.registry import make_judge

    measured = agreement(read_cases(options.cases), make_judge(options.judge))
    if options.json:
        _write_json(measured)
    else:
        _write(agreement_lines(measured))
    return 0


def _lint(options: argparse.Namespace) -> int:
    from pytest_talk2agent.engine.controls import labels_of
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.lint import lint

    tasks, errors = [], 0
    for path in _task_files(options.paths):
        try:
            tasks.extend(load_tasks(path))
        except TaskFileError as error:
            errors += len(error.problems)
            _write([str(error)])
    findings = lint(tasks, labels_of)
    errors += sum(finding.level == "error" for finding in findings)
    _write([str(finding) for finding in findings])
    _write([f"{len(tasks)} tasks, {errors} errors, {sum(f.level == 'warning' for f in findings)} warnings"])
    return 1 if errors else 0


def _task_files(paths: Sequence[Path]) -> Iterator[Path]:
    from pytest_talk2agent.tasks.sniff import looks_like_tasks

    for path in paths:
        if not path.exists():
            raise ValueError(f"{path}: no such file or folder; check the path")
        if not path.is_dir():
            yield path
            continue
        found = [p for p in sorted(path.rglob("*")) if p.suffix in (".yaml", ".yml") and p.is_file()]
        chosen = [p for p in found if looks_like_tasks(p.read_text(encoding="utf-8", errors="replace"))]
        if not chosen:
            raise ValueError(f"{path}: no task file in this folder")
        yield from chosen


def _schema(options: argparse.Namespace) -> int:
    from pytest_talk2agent.tasks.schema import json_schema

    _write_json(json_schema())
    return 0


def _write(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _write_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
