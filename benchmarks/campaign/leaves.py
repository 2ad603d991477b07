"""Every value of a JSON document: where it stands, and what else could stand there."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]


def leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Each value that holds no other, with its place; an empty list or object is one."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = list(pairs)
    if not inner:
        yield place, value
    for key, part in inner:
        yield from leaves(part, (*place, key))


def inner(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of each value that holds others, but for the whole."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        if isinstance(part, dict | list) and part:
            yield (*place, key)
            yield from inner(part, (*place, key))


def replaced(document: Any, place: Place, value: Any) -> Any:
    """A copy with another value at a place."""
    if not place:
        return value
    changed = copy.deepcopy(document)
    _at(changed, place[:-1])[place[-1]] = value
    return changed


def removed(document: Any, place: Place) -> Any:
    """A copy without what stands at a place."""
    changed = copy.deepcopy(document)
    del _at(changed, place[:-1])[place[-1]]
    return changed


def other(value: Any) -> Any:
    """Another value of the same type: nearly the same, so that only a close look tells."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("1" if value[-1:] != "1" else "2") if value else "x"
    return ["x"] if isinstance(value, list) else {"x": "y"} if isinstance(value, dict) else 0


def wrong(value: Any) -> Any:
    """A value of a type that cannot be right."""
    return {"odd": [None]} if not isinstance(value, dict) else 7


def dotted(place: Place) -> str:
    """A place as one word."""
    return ".".join(map(str, place)) or "whole"


def _at(document: Any, place: Place) -> Any:
    for key in place:
        document = document[key]
    return document
