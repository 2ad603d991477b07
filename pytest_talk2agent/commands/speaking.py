"""``talk2agent speak``: instructions to scripts, the review of them, and recordings by voices."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, declared, task_files, write, write_error, write_json
from pytest_talk2agent.commands.speaking_packages import CHECK, LEAST, packages_in, speak_packages
from pytest_talk2agent.recording.again import Again, counts, make_again
from pytest_talk2agent.recording.rendering import Line, check_manifest, render, write_manifest
from pytest_talk2agent.recording.review import Entry, Review, digest_of
from pytest_talk2agent.recording.rewriting import Rewriter
from pytest_talk2agent.recording.script import Script, literals_of, script_of
from pytest_talk2agent.recording.spoken import STYLES, Style
from pytest_talk2agent.recording.voice_table import differences, read_table
from pytest_talk2agent.recording.voices import make_voices
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task


def add_speak(commands: Commands) -> None:
    """Declare the command."""
    speak = declared(commands, "speak", run_speak, "instructions as scripts for review, and as recordings by voices")
    speak.add_argument("suites", type=Path, nargs="+", metavar="SUITE", help="task file or folder; or package")
    speak.add_argument("--script", action="store_true", help="write the scripts beside each task file")
    speak.add_argument("--style", choices=STYLES, default="people", help="as people say it, or symbols in full")
    speak.add_argument("--task", default="*", metavar="PATTERN", help="of task ids (default: all)")
    speak.add_argument("--accept", action="store_true", help="the scripts of these tasks were read and are right")
    speak.add_argument("--voice", action="append", default=[], metavar="SPEC", help="record it: ENGINE[:VOICE]; repeat")
    speak.add_argument("--again", action="store_true", help="make what the tasks list again, and compare the bytes")
    speak.add_argument("--voices", type=Path, metavar="FILE", help="for --again: which voice each speaker is, in JSON")
    speak.add_argument("--out", type=Path, metavar="DIR", help="of recordings (default: recordings, beside the suite)")
    speak.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="at a time")
    speak.add_argument(
        "--store", type=Path, default=Path(".t2a/voices"), metavar="DIR", help="what was rendered before"
    )
    speak.add_argument(
        "--check", default=CHECK, metavar="SPEC", help=f"what hears the clips of packages (default: {CHECK}), or none"
    )
    speak.add_argument(
        "--least", type=float, default=LEAST, metavar="X", help=f"of their literals heard back (default: {LEAST})"
    )
    speak.add_argument("--rewrite", metavar="llm:MODEL", help="let a model put it into plain words; literals survive")
    speak.add_argument("--json", action="store_true", help="the same as data")


def run_speak(options: argparse.Namespace) -> int:
    """Write scripts, or accept them; 1 where a literal would not come back from its script."""
    folders = packages_in(options.suites)
    if folders and options.voice:
        return speak_packages(folders, options)
    if folders:
        raise ValueError("what the user of a workflow says stands in its bank; --voice SPEC records it")
    if options.again:
        return _again(options)
    if options.voice:
        return _record(options)
    if not options.script and not options.accept:
        raise ValueError(
            "say what to do: --script writes scripts, --accept takes them as read, --voice records them, --again makes"
            " what is listed again"
        )
    rewriter = None if options.rewrite is None else Rewriter(options.rewrite)
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for path in task_files(options.suites):
        tasks = [task for task in load_tasks(path) if task.is_bound and fnmatchcase(task.id, options.task)]
        review = Review.beside(path)
        for task in tasks:
            if options.accept:
                entry = review.accept(task.id, task.instruction)
                lines.append(f"{task.id}: {entry.state}")
                rows.append({"task": task.id, "state": entry.state})
                continue
            script, kept = _script(task, options.style, rewriter)
            entry = review.propose(task.id, task.instruction, script, options.style)
            lines += _shown(task, script, entry, kept)
            rows.append(_data(task, script, entry, kept))
        if tasks:
            review.save()
    if not rows:
        raise ValueError(f"no task matches {options.task!r}, or none has its words at hand")
    if options.json:
        write_json(rows)
    else:
        write([*lines, *([] if options.accept else ["", _summary(rows)])])
    return int(any(row.get("lost") for row in rows))


def _record(options: argparse.Namespace) -> int:
    """Render every script by every voice, and list the recordings in a manifest."""
    if options.script or options.accept or options.rewrite:
        raise ValueError("--voice records scripts; write and accept them in a run of their own")
    _check_workers(options.workers)
    voices = make_voices(options.voice)
    lines: list[Line] = []
    for path in task_files(options.suites):
        review = Review.beside(path)
        tasks = [task for task in load_tasks(path) if task.is_bound and fnmatchcase(task.id, options.task)]
        lines += [
            Line(task.id, _words(task, review, options.style), spec, voice) for spec, voice in voices for task in tasks
        ]
    if not lines:
        raise ValueError(f"no task matches {options.task!r}, or none has its words at hand")
    first = options.suites[0]
    folder = options.out or (first if first.is_dir() else first.parent) / "recordings"
    manifest = folder / "manifest.jsonl"
    check_manifest(manifest, lines, folder)
    made = render(lines, folder, options.store, options.workers, lambda one: write_error(f"{one.path.name}"))
    write_manifest(manifest, made)
    if options.json:
        write_json([{"task": one.line.task, "audio": str(one.path), "sha256": one.sha256} for one in made])
    else:
        known = sum(one.kept for one in made)
        write(
            [
                f"{manifest}: {counted(len(made), 'recording')}, {known} of them known",
                f"pytest SUITE --t2a-manifest={manifest}",
            ]
        )
    return 0


def _again(options: argparse.Namespace) -> int:
    """Make what the tasks list again; 1 where something is not the same, or could not be made."""
    if options.script or options.accept or options.rewrite or options.voice or options.out:
        raise ValueError("--again makes what the tasks list, where they list it; leave out the other options")
    _check_workers(options.workers)
    table = {} if options.voices is None else read_table(options.voices)
    found: list[Again] = []
    for path in task_files(options.suites):
        review = Review.beside(path)
        tasks = [task for task in load_tasks(path) if task.is_bound and fnmatchcase(task.id, options.task)]
        found += make_again(
            tasks,
            lambda task, review=review: _words(task, review, options.style),  # type: ignore[misc]
            table,
            options.store,
            options.workers,
            write_error,
        )
        for difference in differences(table, [str(one.speaker) for task in tasks for one in task.recordings]):
            write_error(f"note: {difference}")
    if not found:
        raise ValueError(f"no task matches {options.task!r} and lists a recording")
    if options.json:
        write_json([{**asdict(one), "audio": str(one.audio)} for one in found])
    else:
        write(f"{one.state}: {one.task}[{one.take}]: {one.reason}" for one in found if one.state != "same")
        states = ", ".join(f"{count} {state}" for state, count in counts(found).items() if count)
        write([f"{counted(len(found), 'recording')}: {states}"])
    return int(any(one.state in ("differs", "not made") for one in found))


def _check_workers(number: int) -> None:
    if number < 1:
        raise ValueError("--workers must be 1 or more")


def _words(task: Task, review: Review, style: str) -> str:
    """What is said of a task: its own script, else the one beside it, else the one that the rules make."""
    if task.script is not None:
        text = task.script
    elif task.id in review.entries:
        entry = review.entries[task.id]
        if entry.outdated or (entry.state == "proposed" and entry.instruction_sha256 != digest_of(task.instruction)):
            raise ValueError(
                f"{review.path}: the script of {task.id} is outdated; run `talk2agent speak --script`, read it"
            )
        text = entry.script
    else:
        text = script_of(task.instruction, _style(style), literals_of(task)).text
    return " ".join(text.split())


def _style(name: str) -> Style:
    return next(one for one in STYLES if one == name)


def _script(task: Task, style: str, rewriter: Rewriter | None) -> tuple[Script, str | None]:
    script = script_of(task.instruction, _style(style), literals_of(task))
    if rewriter is None:
        return script, None
    rewritten = rewriter.rewrite(task.instruction, script)
    return rewritten.script, rewritten.kept


def _shown(task: Task, script: Script, entry: Entry, kept: str | None) -> Iterator[str]:
    yield f"{task.id} ({'outdated' if entry.outdated else entry.state})"
    yield f"  {changes(task.instruction, entry.script)}"
    if entry.script != script.text:
        yield f"  proposal: {script.text}"
    if kept is not None:
        yield f"  not rewritten: {kept}"
    for one in script.lost:
        yield f"  lost: {one.value!r} ({one.kind}), said as {one.said!r}: {one.reason}"


def changes(before: str, after: str) -> str:
    """What a script says otherwise than the instruction, word by word: ``[-src/a.py-]{+s r c slash a dot p y+}``."""
    old, new = before.split(), after.split()
    parts = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(" ".join(old[a:b]))
            continue
        parts.append((f"[-{' '.join(old[a:b])}-]" if b > a else "") + (f"{{+{' '.join(new[c:d])}+}}" if d > c else ""))
    return " ".join(parts)


def _data(task: Task, script: Script, entry: Entry, kept: str | None) -> dict[str, object]:
    return {
        "task": task.id,
        "state": entry.state,
        "outdated": entry.outdated,
        "script": entry.script,
        "proposal": script.text,
        "literals": len(script.literals),
        "lost": [vars(one) for one in script.lost],
        **({"not_rewritten": kept} if kept else {}),
    }


def _summary(rows: Sequence[dict[str, object]]) -> str:
    states = [str(row["state"]) for row in rows]
    each = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    literals = sum(int(str(row["literals"])) for row in rows)
    lost = sum(len(row["lost"]) for row in rows if isinstance(row["lost"], list))
    return f"{len(rows)} scripts ({each}); {literals - lost} of {literals} literals come back"
