"""What an agent did: commands one after another, each with how it ended and the head and tail of what it printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_SHOWN = 2000
MOST_STEPS = 500
_MOST_SAID = 300


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

    @property
    def ending(self) -> str:
        """How it ended, with the last of what it printed, on one line."""
        said = " ".join(self.output.split())[-_MOST_SAID:]
        return f"ended with status {self.status}{': ' if said else ''}{said}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"command": self.command, "status": self.status, "output": self.output, "stopped": self.stopped}


def clipped(text: str, most: int = MOST_SHOWN) -> str:
    """A text whose middle is left out where it is long."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters]\n{text[-half:]}"
