"""What an agent did: commands one after another, each with how it ended and the head and tail of what it printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_SHOWN = 2000
MOST_STEPS = 500


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        command: as the agent gave it.
        status: its exit status; None where it was ended.
        output: what it printed on both streams, clipped.
        stopped: why it was ended.
    """

    command: str
    status: int | None
    output: str = ""
    stopped: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"command": self.command, "status": self.status, "output": self.output, "stopped": self.stopped}


def clipped(text: str, most: int = MOST_SHOWN) -> str:
    """A text whose middle is left out where it is long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters]\n{text[-half:]}"
