"""Gathers what agents did in a run, on the controller or in the single process, and hands it to the gatekeeper."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.plan import Plan
from pytest_talk2agent.reporting.properties import TRIAL, TRIAL_ITEM

if TYPE_CHECKING:
    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.execution.trial_result import TrialResult


@dataclass
class _Try:
    """What one process said of one trial, since it last began with it."""

    result: TrialResult | None = None
    error: str | None = None


class TrialKeeper:
    """Registered outside xdist workers beside the gatekeeper.

    ``take`` is called with each result as it comes; a trial without a score is one, too.
    """

    def __init__(self, take: Callable[[TrialResult], None]) -> None:
        self._take = take
        self._plan = Plan()
        self._tries: dict[tuple[str, str], _Try] = {}
        self._last: tuple[pytest.TestReport | None, dict[str, object]] = None, {}

    def follow(self, plan: Plan) -> None:
        """Expect what a process plans; all processes of a run plan the same, so the first plan that has any counts."""
        if not self._plan.trials:
            self._plan = plan

    @property
    def met(self) -> bool:
        """Whether trials were planned or run, or the baseline has some that were not."""
        return bool(self._plan.trials or self._plan.unexecuted or self._tries)

    def executed(self, *, updates: bool) -> Executed:
        """All trials of the run; with ``updates`` what of the baseline did not run is let go."""
        from pytest_talk2agent.execution.trial_gate import executed_run

        errors = {item: this.error for (item, _), this in self._tries.items() if this.error is not None}
        found = {item: this.result for (item, _), this in self._tries.items() if this.result is not None}
        unseen = () if updates else self._plan.unexecuted
        return executed_run(found.values(), errors, self._plan.trials.values(), unseen)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take identity and result out of a report before other plugins see them, and note what it says."""
        ours = {name: value for name, value in report.user_properties if name in (TRIAL, TRIAL_ITEM)}
        if report is self._last[0]:  # a plugin that tries again sends the report of the first try anew
            ours = self._last[1]
        self._last = report, ours
        report.user_properties = [pair for pair in report.user_properties if pair[0] not in ours]
        item = ours.get(TRIAL_ITEM) or self._plan.trials.get(report.nodeid)
        if not isinstance(item, str):
            return
        who = item, getattr(report, "worker_id", "")
        if report.when == "setup" or who not in self._tries or report.outcome in ("rerun", "retried"):
            self._tries[who] = _Try()
        this = self._tries[who]
        if TRIAL in ours and this.result is None:
            this.result = _read(ours[TRIAL])
            self._take(this.result)
        if report.failed and (this.result is None or this.result.score is None or report.when != "call"):
            this.error = _last_line(report)


def _read(record: object) -> TrialResult:
    from pytest_talk2agent.execution.trial_result import TrialResult

    return record if isinstance(record, TrialResult) else TrialResult.from_json(json.loads(str(record)))


def _last_line(report: pytest.TestReport) -> str:
    from pytest_talk2agent.reporting.visible import visible_line

    lines = [line for line in report.longreprtext.splitlines() if line.strip()]
    return visible_line(lines[-1].strip()) if lines else "it failed without a word"
