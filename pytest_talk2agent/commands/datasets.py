"""``talk2agent dataset``: recordings as a data set, its statistics, faults, card, and other layouts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from pytest_talk2agent.commands.common import (
    Commands,
    add_checkouts,
    add_json,
    checkouts_of,
    declared,
    sentence,
    task_files,
    write,
    write_error,
    write_json,
)
from pytest_talk2agent.recording.dataset.audio_folder import (
    FORMATS,
    export_audio_folder,
    is_audio_folder,
    read_audio_folder,
)
from pytest_talk2agent.recording.dataset.card import Stated, card_of
from pytest_talk2agent.recording.dataset.checking import Finding, check, mismatches, summary
from pytest_talk2agent.recording.dataset.collection import DataSet, collect
from pytest_talk2agent.recording.dataset.consent import consent_of
from pytest_talk2agent.recording.dataset.paper_layout import export_paper_layout
from pytest_talk2agent.recording.dataset.statistics import UNKNOWN, Statistics, statistics_of
from pytest_talk2agent.reporting.paper_tables import as_markdown, as_text, collection_rows
from pytest_talk2agent.reporting.visible import table, visible_line
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.speech.audio import audio_seconds
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import is_inside, project_of, read_utf8
from pytest_talk2agent.tasks.importers.dataset import is_dataset, read_dataset, recordings_at
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import to_lines
from pytest_talk2agent.tasks.recording import Recording

_COLUMNS = ("task", "take", "speaker", "voice", "script", "seconds", "sha256", "note", "audio")


def add_dataset(commands: Commands) -> None:
    """Declare the command and its parts."""
    text = "recordings as a data set: statistics, faults, card, other layouts"
    command = commands.add_parser("dataset", help=text, description=sentence(text))
    parts = command.add_subparsers(required=True, metavar="PART")
    stats = _add(parts, "stats", run_stats, "tasks, speakers, recordings, hours and quartiles, as the paper's Table 1")
    add_json(stats)
    checked = _add(parts, "check", run_check, "what is wrong with recordings: hash, length, copies, another script")
    checked.add_argument("--check", metavar="SPEC", help="an interface that hears each: does it say its script?")
    checked.add_argument(
        "--store", type=Path, default=Path(".t2a/store"), metavar="DIR", help="where transcripts are kept"
    )
    add_json(checked)
    card = _add(parts, "card", run_card, "the card of the data set, in Markdown with front matter")
    _add_stated(card)
    card.add_argument("--out", type=Path, metavar="FILE", help="where to write; without it, standard output")
    export = _add(parts, "export", run_export, "copy it into another layout, with its card")
    export.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder that is not there yet")
    export.add_argument(
        "--layout",
        choices=("audiofolder", "paper"),
        default="audiofolder",
        help="the layout of the copy (default: %(default)s)",
    )
    export.add_argument(
        "--metadata", choices=FORMATS, default="jsonl", help="the form of an audio folder's metadata (default: jsonl)"
    )
    _add_stated(export)
    read = declared(parts, "import", run_import, "a manifest of an audio folder, or of the paper's data set")
    read.add_argument("folder", type=Path, metavar="FOLDER", help="with metadata.jsonl or metadata.csv, or the paper's")
    read.add_argument("--out", type=Path, required=True, metavar="FILE", help="the manifest, which is not there yet")
    read.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="KEY=NAME",
        help=f"which column is one of {', '.join(_COLUMNS)}",
    )


def _add(parts: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    command = declared(parts, name, run, text)
    command.add_argument("suites", type=Path, nargs="*", metavar="SUITE", help="task file or folder")
    command.add_argument("--manifest", type=Path, metavar="FILE", help="recordings of tasks that list none; or alone")
    add_checkouts(command)
    return command


def _add_stated(command: argparse.ArgumentParser) -> None:
    title = "what the card calls the data set (default: %(default)s)"
    command.add_argument("--title", default="Spoken instructions", metavar="TEXT", help=title)
    licence = "such as cc0-1.0; without it the card says that none is stated"
    command.add_argument("--licence", default="", metavar="NAME", help=licence)
    command.add_argument(
        "--consent", type=Path, metavar="FILE", help="what speakers agreed to (default: what the page recorded)"
    )
    command.add_argument("--origin", default="", metavar="TEXT", help="where the texts come from, for the card")


def run_stats(options: argparse.Namespace) -> int:
    """Print the tables."""
    data = _data(options)
    found = statistics_of(data, _length)
    if options.json:
        write_json(asdict(found))
    else:
        write([*as_text(collection_rows(found.collections)), "", *_speakers(found), "", *_coverage(found, data)])
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Print what is wrong; 1 where something is a fault."""
    data = _data(options)
    findings = check(data)
    if options.check is not None:
        findings += _misheard(options, data, {one.where for one in findings if one.code == "unreadable"})
    if options.json:
        write_json([asdict(one) for one in findings])
    else:
        write([*map(str, findings), summary(findings, len(data.items))])
    return int(any(one.severity == "fault" for one in findings))


