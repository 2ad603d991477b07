"""Gathers every result of a run and decides the gate once, on the controller or in the single process."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.adapter.options import asked_for, is_run
from pytest_talk2agent.adapter.plan import Plan, take_hooks, unasked
from pytest_talk2agent.adapter.report_keeper import ReportKeeper, TrialKeeper, last_line
from pytest_talk2agent.adapter.run_files import RunFiles
from pytest_talk2agent.adapter.workflow_keeper import WorkflowKeeper
from pytest_talk2agent.reporting.properties import ITEM, RECORD
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.execution.trial_gate import Executed
    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.task_result import TaskResult

ANNOTATOR = "pytest_github_actions_annotate_failures"
"""Another plugin that annotates failed items; where it is, only the gate is left to annotate."""

GATE = "talk2agent::gate"
"""The entry by which report readers see a gate that failed although every item passed."""

_NO_RUN = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR)


class Gatekeeper:
    """Registered outside xdist workers, when the first spoken task is met or an option speaks to this plugin."""

    def __init__(self, config: pytest.Config, voice: VoiceSession) -> None:
        self._config = config
        self._voice = voice
        self._plan = Plan()
        self._uncollected: dict[str, str] = {}
        self._gate: Gate | None = None
        self._executed: Executed | None = None
        self._decided = False
        self._session: pytest.Session | None = None
        self._finished = False
        self._files = RunFiles(config, voice)
        self._items = ReportKeeper(RECORD, ITEM, lambda plan: plan.items, _read, self._take, ("call",))
        self.trials = TrialKeeper(self._files.append)
        self.workflows = WorkflowKeeper(voice)
        self.rejected: list[str] = []
        self._hook_faults: list[str] = []

    @property
    def plugins(self) -> dict[str, object]:
        """What is registered with pytest, by name."""
        return {
            "t2a-gatekeeper": self,
            "t2a-itemkeeper": self._items,
            "t2a-trialkeeper": self.trials,
            "t2a-workflowkeeper": self.workflows,
        }

    def follow(self, plan: Plan) -> None:
        """Expect what a process plans. All processes of a run plan the same, so the first plan counts."""
        if self._plan != Plan():
            return
        self._plan = plan
        self._voice.note(plan.notes)
        for keeper in (self._items, self.trials, self.workflows):
            keeper.follow(plan)
        for file in plan.conftests:
            take_hooks(self._config, file)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what cannot be collected: whatever else passes, the run is not whole."""
        if report.failed:
            self._uncollected[report.nodeid or "the session"] = last_line(report)

    def _take(self, result: TaskResult) -> None:
        try:
            self._config.hook.pytest_t2a_result(config=self._config, result=result)
        except Exception as error:
            fault = f"a pytest_t2a_result hook failed: {_said(error)}"
            if fault not in self._hook_faults:
                self._hook_faults.append(fault)
        self._files.append(result)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember the session, whose exit status is asked for after the last hook."""
        self._session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Fail a session that a hook has ended before it began: nothing of it is finished, and nothing was judged."""
        session, wanted = self._session, asked_for(self._config, "interface", "baseline", "execute")
        if session is None or self._finished or not wanted or not is_run(self._config):
            return
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            if reporter is not None:
                reporter.write_line("GATE FAILED: the run was ended before it began", bold=True, red=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Decide when the last item has run, so that the exit status is pytest's own and everybody sees the same."""
        outcome = yield
        self._decide(session)
        return outcome

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide a run that came to no end of its own."""
        self._finished = True
        if session.exitstatus in _NO_RUN:
            return
        self._decide(session)
        if self._gate is not None and not self._gate.passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _decide(self, session: pytest.Session) -> None:
        """Decide once, and write what was asked for."""
        if self._decided or not is_run(self._config) or self._config.getoption("setuponly", default=False):
            return
        self._decided = True
        if not self._is_concerned():
            return
        results, errors = self._ordered(), self._items.errors
        settings = self._voice.settings
        executed = self.trials.executed(updates=settings.update == "all")
        gate = self._judge(results, errors, executed)
        added = self._asked_hooks(results, gate)
        owner = self._voice.owner
        unused = dict.fromkeys([*self._voice.store.rejected, *self.rejected])
        rejected = [f"stored record {line}; made anew" for line in unused]
        # This process and the model server may both have met the same record.
        read = dict.fromkeys([*(owner.remarks if owner is not None else ()), *rejected])
        remarks = [*gate.remarks, *self._voice.notes, *self._said_of_nothing(), *read]
        gate = replace(gate.with_reasons(added), added=tuple(added), remarks=tuple(remarks))
        if settings.update is not None:
            kept = settings.update == "new" or self._uncollected
            gone = [] if kept else [(condition, key) for condition, _, key in self._plan.unseen]
            written = self._files.save_baseline(results, executed, self.workflows, gone, kept=bool(kept))
            gate = gate.with_reasons(written)
        written = self._files.write_reports(results, errors, gate, executed, self.workflows)
        self._gate = gate = gate.with_reasons(written)
        self._executed = executed
        if not gate.passed and not session.testsfailed:
            self._report_failure(gate)

    def _judge(self, results: Sequence[TaskResult], errors: dict[str, str], executed: Executed) -> Gate:
        """The decision on items, then what agents add to it."""
        from pytest_talk2agent.analysis.decision import decide_run

        settings = self._voice.settings
        new, baseline = settings.update == "new", self._voice.baseline
        gate = decide_run(
            results,
            errors,
            self._items.expected,
            settings.rules,
            failed_tests=self._items.failed,
            uncollected=self._uncollected,
            unseen=[] if settings.update == "all" else [f"{file}::{key}" for _, file, key in self._plan.unseen],
            baseline=baseline if results else None,
            new=new,
            executes=not executed.is_empty or self.workflows.met,
        )
        if self.workflows.met:
            campaign = self.workflows.decide(updates=settings.update == "all")
            gate = replace(gate.with_reasons(campaign.reasons), remarks=(*gate.remarks, *campaign.remarks))
        if executed.is_empty and not (settings.execute and asked_for(self._config, "execute")):
            return gate
        from pytest_talk2agent.execution.trial_gate import with_executions

        return with_executions(gate, executed, settings.rules, baseline, new=new)

    def _is_concerned(self) -> bool:
        """Whether there is something to decide: a run that judged nothing must fail where a gate was asked for.

        A run whose tests only use transcripts, for an agent of their own, is an ordinary run.
        """
        if self._items.met or self._plan.unseen or self.trials.met or self.workflows.met:
            return True
        if self._plan.listeners:
            return False
        return bool(asked_for(self._config, "interface", "baseline", "execute") or self._voice.notes)

    def _said_of_nothing(self) -> list[str]:
        """Why nothing was there to judge, where a selection took it all."""
        count = self._plan.deselected
        if self._plan.items or self._plan.trials or self._plan.sessions or self._voice.notes or not count:
            return []
        return [
            f"{counted(count, 'spoken item')} found, all deselected; where a run may end up with none, such as one"
            " shard of many, name interface and baseline in the ini file instead of on the command line"
        ]

    def _asked_hooks(self, results: Sequence[TaskResult], gate: Gate) -> list[str]:
        """What hooks have against the run; a hook that fails, or answers with no list of reasons, is one itself."""
        try:
            answers = self._config.hook.pytest_t2a_gate(config=self._config, results=results, gate=gate)
        except Exception as error:
            return [*self._hook_faults, f"a pytest_t2a_gate hook failed: {_said(error)}"]
        reasons = list(self._hook_faults)
        for answer in answers:
            listed = [answer] if isinstance(answer, str) else answer
            if isinstance(listed, Sequence) and all(isinstance(reason, str) for reason in listed):
                reasons.extend(listed)
            else:
                reasons.append(f"a pytest_t2a_gate hook returned {answer!r:.80}; it returns a list of reasons")
        return reasons

    def _ordered(self) -> list[TaskResult]:
        """Results by condition, as the options name them, then by item: no matter which worker was first."""
        place = {spec.label: index for index, spec in enumerate(self._voice.settings.specs)}
        errors = self._items.errors
        found = [result for item, result in self._items.results.items() if item not in errors]
        return sorted(found, key=lambda result: (place[result.condition], result.node))

    def _report_failure(self, gate: Gate) -> None:
        """Let a gate that is red alone fail as one entry of its own, in JUnit and in every other report."""
        from pytest_talk2agent.reporting.terminal import verdict_line

        hook, place = self._config.hook, ("talk2agent", None, "gate")
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()  # else pytest repeats the progress at the end of the line
        hook.pytest_runtest_logstart(nodeid=GATE, location=place)
        for when, outcome, text in (
            ("setup", "passed", None),
            ("call", "failed", verdict_line(gate)),
            ("teardown", "passed", None),
        ):
            report = pytest.TestReport(
                nodeid=GATE,
                location=place,
                keywords={},
                outcome=outcome,  # type: ignore[arg-type]
                longrepr=text,
                when=when,  # type: ignore[arg-type]
            )
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=GATE, location=place)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the failing rows and the verdict, last."""
        if self._gate is None:
            return
        from pytest_talk2agent.reporting.terminal import summary_lines, verdict_line
        from pytest_talk2agent.reporting.visible import visible_line

        verbose = self._config.get_verbosity() > 0
        lines = summary_lines(self._ordered(), self._items.errors, self._gate, self._executed, verbose=verbose)
        terminalreporter.ensure_newline()
        terminalreporter.section("talk2agent")
        for line in (*lines, *self.workflows.lines(verbose=verbose)):
            terminalreporter.write_line(line)
        if self._voice.done is not None:
            terminalreporter.write_line(f"heard: {self._voice.done}")
        for line in (*self._files.lines, *unasked(self._plan)):
            terminalreporter.write_line(visible_line(line))
        for line in self._gate.remarks:
            terminalreporter.write_line(visible_line(f"note: {line}"))
        colour = {"green": True} if self._gate.passed else {"red": True}
        terminalreporter.write_line(verdict_line(self._gate), bold=True, **colour)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            self._annotate(terminalreporter, self._gate)

    def _annotate(self, terminalreporter: pytest.TerminalReporter, gate: Gate) -> None:
        from pytest_talk2agent.reporting.github import workflow_commands

        items = not self._config.pluginmanager.hasplugin(ANNOTATOR)
        root = self._config.rootpath
        for line in workflow_commands(
            self._ordered(), self._items.errors, gate, self._items.places, items=items, root=root
        ):
            terminalreporter.write_line(line)


def _read(record: object) -> TaskResult:
    from pytest_talk2agent.results.task_result import TaskResult

    return record if isinstance(record, TaskResult) else TaskResult.from_json(json.loads(str(record)))


def _said(error: BaseException) -> str:
    from pytest_talk2agent.interfaces.batch import one_line
    from pytest_talk2agent.reporting.visible import visible_line

    return visible_line(one_line(error))
