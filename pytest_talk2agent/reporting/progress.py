"""The progress of a transcription pass on the terminal."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_talk2agent.engine.progress import Progress

WIDTH = 30
REDRAW = 0.1


class ProgressLine:
    """A bar on a terminal that can redraw a line; elsewhere one line at the end.

    Nothing is shown where nothing had to be transcribed, or where pytest is told to be quiet.
    """

    def __init__(self, config: pytest.Config) -> None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        self._reporter = reporter if config.get_verbosity() >= 0 else None
        self._redraws = self._reporter is not None and self._reporter.isatty
        self._last = Progress(0)
        self._drawn = 0.0
        self._begin = 0.0
        self._lock = threading.Lock()

    def open(self, total: int) -> None:
        """Begin a pass over so many recordings."""
        self._last = Progress(total)
        self._begin = time.monotonic()

    def show(self, progress: Progress) -> None:
        """Take note of progress; called from the thread that transcribes."""
        with self._lock:
            self._last = progress
            now = time.monotonic()
            if self._reporter and self._redraws and progress.done > progress.stored and now - self._drawn > REDRAW:
                self._drawn = now
                filled = WIDTH * progress.done // progress.total
                bar = "#" * filled + "." * (WIDTH - filled)
                self._reporter.rewrite(f"transcribing [{bar}] {progress.done}/{progress.total}")

    def close(self) -> None:
        """Leave one line that says what was done."""
        if self._reporter is None or not self._last.total:
            return
        with self._lock:
            if self._redraws:
                # Back to the margin: the line covers the bar, and blanks over it would leave the cursor at the right.
                self._reporter.rewrite("")
            self._reporter.write_line(f"talk2agent: {self._last} in {time.monotonic() - self._begin:.1f} s")