def run_card(options: argparse.Namespace) -> int:
    """Write the card."""
    text = _card(options, _data(options), audio_folder=True)
    if options.out is None:
        write(text.splitlines())
    elif options.out.exists():
        raise ValueError(f"{options.out} is there already; name another file, or delete it")
    else:
        write_whole(options.out, text)
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Copy the data set."""
    data = _data(options)
    in_folder = options.layout == "audiofolder"
    card = _card(options, data, audio_folder=in_folder)
    if in_folder:
        export_audio_folder(data, options.out, card, options.metadata)
    else:
        export_paper_layout(data, options.out, card)
    write([f"{options.out}: {counted(len(data.items), 'recording')}"])
    if data.unrecorded:
        write([f"left out: {counted(len(data.unrecorded), 'task')} without a recording"])
    return 0


def run_import(options: argparse.Namespace) -> int:
    """Write the manifest of a folder; its recordings stay where they are."""
    if options.out.exists():
        raise ValueError(f"{options.out} is there already; name another file, or delete it")
    columns = _columns(options.column)
    if is_dataset(options.folder):
        if columns:
            raise ValueError("--column is for an audio folder; the paper's layout has its own keys")
        manifest, unread = read_dataset(options.folder), dict[str, int]()
    elif options.folder.is_dir() and is_audio_folder(options.folder):
        manifest, unread = read_audio_folder(options.folder, columns)
    else:
        raise ValueError(f"{options.folder}: no metadata.jsonl or metadata.csv in it, nor the paper's layout")
    beside = options.out.absolute().parent
    lines = to_lines(manifest, beside)
    write_whole(options.out, "".join(f"{line}\n" for line in lines))
    recorded = sum(bool(own) for own in manifest.recordings.values())
    write([f"{options.out}: {counted(len(lines), 'recording')} of {counted(recorded, 'task')}"])
    write([f"not taken: column {name} ({counted(count, 'row')})" for name, count in unread.items()])
    if not is_inside(options.folder, project_of(beside)):
        write(["# recordings lie elsewhere; add this to the ini file of pytest"])
        write([visible_line(f"t2a_audio = {options.folder.absolute()}")])
    return 0


def _data(options: argparse.Namespace) -> DataSet:
    checkouts = checkouts_of(options)
    tasks = [task for path in task_files(options.suites) for task in checkouts.bind(load_tasks(path))]
    manifest = None if options.manifest is None else recordings_at(options.manifest)
    return collect(tasks, manifest)


def _length(audio: Path) -> float:
    return audio_seconds(audio) if audio.is_file() else 0.0


def _speakers(found: Statistics) -> list[str]:
    rows = [
        [
            one.name,
            one.voice or UNKNOWN,
            str(one.tasks),
            str(one.recordings),
            f"{one.seconds / 60:.1f}",
            UNKNOWN if one.median is None else f"{one.median:.2f}",
        ]
        for one in found.speakers
    ]
    return table(("speaker", "voice", "tasks", "recordings", "minutes", "median s"), rows)


def _coverage(found: Statistics, data: DataSet) -> list[str]:
    lines = [f"languages: {', '.join(found.languages) or UNKNOWN}"]
    lines.append(f"every speaker recorded every task: {'yes' if found.complete else 'no'}")
    lines += [f"without a recording: {name}" for name in found.unrecorded]
    lines += [f"in the manifest, and of no suite: {name}" for name in data.strangers]
    return lines


def _misheard(options: argparse.Namespace, data: DataSet, unreadable: set[str]) -> list[Finding]:
    """What an interface says about scripts; raises ValueError where it cannot."""
    from pytest_talk2agent.engine.listening import listen
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.results.store import Store

    if not data.tasks:
        raise ValueError("--check compares with scripts; name the suites that the recordings are of")
    items = [item for item in data.items if item.shown not in unreadable]
    if not items:
        return []
    own: dict[str, list[Recording]] = {}
    for item in items:
        own.setdefault(item.name, []).append(item.recording)
    tasks = [task.replaced(recordings=tuple(own[task.id])) for task in data.tasks if task.id in own]
    try:
        heard = listen(tasks, options.check, Store(options.store))
    except InterfaceError as error:
        raise ValueError(str(error)) from None
    write_error(f"{options.check} heard {counted(len(items), 'recording')}")
    return mismatches([(item, transcript.text) for item, (_, transcript) in zip(items, heard.pairs, strict=True)])


def _card(options: argparse.Namespace, data: DataSet, *, audio_folder: bool) -> str:
    found = statistics_of(data, _length)
    consent = consent_of(data) if options.consent is None else read_utf8(options.consent).strip()
    stated = Stated(options.title, options.licence, consent, options.origin)
    return card_of(found, as_markdown(collection_rows(found.collections)), stated, audio_folder=audio_folder)


def _columns(given: list[str]) -> dict[str, str]:
    columns: dict[str, str] = {}
    for one in given:
        key, equals, name = one.partition("=")
        if not equals or not name or key not in _COLUMNS:
            raise ValueError(f"--column {one}: write KEY=NAME with one of {', '.join(_COLUMNS)}")
        columns[key] = name
    return columns
