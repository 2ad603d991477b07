"""Where a judge keeps what it was answered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol


class Records(Protocol):
    """A keeper of plain values, such as `results.store.Store`; whatever is kept under a key is found under it again."""

    def record(self, kind: str, key: str) -> Mapping[str, Any] | None:
        """The values under a key, or None."""

    def why_absent(self, kind: str, key: str) -> str | None:
        """Why what is under a key was not used; None where there is nothing."""

    def reject_record(self, kind: str, key: str, why: str) -> None:
        """Count what is under a key as absent."""

    def keep_record(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        """Keep values under a key."""


def record_key(*parts: object) -> str:
    """SHA-256 (hexadecimal) over plain JSON values, in order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
