"""Where the files are that a task file names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def find(relative: str, folders: Sequence[Path]) -> Path:
    """The absolute path of ``relative`` in the first folder that has it, else in the first folder.

    The last part of the path is never replaced: a symbolic link keeps its own name, by which recordings are known.
    """
    places = [(folder / relative).absolute() for folder in folders]
    place = next((place for place in places if reachable(place)), None)
    if place is None:
        return _without_dots(places[0])
    tidy = _without_dots(place)
    return tidy if reachable(tidy) and tidy.samefile(place) else place


def reachable(place: Path) -> bool:
    """Whether something is there; a name that the system refuses (too long, say) is not."""
    try:
        place.stat()
    except OSError:
        return False
    return True


def _without_dots(place: Path) -> Path:
    return Path(os.path.normpath(place))
