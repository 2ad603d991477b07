"""JSON that says one thing: an object in which a key stands twice is refused, not read as its last half."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises ValueError, a JSONDecodeError where the text is no JSON, and RecursionError where it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=each_key_once)


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The hook of `json.loads` for the pairs of an object; raises ValueError where a key is there twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found
