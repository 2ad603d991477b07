"""The files that a run leaves behind: its report folder as it grows, the job summary, the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.adapter.items import rerun_of
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.adapter.workflow_keeper import WorkflowKeeper
    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.execution.trial_result import TrialResult
    from pytest_talk2agent.reporting.html.before import Before
    from pytest_talk2agent.reporting.report_folder import ReportFolder
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.task_result import TaskResult


UNJUDGED = "none"
"""The judge of a baseline in which nothing is judged."""


class RunFiles:
    """What cannot be written is a reason to fail; a job summary alone is not, since the verdict stands without it."""

    def __init__(self, config: pytest.Config, voice: VoiceSession) -> None:
        self._config = config
        self._voice = voice
        self._folder: ReportFolder | None = None
        self._unwritten: str | None = None
        self._said: list[str] = []

    @property
    def lines(self) -> list[str]:
        """What was written, and what was not though nothing fails by it."""
        folder = [] if self._folder is None else [f"report: {self._folder.directory}"]
        return [*folder, *self._said]

    def append(self, result: TaskResult | TrialResult) -> None:
        """Keep a result at once, so that an interrupted run has it."""
        directory = self._voice.settings.report
        if directory is None or self._unwritten is not None:
            return
        from pytest_talk2agent.reporting.report_folder import ReportFolder

        try:
            self._folder = self._folder or ReportFolder(directory)
            self._folder.append(result)
        except OSError as error:
            self._unwritten = f"no report written: {directory} cannot be written ({error.strerror})"

    def write_reports(
        self,
        results: Sequence[TaskResult],
        errors: Mapping[str, str],
        gate: Gate,
        executed: Executed,
        workflows: WorkflowKeeper,
    ) -> list[str]:
        """Write what was asked for; returns why that could not be done, if so."""
        from pytest_talk2agent.reporting.github import append_to_step_summary, asks_for_step_summary, summary_markdown

        directory = self._voice.settings.report
        if directory is None and not asks_for_step_summary():
            return []
        text = summary_markdown(results, errors, gate, executed) + workflows.markdown()
        unsummarised = append_to_step_summary(text)
        if unsummarised is not None:
            self._said.append(unsummarised)
        if self._unwritten is not None:
            return [self._unwritten]
        if directory is None:
            return []
        from pytest_talk2agent.reporting.report_folder import ReportFolder
        from pytest_talk2agent.workflows.campaign.saved import WORKFLOWS

        try:
            self._folder = self._folder or ReportFolder(directory)
            before, rerun = self._before(), rerun_of(self._config)
            campaign = workflows.campaign()
            self._folder.finish(
                results, errors, gate, text, before=before, rerun=rerun, executed=executed, campaign=campaign
            )
            if workflows.gate is not None:
                self._folder.write(WORKFLOWS, workflows.to_json())
        except OSError as error:
            return [f"no report written: {directory} cannot be written ({error.strerror})"]
        return []

    def _before(self) -> Before | None:
        from pytest_talk2agent.reporting.html.before import BeforeBaseline

        baseline = self._voice.stored_baseline if self._voice.settings.update is None else self._voice.baseline
        return None if baseline is None else BeforeBaseline(baseline)

    def save_baseline(
        self,
        results: Sequence[TaskResult],
        executed: Executed,
        workflows: WorkflowKeeper,
        gone: Sequence[tuple[str, str]],
        *,
        kept: bool,
    ) -> list[str]:
        """Write the baseline without the items that are ``gone``; returns why that could not be done, if so.

        ``kept`` says that workflows which did not run stay in it, too.
        """
        from pytest_talk2agent.execution.trial_gate import rows_of
        from pytest_talk2agent.results.baseline import Baseline, BaselineError

        path = self._voice.settings.baseline
        assert path is not None, "options are checked at configure time"
        # Where nothing was judged, as in a run of workflows alone, the judge of transcripts may be none.
        judge = self._voice.judge.fingerprint if results else UNJUDGED
        try:
            before: Baseline = Baseline.load(path) if path.exists() else Baseline(path=path, judge=judge)
            judge = judge if results else before.judge
            only_new = self._voice.settings.update == "new"
            after = before.updated(results, judge, only_new=only_new).without(gone)
            after = after.with_executions(rows_of(executed), only_new=only_new)
            if workflows.met:
                held = after.workflows.updated(workflows.rows(), workflows.scoring, only_new=only_new)
                after = replace(after, workflows=held.without(() if kept else workflows.gone))
            after.save()
        except BaselineError as error:
            return [f"no baseline written: {error}"]
        except OSError as error:
            return [f"no baseline written: {path} cannot be written ({error.strerror})"]
        written = counted(after.changes_since(before), "item")
        said = f"baseline {path}: {written} written, {sum(map(len, after.items.values()))} in all"
        count = sum(map(len, after.executions.items.values()))
        said += f", and {counted(count, 'execution')}" if count else ""
        count = sum(map(len, after.workflows.packages.values()))
        self._said.append(said + (f", and {counted(count, 'workflow')}" if count else ""))
        return []


def forget_earlier_report(config: pytest.Config) -> None:
    """Make the folder of the report, and take out of it what an earlier run left; it is no report of this one."""
    from pytest_talk2agent.adapter.settings import report_folder

    folder = report_folder(config)
    if folder is None:
        return
    from pytest_talk2agent.reporting.report_folder import forget_report

    try:
        forget_report(folder)
    except OSError as error:
        raise pytest.UsageError(
            f"--t2a-report: cannot make the folder {folder} new: {error.strerror}; name another one"
        ) from None
