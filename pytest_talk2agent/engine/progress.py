"""How far a transcription pass has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.results.transcript import Transcript


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


class Counter:
    """Delivers each job of a pass once, whatever happens, and reports progress."""

    def __init__(
        self, total: int, deliver: Callable[[str, Transcript | str], None], report: Callable[[Progress], None]
    ) -> None:
        self._deliver = deliver
        self._report = report
        self.progress = Progress(total)
        self._delivered: set[str] = set()

    def deliver(self, job: Job, outcome: Transcript | str, *, stored: bool = False) -> None:
        """Hand out the transcript of a job, or the line that says why there is none."""
        if job.key in self._delivered:
            return
        self._delivered.add(job.key)
        before = self.progress
        failed = isinstance(outcome, str)
        self.progress = replace(
            before, done=before.done + 1, stored=before.stored + stored, failed=before.failed + failed
        )
        self._report(self.progress)
        self._deliver(job.key, outcome)
