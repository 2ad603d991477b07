"""``talk2agent speak`` for workflows: the speech bank of each package, by voices, heard back and checked."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pytest_talk2agent.commands.common import write, write_error, write_json
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.recording.voices import make_voices
from pytest_talk2agent.tasks.errors import counted, shown
from pytest_talk2agent.workflows.audio.heard_back import Check, ClipListener, Leak, leaks_of
from pytest_talk2agent.workflows.audio.rendering import (
    Speaker,
    audio_folder,
    forgotten,
    render_clips,
    speaker_of,
    write_meta,
)
from pytest_talk2agent.workflows.package.loader import find_packages, load_package
from pytest_talk2agent.workflows.package.package import Package

CHECK = "whisper:tiny.en"
LEAST = 0.6
"""The share of literals with a digit that must come back; a recogniser that never met a name spells its own."""


def packages_in(paths: Sequence[Path]) -> list[Path]:
    """The folders of packages among some paths; none where none is one.

    Raises:
        ValueError: where some are and others are not.
    """
    found = [find_packages(path) if path.is_dir() else [] for path in paths]
    if any(found) and not all(found):
        other = next(path for path, some in zip(paths, found, strict=True) if not some)
        raise ValueError(f"{other}: no package of a workflow, as the others are; speak tasks in a run of their own")
    return [folder for some in found for folder in some]


def speak_packages(folders: Sequence[Path], options: argparse.Namespace) -> int:
    """Render and check; 1 where fewer literals came back than must, or a wording tells what it should not."""
    try:
        return _speak_all(folders, options)
    except InterfaceError as error:
        raise ValueError(str(error)) from None


def _speak_all(folders: Sequence[Path], options: argparse.Namespace) -> int:
    for name in ("script", "accept", "rewrite", "out"):
        if vars(options)[name]:
            raise ValueError(f"--{name} is for tasks; what the user of a workflow says stands in its bank")
    if options.workers < 1:
        raise ValueError("--workers must be 1 or more")
    if not 0 <= options.least <= 1:
        raise ValueError("--least must be a share from 0 to 1")
    packages = [package for package in map(load_package, folders) if fnmatchcase(package.id, options.task)]
    if not packages:
        raise ValueError(f"no package matches {options.task!r}")
    speakers = make_voices(options.voice)
    listener = None if options.check == "none" else ClipListener(options.check, options.store)
    rows, lines = [], []
    every: list[Check] = []
    for package in packages:
        leaks = leaks_of(package)
        check = _speak(package, speaker_of(package, speakers), listener, options)
        rows.append(_data(package, leaks, check))
        lines += _shown(package, leaks, check)
        every += [check] if check else []
        write_error(lines[-1])
    figures = [one.figures for one in every]
    heard, literals = sum(one.heard for one in figures), sum(len(one.literals) for one in figures)
    enough = literals == 0 or heard / literals >= options.least
    if options.json:
        write_json(rows)
    else:
        write([*lines, "", f"{counted(len(packages), 'package')}: {_came_back(every)}"])
        if not enough:
            write([f"FAILED: fewer than {options.least:.0%} of the literals with a digit were heard back"])
    return int(not enough or any(row["leaks"] for row in rows))


def _came_back(checks: Sequence[Check]) -> str:
    """How many literals were heard, those with a digit and the others apart."""
    if not checks:
        return "not checked"
    figures = [one.figures for one in checks]
    some, total = sum(one.heard for one in figures), sum(len(one.literals) for one in figures)
    heard, literals = sum(one.heard for one in checks) - some, sum(len(one.literals) for one in checks) - total
    shares = [f"{part} of {whole} {what} ({part / whole:.1%})" for part, whole, what in
              ((some, total, "with a digit"), (heard, literals, "names and words")) if whole]  # fmt: skip
    return f"heard back by {checks[0].interface}: {', '.join(shares) or 'there are no literals'}"


def _speak(
    package: Package, speakers: Sequence[Speaker], listener: ClipListener | None, options: argparse.Namespace
) -> Check | None:
    made = render_clips(package, speakers, options.store, options.workers)
    check = None if listener is None else listener.check(package, made)
    plain = (
        None if check is None else {one: _of_voice(check, one) for one in dict.fromkeys(s.label for s, _ in speakers)}
    )
    write_meta(package, speakers, plain)
    return check


def _of_voice(check: Check, voice: str) -> dict[str, Any]:
    literals = tuple(one for one in check.literals if one.voice == voice)
    return Check(check.interface, literals, check.clips).plain()


def _data(package: Package, leaks: Sequence[Leak], check: Check | None) -> dict[str, Any]:
    return {
        "package": package.id,
        "folder": str(audio_folder(package)),
        "leaks": [vars(leak) for leak in leaks],
        "check": None if check is None else check.plain(),
    }


def _shown(package: Package, leaks: Sequence[Leak], check: Check | None) -> list[str]:
    package = load_package(package.folder)
    folder = audio_folder(package)
    lines = [f"  {leak.wording} tells {leak.fact} ({leak.value}), undeclared: {shown(leak.text)}" for leak in leaks]
    lines += [f"  {folder / name}: no row of the index names it" for name in forgotten(package)]
    voices = ", ".join(dict.fromkeys(clip.voice for clip in package.clips))
    seconds = sum(clip.num_samples / clip.sample_rate for clip in package.clips)
    head = f"{package.id}: {counted(len(package.clips), 'clip')}, {seconds:.0f} s, by {voices}"
    if check is None:
        return [head, *lines]
    for one in check.lost:
        lines.append(f"  {one.file}: {one.value!r} {one.label.value}: {shown(one.text)} heard as {shown(one.heard)}")
    return [f"{head}; {check.heard} of {counted(len(check.literals), 'literal')} heard", *lines]
