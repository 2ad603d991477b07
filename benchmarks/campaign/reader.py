"""What reads text of others: how an input of it is made, and which errors it declares."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from campaign.mutations import bytes_of, json_of


class Believed(Exception):  # noqa: N818 - no error of the reader, but of the campaign's expectation
    """An altered input was taken for the whole one."""


@dataclass(frozen=True)
class Reader:
    """``make`` gives a mutated input, ``read`` reads it; ``errors`` are what it may raise. ``share`` is its weight."""

    name: str
    make: Callable[[random.Random], Any]
    read: Callable[[Any], object]
    errors: tuple[type[Exception], ...]
    share: int = 4


def file_of(folder: Path, name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """A reader of bytes, from a reader of a path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)

    def reads(data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return reads


def mixed(
    good: list[bytes], documents: list[Any] | None = None, *, lines: bool = False
) -> Callable[[random.Random], bytes]:
    """Changes of bytes, and of the structure where there is one."""

    def make(chance: random.Random) -> bytes:
        if documents and chance.random() < 0.6:
            return json_of(chance, chance.choice(documents), lines=lines)
        return bytes_of(chance, chance.choice(good), good)

    return make
