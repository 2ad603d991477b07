"""``talk2agent new``: from written instructions to a suite with scripts and recordings."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, declared, write
from pytest_talk2agent.judging.task_controls import labels_of
from pytest_talk2agent.recording.rendering import Line, render, write_manifest
from pytest_talk2agent.recording.review import Review
from pytest_talk2agent.recording.script import literals_of, script_of
from pytest_talk2agent.recording.voices import make_voices
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks

_INI = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_WORD = re.compile(r"[A-Za-z0-9]+")
_MOST = 1000
_LONGEST = 20_000


def add_new(commands: Commands) -> None:
    """Declare the command."""
    new = declared(commands, "new", run_new, "a suite from written instructions: tasks, scripts, recordings")
    new.add_argument("folder", type=Path, metavar="FOLDER", help="where the suite is made")
    new.add_argument("--instructions", type=Path, metavar="FILE", help="a paragraph each (default: standard input)")
    new.add_argument("--voice", action="append", default=[], metavar="SPEC", help="record the scripts; repeat")


def run_new(options: argparse.Namespace) -> int:
    """Make the suite and say what comes next; nothing that is there is written over."""
    folder: Path = options.folder
    path = folder / "tasks.yaml"
    if path.exists():
        raise ValueError(f"{path} is there already; name another folder")
    text = sys.stdin.read() if options.instructions is None else options.instructions.read_text(encoding="utf-8")
    instructions = instructions_in(text)
    voices = make_voices(options.voice)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-.") or "suite"
    write_whole(path, suite_of(name, instructions, path))
    tasks = load_tasks(path)
    review = Review.beside(path)
    scripts = {task.id: script_of(task.instruction, "people", literals_of(task)) for task in tasks}
    for task in tasks:
        review.propose(task.id, task.instruction, scripts[task.id], "people")
    review.save()
    lines = [f"{path}: {counted(len(tasks), 'task')}, proposed", f"{review.path}: their scripts, proposed"]
    if voices:
        lines += _recorded(folder, [Line(task, script.text, spec, voice)
                                    for spec, voice in voices for task, script in scripts.items()])  # fmt: skip
    lines += [f"{finding}" for finding in lint(tasks, labels_of)]
    write([*lines, "", *_next(folder, path, recorded=bool(voices))])
    return 0


def instructions_in(text: str) -> list[str]:
    """The instructions of a text: its paragraphs. Raises ValueError where there is none, or what is too much."""
    found = [part.strip() for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")) if part.strip()]
    if not found:
        raise ValueError("no instruction; write one, or several with an empty line between them")
    if len(found) > _MOST or max(map(len, found)) > _LONGEST:
        raise ValueError(f"at most {_MOST} instructions of {_LONGEST} characters are taken")
    return found


def suite_of(name: str, instructions: Sequence[str], path: Path) -> str:
    """The text of a task file with a proposed task for each instruction."""
    drafts, taken = [], set[str]()
    for number, instruction in enumerate(instructions, 1):
        words = [word.lower() for word in _WORD.findall(instruction)][:4]
        slug = "-".join(words) or f"task-{number}"
        while slug in taken:
            slug = f"{slug}-{number}"
        taken.add(slug)
        drafts.append(draft_of(Original(name, slug, instruction, "", path)))
    return to_yaml(drafts)


def _recorded(folder: Path, lines: list[Line]) -> list[str]:
    made = render(lines, folder / "recordings", folder / ".t2a" / "voices", 1)
    manifest = folder / "recordings" / "manifest.jsonl"
    write_manifest(manifest, made)
    said = [f"{manifest}: {counted(len(made), 'recording')}"]
    if not any((folder / name).exists() for name in _INI):
        write_whole(folder / "pytest.ini", "[pytest]\nt2a_manifest = recordings/manifest.jsonl\n")
        said.append(f"{folder / 'pytest.ini'}: names the manifest")
    return said


def _next(folder: Path, path: Path, *, recorded: bool) -> list[str]:
    steps = [
        f"read {path}: each intention is a proposal; delete `status: proposed` where it is right",
        f"talk2agent speak {path} --accept    once the scripts are read",
    ]
    if not recorded:
        steps.append(f"talk2agent speak {path} --voice piper:joe    or record people")
    return ["next:", *(f"  {step}" for step in steps), f"  cd {folder} && pytest"]
