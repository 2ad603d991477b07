"""``talk2agent lint``: what is wrong, or odd, in task files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, write


def add(commands: Commands) -> None:
    """Declare the command."""
    lint = commands.add_parser("lint", help="what is wrong, or odd, in task files")
    lint.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    lint.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Lint the files; 1 where there are errors."""
    from pytest_talk2agent.engine.controls import labels_of
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.lint import lint
    from pytest_talk2agent.tasks.loader import load_tasks

    tasks, errors = [], 0
    for path in _task_files(options.paths):
        try:
            tasks.extend(load_tasks(path))
        except TaskFileError as error:
            errors += len(error.problems)
            write([str(error)])
    findings = lint(tasks, labels_of)
    errors += sum(finding.level == "error" for finding in findings)
    write([str(finding) for finding in findings])
    write([f"{len(tasks)} tasks, {errors} errors, {sum(f.level == 'warning' for f in findings)} warnings"])
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
