"""The bytes of a task file as text, or one clear line on why not."""

from __future__ import annotations

from pathlib import Path

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


def read_utf8(path: Path) -> str:
    """Read a UTF-8 file, with or without a byte order mark.

    Raises TaskFileError for a folder, a file that is missing, unreadable or larger than `LARGEST`, another encoding.
    """
    try:
        if path.is_dir():
            raise _refused(path, "is a folder; name a task file in it")
        if path.exists() and not path.is_file():
            raise _refused(path, "is no regular file; name a task file")
        if (size := path.stat().st_size) > LARGEST:
            raise _refused(path, f"has {size} bytes, more than {LARGEST}; split it into several files")
        data = path.read_bytes()
    except OSError as error:
        raise _refused(
            path, f"cannot be read: {error.strerror or error}; check the path and its permissions"
        ) from error
    if encoding := wide_encoding(data):
        raise _refused(path, f"is {encoding[:6].upper()}; save it as UTF-8", 1, 1)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        raise _refused(
            path, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8", *_end(before)
        ) from error


def _end(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _refused(path: Path, message: str, line: int = 0, column: int = 0) -> TaskFileError:
    return TaskFileError([Problem(path, line, column, message)])
