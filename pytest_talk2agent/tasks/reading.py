"""The bytes of a file that somebody named as text, or one clear line on why not."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from pytest_talk2agent.tasks.errors import Problem, TaskFileError
from pytest_talk2agent.tasks.sniff import wide_encoding
from pytest_talk2agent.tasks.syntax import first_unprintable

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
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, "it is no regular file", str(path))


def _end(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _refused(path: Path, message: str, line: int = 0, column: int = 0) -> TaskFileError:
    return TaskFileError([Problem(path, line, column, message)])
