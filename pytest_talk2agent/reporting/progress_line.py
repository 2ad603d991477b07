"""The progress of a transcription pass on the terminal. A file of its own: the idle plugin loads it under xdist."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from pytest_talk2agent.engine.progress import Progress

if TYPE_CHECKING:
    import pytest

WIDTH = 30
REDRAW = 0.1
SAY = 10.0
"""Seconds between two lines where a line cannot be redrawn: a log in which nothing comes looks as if it hung."""


class ProgressLine:
    """A bar on a terminal that can redraw a line; elsewhere a line every ten seconds, and one at the end.

    Nothing is shown where nothing had to be transcribed, or where pytest is told to be quiet; with ``beside_items``,
    while a terminal shows the progress of the items themselves, nothing is drawn there.
    """

    def __init__(self, config: pytest.Config, *, beside_items: bool = False) -> None:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        self._reporter: pytest.TerminalReporter | None = reporter if config.get_verbosity() >= 0 else None
        self._redraws = self._reporter is not None and self._reporter.isatty
        self._beside_items = beside_items
        self._last = Progress(0)
        self._begin = time.monotonic()
        self._shown = float("-inf") if self._redraws else self._begin
        self._lock = threading.Lock()

    def show(self, progress: Progress) -> None:
        """Show progress; called from the thread that follows the transcription."""
        with self._lock:
            self._last = progress
            now = time.monotonic()
            heard = progress.done > progress.stored  # what is found in the store comes too fast to be shown
            every = REDRAW if self._redraws and heard else SAY
            if self._reporter is None or progress.done == progress.stored == progress.total:
                return
            if now - self._shown <= every:
                return
            self._shown = now
            if not self._redraws:
                self._reporter.ensure_newline()
                self._reporter.write_line(f"talk2agent: {progress.done} of {progress.total} transcripts")
            elif not self._beside_items:
                filled = WIDTH * progress.done // progress.total
                bar = "#" * filled + "." * (WIDTH - filled)
                self._reporter.rewrite(f"transcribing [{bar}] {progress.done}/{progress.total}", erase=True)

    def close(self) -> None:
        """Leave one line that says what was done."""
        if self._reporter is None or not self._last.total:
            return
        with self._lock:
            if self._redraws:
                # Back to the margin: the line covers the bar, and blanks over it would leave the cursor at the right.
                self._reporter.rewrite("")
            self._reporter.write_line(f"talk2agent: {self._last} in {time.monotonic() - self._begin:.1f} s")
