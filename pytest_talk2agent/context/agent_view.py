"""What the agent may see: the files of its workspace, each with its text, and the lines on its screenshots.

Screenshots are read by OCR (extra ``ocr``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.context.secrets import is_secret_file
from pytest_talk2agent.context.vocabulary import ContextError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_BYTES = 256 * 1024
"""A larger file counts by its name only."""
MOST_FILES = 10_000

CACHES = frozenset(("node_modules", "bower_components", "__pycache__", "site-packages", "venv", "CVS", "_darcs"))
GENERATED = (".lock", "-lock.json", "-lock.yaml", ".min.js", ".map")
"""Endings of files that a program wrote; they count by their names only."""
Rules = Sequence[tuple[Path, "GitIgnoreSpec"]]
"""The `.gitignore` files from the root down to a folder."""
LEAST_SCORE = 0.8
"""Lines that the recogniser is less sure of are left out."""


@dataclass(frozen=True)
class SeenFile:
    """A file of a workspace: its path relative to it, and its text, None where it is binary, large or no file."""

    path: str
    text: str | None


def crawl(workspace: Path) -> Iterator[SeenFile]:
    """Yield the files of a folder, folder by folder in sorted order.

    Left out are: hidden files and folders (version control, caches, settings, `.env`), caches, what a `.gitignore` of
    the workspace ignores, files that hold keys, and symbolic links that lead out of the workspace; other symbolic links
    are named and not read.
    Raises ContextError where the folder cannot be read or holds more than `MOST_FILES` files.
    """
    root = workspace.resolve()
    for count, path in enumerate(_paths(root, root, []), start=1):
        if count > MOST_FILES:
            raise ContextError(f"{workspace}: more than {MOST_FILES} files; make `context.workspace` a smaller folder")
        yield SeenFile(path.relative_to(root).as_posix(), _text(path))


def _paths(root: Path, folder: Path, above: Rules) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise ContextError(f"{folder}: cannot read this folder of the workspace ({error.strerror})") from None
    rules = [*above, *_rules(folder)]
    for entry in entries:
        path, is_folder = Path(entry.path), entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") or entry.name in CACHES or entry.name.endswith(".egg-info"):
            continue
        if is_secret_file(entry.name) or not entry.name.isprintable() or _ignored(path, is_folder, rules):
            continue
        if is_folder:
            yield from _paths(root, path, rules)
        elif not entry.is_symlink() or _leads_inside(path, root):
            yield path


def _leads_inside(link: Path, root: Path) -> bool:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # a link to nowhere, or in a circle
        return False
    return target.is_relative_to(root)


def _rules(folder: Path) -> Rules:
    ignore = folder / ".gitignore"
    if not ignore.is_file() or ignore.is_symlink():
        return []
    # pathspec is what black, mypy and hatch trust; git itself may be absent and would ask the repository around.
    from pathspec import GitIgnoreSpec

    return [(folder, GitIgnoreSpec.from_lines(ignore.read_text("utf-8", errors="replace").splitlines()))]


def _ignored(path: Path, is_folder: bool, rules: Rules) -> bool:
    """The nearest `.gitignore` that says something of the path decides, as in git."""
    for folder, spec in reversed(rules):
        relative = path.relative_to(folder).as_posix()
        verdict = spec.check_file(f"{relative}/" if is_folder else relative).include
        if verdict is not None:
            return verdict
    return False


def _text(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file() or path.name.lower().endswith(GENERATED):
        return None
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        content = path.read_bytes()
        return None if b"\0" in content else content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):  # its name can be seen, its text cannot
        return None


def lines_of(screenshot: Path) -> tuple[str, ...]:
    """The lines of text, as the recogniser orders them.

    Raises ContextError where the package is missing or the file is no image.
    """
    try:
        content = screenshot.read_bytes()
    except OSError as error:
        raise ContextError(f"{screenshot}: cannot read the screenshot ({error.strerror})") from None
    lines = _recognise(content)
    if lines is None:
        raise ContextError(f"{screenshot}: no image that can be read; save the screenshot as PNG")
    return lines


@cache
def _recogniser() -> Any:
    try:
        from rapidocr import RapidOCR
    except ImportError:
        raise ContextError(
            "screenshots are read with rapidocr, which is not installed; pip install pytest-talk2agent[ocr]"
        ) from None
    # One thread: sums in one order, and no fight with the recogniser's own threads.
    return RapidOCR(params={"Global.log_level": "critical", "EngineConfig.onnxruntime.intra_op_num_threads": 1})


@lru_cache(maxsize=256)
def _recognise(content: bytes) -> tuple[str, ...] | None:
    recogniser = _recogniser()
    from rapidocr.utils.load_image import LoadImageError

    try:
        found = recogniser(content)
    except (LoadImageError, OSError, SyntaxError):  # the latter two are what Pillow raises
        return None
    pairs = zip(found.txts or (), found.scores or (), strict=True)
    return tuple(text for text, score in pairs if score >= LEAST_SCORE)
