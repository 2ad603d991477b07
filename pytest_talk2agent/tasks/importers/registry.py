"""The formats that can be read: how a file of each is known, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.tasks.files import LARGEST, read_bounded
from pytest_talk2agent.tasks.importers import harbor, osworld, wildclawbench
from pytest_talk2agent.tasks.importers.original import Checkout, Original, refused


@dataclass(frozen=True)
class Format:
    """One benchmark's way to publish tasks. ``is_file`` looks at the path first, and at the text only if it fits."""

    name: str
    is_file: Callable[[Path], bool]
    read_task: Callable[[Path], Iterator[Original]]
    read_checkout: Callable[[Path], Checkout]


def _text(path: Path) -> str:
    try:
        return read_bounded(path, LARGEST).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):  # it is named with the reason where it is read as a task
        return ""


def _is_wildclawbench(path: Path) -> bool:
    return wildclawbench.is_task_name(path) and wildclawbench.looks_like_task(_text(path))


def _is_osworld(path: Path) -> bool:
    named = path.suffix == ".json" and path.absolute().parent.parent.name.startswith("examples")
    return named and osworld.looks_like_task(_text(path))


FORMATS = (
    Format("wildclawbench", _is_wildclawbench, wildclawbench.read_task, wildclawbench.read_checkout),
    Format("osworld", _is_osworld, osworld.read_task, osworld.read_checkout),
    Format("harbor", lambda path: path.name == harbor.FILE, harbor.read_task, harbor.read_checkout),
)


def format_of(path: Path) -> Format | None:
    """The format of one file, or None where it is no task of another benchmark."""
    return next((known for known in FORMATS if known.is_file(path)), None)


def read_any(root: Path, name: str | None = None) -> Checkout:
    """Read a checkout of the named benchmark, or of the one whose file is found first.

    Raises TaskFileError where there is nothing to read.
    """
    if not root.exists():
        raise refused(root, "no such file or folder; check the path", line=0)
    if name is not None:
        return next(known for known in FORMATS if known.name == name).read_checkout(root)
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
    found = next((known for known in map(format_of, files) if known), None)
    if found is None:
        names = ", ".join(known.name for known in FORMATS)
        raise refused(root, f"no task of {names} in it; name the checkout, or the benchmark with --from", line=0)
    return found.read_checkout(root)
