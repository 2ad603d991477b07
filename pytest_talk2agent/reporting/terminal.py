"""What the terminal shows: progress while recordings are transcribed, and the summary of the run.

Light to import: an idle run under xdist loads it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.reporting.visible import encodable, table, visible_line, visible_lines
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    import pytest

    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.task_result import TaskResult


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


SHOWN = 30
_HEAD = ["item", "outcome", "native", "shapley", "lost", "what was lost"]


def summary_lines(
    results: Sequence[TaskResult],
    errors: Mapping[str, str],
    gate: Gate,
    executed: Executed | None = None,
    *,
    verbose: bool,
) -> list[str]:
    """Plain lines, fit for the terminal, failed items first. Items that passed are shown only when asked for."""
    from pytest_talk2agent.reporting.losses import worst_first
    from pytest_talk2agent.reporting.run_tables import tables_of
    from pytest_talk2agent.reporting.trial_report import FAILED_HEAD, failed_row, failed_trials

    rows = worst_first(r for r in results if verbose or r.verdict.outcome.fails)
    lines = []
    if rows:
        shown = rows if verbose else rows[:SHOWN]
        lines.extend(table(_HEAD, [_row(row) for row in shown]))
        if len(shown) < len(rows):
            lines.append(f"and {len(rows) - len(shown)} more (-v shows all)")
        lines.append("")
    failed = [] if executed is None else failed_trials(executed)
    if failed:
        lines.extend(table(FAILED_HEAD, [failed_row(row) for row in failed[:SHOWN]]))
        if len(failed) > SHOWN:
            lines.append(f"and {len(failed) - SHOWN} more trials (the report has all)")
        lines.append("")
    errors = errors if executed is None else {**errors, **executed.errors}
    lines.extend(f"ERROR {node.rpartition('::')[2]}: {text}" for node, text in sorted(errors.items())[:SHOWN])
    if len(errors) > SHOWN:
        lines.append(f"and {len(errors) - SHOWN} more errors")
    for number, (title, head, cells) in enumerate(tables_of(gate, results)):
        if number:
            lines.extend(["", title])
        lines.extend(table(head, cells))
    if gate.conditions:
        left_out = sum(summary.left_out for summary in gate.conditions)
        if left_out:
            lines.append(f"not in the means: {counted(left_out, 'item')} without a score or of polarity reversal")
    return list(map(encodable, visible_lines(lines)))


def verdict_line(gate: Gate) -> str:
    """The last line: passed, or every reason why not."""
    return "GATE PASSED" if gate.passed else encodable(visible_line(f"GATE FAILED: {'; '.join(gate.reasons)}"))


def item_name(result: TaskResult) -> str:
    """The last part of the node id: task, condition and take."""
    return result.node.rpartition("::")[2]


def _row(result: TaskResult) -> list[str]:
    from pytest_talk2agent.reporting.losses import lost_in_short, score_cells

    return [item_name(result), *score_cells(result), str(result.retention.lost), lost_in_short(result)]
