"""How far a transcription pass has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Recordings of a pass, how many of them are finished, and of those how many were stored already or failed."""

    total: int
    done: int = 0
    stored: int = 0
    failed: int = 0

    def __add__(self, other: Progress) -> Progress:
        """Two passes together."""
        return Progress(
            self.total + other.total, self.done + other.done, self.stored + other.stored, self.failed + other.failed
        )

    def __str__(self) -> str:
        """One line on what was done."""
        fresh = self.done - self.stored - self.failed
        parts = [f"{self.stored} of {self.total} transcripts from the store", f"{fresh} recordings transcribed"]
        return ", ".join([*parts, f"{self.failed} failed"] if self.failed else parts)
