"""Where the files are that a task file names, and where they may be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

MARKERS = (".git", ".hg", "pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "setup.py")
"""What stands in the top folder of a project."""


def is_inside(place: Path, folders: Iterable[Path]) -> bool:
    """Whether a path, links followed, is one of the folders or below one."""
    return is_below(place, [os.path.realpath(folder) for folder in folders])


def is_below(place: Path, real: Iterable[str]) -> bool:
    """As `is_inside`, for folders whose links have been followed."""
    found = os.path.realpath(place)
    return any(found == folder or found.startswith(os.path.join(folder, "")) for folder in real)  # noqa: PTH118


def project_of(folder: Path) -> tuple[Path, ...]:
    """A folder, and what it is a part of: the nearest project around it, and the current folder where it is below that.

    A linked folder is part of two projects. None is ever the root of the file system.
    """
    folder = folder.absolute()
    found = [folder]
    for base in dict.fromkeys((folder, folder.resolve())):
        around = (place for place in (base, *base.parents) if any((place / name).exists() for name in MARKERS))
        found.extend([first] if (first := next(around, None)) else [])
    found.extend([Path.cwd()] if is_inside(folder, [Path.cwd()]) else [])
    return tuple(dict.fromkeys(place for place in found if place != Path(place.anchor)))


def find(relative: str, folders: Sequence[Path]) -> Path:
    """The absolute path of ``relative`` in the first folder that has it, else in the first folder.

    The last part of the path is never replaced: a symbolic link keeps its own name, by which recordings are known.
    """
    places = [(folder / relative).absolute() for folder in folders]
    place = next((place for place in places if reachable(place)), None)
    if place is None:
        return _without_dots(places[0])
    tidy = _without_dots(place)
    return tidy if tidy == place or (reachable(tidy) and tidy.samefile(place)) else place


def reachable(place: Path) -> bool:
    """Whether something is there; a name that the system refuses (too long, say) is not."""
    try:
        place.stat()
    except OSError:
        return False
    return True


def _without_dots(place: Path) -> Path:
    return Path(os.path.normpath(place))
