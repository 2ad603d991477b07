"""Gathers what agents did in a run, on the controller or in the single process, and hands it to the gatekeeper."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_talk2agent.plan import Plan
from pytest_talk2agent.report_keeper import ReportKeeper
from pytest_talk2agent.reporting.properties import TRIAL, TRIAL_ITEM

if TYPE_CHECKING:
    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.execution.trial_result import TrialResult


class TrialKeeper(ReportKeeper["TrialResult"]):
    """Registered outside xdist workers beside the gatekeeper.

    ``take`` is called with each result as it comes; a trial without a score is one, too.
    """

    def __init__(self, take: Callable[[TrialResult], None]) -> None:
        super().__init__(TRIAL, TRIAL_ITEM, _read, take)
        self._plan = Plan()

    def follow(self, plan: Plan) -> None:
        """Expect what a process plans; all processes of a run plan the same, so the first plan that has any counts."""
        if not self._plan.trials:
            self._plan = plan
            self.expect(plan.trials)

    @property
    def met(self) -> bool:
        """Whether trials were planned or run, or the baseline has some that were not."""
        return bool(self._plan.trials or self._plan.unexecuted or self._tries)

    def executed(self, *, updates: bool) -> Executed:
        """All trials of the run; with ``updates`` what of the baseline did not run is let go."""
        from pytest_talk2agent.execution.trial_gate import executed_run

        unseen = () if updates else self._plan.unexecuted
        return executed_run(self.results.values(), self.errors, self._plan.trials.values(), unseen)


def _read(record: object) -> TrialResult:
    from pytest_talk2agent.execution.trial_result import TrialResult

    return record if isinstance(record, TrialResult) else TrialResult.from_json(json.loads(str(record)))
