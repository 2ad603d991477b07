"""Where finished transcripts arrive and where items wait for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.interfaces.utterance import TranscriptionError
from pytest_talk2agent.results.transcript import Transcript


class Mailbox:
    """Transcripts and failures by job, filled from one thread and read from another."""

    def __init__(self) -> None:
        self._found: dict[str, Transcript | str] = {}
        self._order: list[str] = []
        self._end: str | None = None
        self._changed = threading.Condition()

    def deliver(self, key: str, outcome: Transcript | str, *, last: bool = False) -> None:
        """Put in the transcript of a job, or the one line that says why there is none; the ``last`` one closes it."""
        with self._changed:
            if last and self._end is None:
                self._end = "everything that was asked for has come"
            if key not in self._found:
                self._order.append(key)
            self._found[key] = outcome
            self._changed.notify_all()

    def close(self, reason: str) -> None:
        """Say that nothing more will come, and why: whoever waits for a job that is not here gets the reason."""
        with self._changed:
            if self._end is None:
                self._end = reason
            self._changed.notify_all()

    def get(self, job: Job) -> Transcript:
        """Wait for one job; raises TranscriptionError with one line where it failed or will never come."""
        heard = self._found.get(job.key)
        if isinstance(heard, Transcript):  # it stays as it came
            return heard
        self.wait(job)
        with self._changed:
            outcome = self._found.get(job.key, self._end or "")
        if isinstance(outcome, Transcript):
            return outcome
        raise TranscriptionError(outcome)

    def forget_failure(self, job: Job) -> bool:
        """Whether a job has failed, or never came; if so it is awaited again."""
        with self._changed:
            if isinstance(self._found.get(job.key), Transcript):
                return False
            self._found.pop(job.key, None)
            self._end = None
            return True

    def wait(self, job: Job) -> None:
        """Wait until a job has come or never will."""
        with self._changed:
            self._changed.wait_for(lambda: job.key in self._found or self._end is not None)

    def arrivals(self) -> Iterator[str]:
        """Yield the keys of the jobs as they finish, well or badly, until the mailbox is closed."""
        seen = 0
        while True:
            with self._changed:
                while len(self._order) == seen and self._end is None:
                    self._changed.wait()
                fresh = self._order[seen:]
            if not fresh:
                return
            seen += len(fresh)
            yield from fresh
