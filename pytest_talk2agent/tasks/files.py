"""Files that somebody named: where they are, whether they may be read, and their bytes as text or JSON.

Only a regular file of a sane size is read, so that a pipe or a device in its place cannot hold a run.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pytest_talk2agent.tasks.errors import Problem, TaskFileError
from pytest_talk2agent.tasks.sniff import wide_encoding

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


LARGEST = 5_000_000
"""Bytes. A file of 2,000 tasks has less than half of it."""


def read_text(path: Path) -> str:
    """Read a UTF-8 file that is to be YAML; raises TaskFileError as `read_utf8`, and for what YAML forbids."""
    text = read_utf8(path)
    forbidden = first_unprintable(text)
    if forbidden is not None:
        message = f"the character U+{ord(text[forbidden]):04X} is not allowed in YAML; delete it"
        raise _refused(path, message, *_end(text[:forbidden]))
    return text


def read_utf8(path: Path, largest: int = LARGEST) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises TaskFileError for a folder, a file that is missing, unreadable, no regular file or larger than ``largest``
    bytes, another encoding.
    """
    try:
        data = read_bounded(path, largest)
    except IsADirectoryError:
        raise _refused(path, "is a folder; name a task file in it") from None
    except NotRegularError:
        raise _refused(path, "is no regular file; name a task file") from None
    except OSError as error:
        raise _refused(
            path, f"cannot be read: {error.strerror or error}; check the path and its permissions"
        ) from error
    except ValueError as error:
        raise _refused(path, str(error)) from None
    if encoding := wide_encoding(data):
        raise _refused(path, f"is {encoding[:6].upper()}; save it as UTF-8", 1, 1)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        raise _refused(
            path, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8", *_end(before)
        ) from error


def read_bounded(path: Path, largest: int) -> bytes:
    """The bytes of a regular file, at most ``largest``; never waits for a writer, nor reads a device.

    Raises OSError as `open_regular`, and ValueError for a larger file: what is wrong, and what to do.
    """
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        # What stands in /proc has the size 0, and may have nothing to give, which is None.
        data = b"" if size > largest else stream.read(largest + 1) or b""
    if max(size, len(data)) > largest:
        raise ValueError(f"has {max(size, len(data))} bytes, more than {largest}; split it into several files")
    return data


class NotRegularError(OSError):
    """A device, a pipe or a socket, where a file is to be read."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file.

    Raises IsADirectoryError for a folder, NotRegularError for what may block or never end, else OSError.
    """
    _check_regular(path.stat(), path)
    # A pipe that came in its place would block the opening itself.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _check_regular(os.fstat(descriptor), path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(found: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, "not a regular file", str(path))


def _end(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _refused(path: Path, message: str, line: int = 0, column: int = 0) -> TaskFileError:
    return TaskFileError([Problem(path, line, column, message)])


_NOT_YAML = re.compile(r"[^\x09\x0A\x0D\x20-\x7E\x85\xA0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\U00010000-\U0010FFFF]")


def first_unprintable(text: str) -> int | None:
    """The offset of the first character that YAML forbids (such as NUL), or None."""
    found = _NOT_YAML.search(text)
    return found.start() if found else None


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises ValueError, a JSONDecodeError where the text is no JSON, and RecursionError where it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=each_key_once)


def numbered_lines(path: Path, largest: int, what: str) -> Iterator[tuple[str, str]]:
    """Yield ``FILE:LINE`` and the text of each line of a JSON Lines file that is not blank.

    Raises ValueError with one line where the file cannot be read; ``what`` is what it holds, for that line.
    """
    try:
        text = read_bounded(path, largest).decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path}: cannot read {what}: {error.strerror or error}; check the path") from None
    except ValueError as error:
        raise ValueError(f"{path}: cannot read {what}: {error}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", line


def scalars_in(value: object) -> Iterator[object]:
    """Every text, number, truth value and null among the values of a JSON value, at any depth."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        yield value
    else:
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from scalars_in(inner)


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The hook of `json.loads` for the pairs of an object; raises ValueError where a key is there twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found
