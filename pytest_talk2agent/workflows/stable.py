"""Choices that are the same on every machine: hashes of texts instead of a clock or the process's own randomness.

Apart, as every folder of workflows chooses and signs by it.

APEX-Voice, `core/hashing`: a key is BLAKE2b with a digest of 16 bytes over the parts, joined by U+001F.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
_JOINT = "\x1f"


def stable_key(*parts: object) -> str:
    """32 hexadecimal digits over the parts, each as ``str`` writes it."""
    text = _JOINT.join(map(str, parts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def stable_int(*parts: object) -> int:
    """The first 64 bits of `stable_key`."""
    return int(stable_key(*parts)[:16], 16)


def stable_choice(candidates: Sequence[Item], *parts: object) -> Item:
    """One of the candidates, of which there is at least one."""
    return candidates[stable_int(*parts) % len(candidates)]


def stable_random(*parts: object) -> random.Random:
    """A generator that the parts seed."""
    return random.Random(stable_int(*parts))


def canonical(value: object) -> str:
    """The one JSON text of a plain value: keys sorted, no blanks, ASCII only, so that any text can be written.

    Raises:
        ValueError: for a number that JSON cannot write.
        TypeError: for what is no plain value.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def digest_of(value: object) -> str:
    """SHA-256 (hexadecimal) of a plain value."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
