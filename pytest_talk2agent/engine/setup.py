"""What a transcription pass needs besides its jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Setup:
    """Plain values, so that they travel to another process.

    ``interfaces`` are those that hooks add, name to ``"module:callable"``; ``budget`` is the most that a run may spend,
    as decimal text; ``engine`` is "local", "ray" or "ray:ADDRESS"; ``frozen`` says that only what is stored is used,
    ``refresh`` that everything is heard anew.
    """

    interfaces: Mapping[str, str] = field(default_factory=dict)
    budget: str | None = None
    engine: str = "local"
    frozen: bool = False
    refresh: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wire."""
        return {**vars(self), "interfaces": dict(self.interfaces)}
