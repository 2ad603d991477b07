"""Takes results out of the reports of items, on the controller or in the single process, whoever ran the item."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import pytest

from pytest_talk2agent.adapter.plan import Plan
from pytest_talk2agent.reporting.properties import TRIAL, TRIAL_ITEM

if TYPE_CHECKING:
    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.execution.trial_result import TrialResult

Result = TypeVar("Result")


@dataclass
class Try(Generic[Result]):
    """What one process said of one item, since it last began with it.

    ``error`` is why it could not be done, ``failed`` says that pytest failed the test itself.
    """

    result: Result | None = None
    error: str | None = None
    failed: bool = False


class ReportKeeper(Generic[Result]):
    """Registered outside xdist workers.

    ``result`` and ``item`` are the properties that hold the record of an item and what it is. ``planned`` gives what
    items a plan has, by node id, for those that die before they say it; ``read`` makes a result of a record, ``take``
    is called with each. A record is taken from the reports of some ``phases`` alone. ``places`` are the file and the
    line (from 1) of each item.
    """

    def __init__(
        self,
        result: str,
        item: str,
        planned: Callable[[Plan], Mapping[str, str]],
        read: Callable[[object], Result],
        take: Callable[[Result], None] = lambda result: None,
        phases: Collection[str] = ("setup", "call", "teardown"),
    ) -> None:
        self._names = result, item
        self._planned, self._make, self._take, self._phases = planned, read, take, phases
        self._plan = Plan()
        self.places: dict[str, tuple[str, int]] = {}
        self._tries: dict[tuple[str, str], Try[Result]] = {}
        self._last: tuple[pytest.TestReport | None, dict[str, object]] = None, {}

    def follow(self, plan: Plan) -> None:
        """Expect what a process plans; all processes of a run plan the same, so the first plan that has any counts."""
        if not self._planned(self._plan):
            self._plan = plan

    @property
    def expected(self) -> set[str]:
        """What was planned."""
        return set(self._planned(self._plan).values())

    @property
    def met(self) -> bool:
        """Whether any was planned or run."""
        return bool(self._planned(self._plan) or self._tries)

    @property
    def results(self) -> dict[str, Result]:
        """The result of each item, in order."""
        return {item: this.result for (item, _), this in sorted(self._tries.items()) if this.result is not None}

    @property
    def errors(self) -> dict[str, str]:
        """Why items could not be done, in order."""
        return {item: this.error for (item, _), this in sorted(self._tries.items()) if this.error is not None}

    @property
    def failed(self) -> set[str]:
        """Items that pytest failed, be it for their verdict or for what else."""
        return {item for (item, _), this in self._tries.items() if this.failed}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take identity and record out of a report before other plugins see them, and note what it says."""
        ours = {name: value for name, value in report.user_properties if name in self._names}
        if report is self._last[0]:  # a plugin that tries again sends the report of the first try anew
            ours = self._last[1]
        self._last = report, ours
        report.user_properties = [pair for pair in report.user_properties if pair[0] not in ours]
        name, identity = self._names
        item = ours.get(identity) or self._planned(self._plan).get(report.nodeid)
        if not isinstance(item, str):
            return
        path, line, _ = report.location
        self.places[item] = (path, (line or 0) + 1)
        who = item, getattr(report, "worker_id", "")  # xdist gives it to the reports of its workers
        if report.when == "setup" or who not in self._tries or report.outcome in ("rerun", "retried"):
            self._tries[who] = Try()
        this = self._tries[who]
        # A subtest may have brought it already.
        if name in ours and report.when in self._phases and this.result is None:
            this.result = self._make(ours[name])
            self._take(this.result)
        if report.failed and report.when == "call" and this.result is not None:
            this.failed = True
        elif report.failed:
            this.error = last_line(report)


class TrialKeeper(ReportKeeper["TrialResult"]):
    """Registered outside xdist workers beside the gatekeeper.

    ``take`` is called with each result as it comes; a trial without a score is one, too.
    """

    def __init__(self, take: Callable[[TrialResult], None]) -> None:
        super().__init__(TRIAL, TRIAL_ITEM, lambda plan: plan.trials, _read, take)

    @property
    def met(self) -> bool:
        """Whether trials were planned or run, or the baseline has some that were not."""
        return super().met or bool(self._plan.unexecuted)

    def executed(self, *, updates: bool) -> Executed:
        """All trials of the run; with ``updates`` what of the baseline did not run is let go."""
        from pytest_talk2agent.execution.trial_gate import executed_run

        unseen = () if updates else self._plan.unexecuted
        return executed_run(self.results.values(), self.errors, self.expected, unseen)


def _read(record: object) -> TrialResult:
    from pytest_talk2agent.execution.trial_result import TrialResult

    return record if isinstance(record, TrialResult) else TrialResult.from_json(json.loads(str(record)))


def last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The last line of what a report says, which names the fault."""
    from pytest_talk2agent.reporting.visible import visible_line

    lines = [line for line in report.longreprtext.splitlines() if line.strip()]
    return visible_line(lines[-1].strip()) if lines else "it failed without a word"
