"""Checks on data that others may have written: files, plain values, records.

Only regular files of a sane size are read, so a pipe or a device cannot block a run. Text is parsed as the JSON that
this project writes. Each field of a record must have its declared type.
"""

from __future__ import annotations

import errno
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.tasks.files import each_key_once, open_regular

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MOST_BYTES = 64 * 2**20
"""The largest file, or line of one, that is read whole."""
DEEPEST = 64
"""How deep values may be nested."""
LARGEST = 2**63
"""Whole numbers lie below it, so that they remain numbers when they become floats."""
_CONTAINERS = (dict, list, tuple, Mapping)  # an abstract class takes long to ask, so it comes last


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file; raises OSError as `open_regular` does, and where it is larger than ``most`` bytes."""
    with open_regular(path) as stream:
        content = stream.read(most + 1) if os.fstat(stream.fileno()).st_size <= most else None
    if content is None or len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", str(path))
    return content


def parse_plain(content: bytes) -> object:
    """The value of a JSON text in UTF-8; raises ValueError, also for what only Python's parser takes, such as NaN."""
    return _parse(content, _finite)


def parse_exact(content: bytes) -> object:
    """As `parse_plain`, but a number with a point or an exponent is returned as it is written, as text."""
    return _parse(content, str)


def _parse(content: bytes, read_float: Any) -> object:
    try:
        return json.loads(
            content.decode(), parse_constant=_no_constant, parse_float=read_float, object_pairs_hook=each_key_once
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large")
    return value


def plain_fault(value: object, where: str, *, any_text: bool = False, deepest: int = DEEPEST) -> str | None:
    """Why a value is not one that JSON holds and any report can print, in one line; None where it is.

    It is a text that UTF-8 can hold (``any_text`` allows others, as the name of a file may be), a finite number, a
    boolean or None, or a list (a tuple) or mapping of such.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if any_text or is_text(value) else f"{where} is no valid text"
    if isinstance(value, int):
        return None if -LARGEST < value < LARGEST else f"{where} is too large a number"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{where} is {value}, which is no number"
    if not isinstance(value, _CONTAINERS):
        return f"{where} is a {type(value).__name__}, which is no plain value"
    if not deepest:
        return f"{where.partition('[')[0]} is nested too deeply"
    if isinstance(value, list | tuple):
        value = dict(enumerate(value))
    elif odd := [name for name in value if not isinstance(name, str) or not (any_text or is_text(name))]:
        return f"{where} has the key {odd[0]!r:.60}, which is no valid text"
    for name, item in value.items():
        kind = type(item)  # most values are these, and their places need no name
        if item is None or kind is bool or (kind is str and (any_text or item.isascii())):
            continue
        fault = plain_fault(item, f"{where}[{name!r}]", any_text=any_text, deepest=deepest - 1)
        if fault is not None:
            return fault
    return None


def is_text(value: str) -> bool:
    """Whether UTF-8 can hold a text: no half of a surrogate pair stands alone in it."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_other_keys(data: Mapping[str, Any], what: str, keys: Set[str]) -> None:
    """Raise TypeError with one line where a mapping has another key, or lacks one."""
    if odd := data.keys() ^ keys:
        raise TypeError(f"{what} has {'no' if min(odd) in data else 'to have'} {min(odd)!r}")


def refuse_other_types(record: Any) -> None:
    """Raise TypeError with one line where a field of a dataclass, at any depth, has another type than it declares."""
    from pydantic import ValidationError

    try:
        _types_of(record.__class__).validate_python((record,))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"][1:]))
        raise TypeError(f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None


@cache
def _types_of(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(
        strict=True, revalidate_instances="always", allow_inf_nan=False, arbitrary_types_allowed=True, extra="forbid"
    )
    # A dataclass of its own takes no configuration from here; one inside a tuple does.
    return TypeAdapter(tuple[kind], config=config)  # type: ignore[valid-type]


def fault_line(error: Exception) -> str:
    """What an error says, as part of one line that any stream can print."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    said = f"no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
    return said.encode(errors="backslashreplace").decode()


def listed(names: Iterable[str]) -> str:
    """Names with commas between, as part of one line: what cannot be printed is escaped."""
    return ", ".join(name if name.isprintable() else ascii(name) for name in names)


def texts(value: object, name: str) -> tuple[str, ...]:
    """A JSON list of texts; raises TypeError where it is anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{name} is no list of texts")
    return tuple(value)


def mapping(value: object, name: str) -> Mapping[str, Any]:
    """A JSON object; raises TypeError where it is anything else."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is no object")
    return value
