"""Packages of workflows on the command line: which there are in some folders, and the lint and the proof of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_talk2agent.commands.common import write
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.package.loader import MANIFEST, is_package
from pytest_talk2agent.workflows.proof.lint import lint_package
from pytest_talk2agent.workflows.proof.prove import Objection, prove


def packages_in(paths: Iterable[Path]) -> list[Path]:
    """The folders of packages among some paths and in them, each once, by name."""
    found = [place.parent for path in paths if path.is_dir() for place in path.rglob(MANIFEST)]
    return sorted({folder for folder in found if is_package(folder)})


def lint_packages(folders: Sequence[Path], *, proofs: bool) -> int:
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
        write([_line(folder, one) for one in objections])
    numbers = ((len(folders), "package"), (errors, "error"), (warnings, "warning"))
    write([", ".join(counted(number, noun) for number, noun in numbers)])
    if proofs:
        write([f"{counted(rules, 'rule')} proved in {counted(sessions, 'session')}"])
    return errors


def _line(folder: Path, objection: Objection) -> str:
    return f"{folder / objection.file}: {objection.level}: {objection.message}"
