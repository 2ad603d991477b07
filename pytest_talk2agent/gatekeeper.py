"""Gathers every result of a run and decides the gate once, on the controller or in the single process."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.reporting.keys import RECORD
from pytest_talk2agent.selection import notes_of
from pytest_talk2agent.session import voice_of

if TYPE_CHECKING:
    from pytest_talk2agent.engine.progress import Progress
    from pytest_talk2agent.reporting.folder import ReportFolder
    from pytest_talk2agent.results.baseline import Baseline
    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.record import TaskResult


ANNOTATOR = "pytest_github_actions_annotate_failures"
"""Another plugin that annotates failed items; where it is, only the gate is left to annotate."""

_NO_RUN = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR)


class Gatekeeper:
    """Registered outside xdist workers. Imports nothing of weight until the first spoken task is met."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.expected: set[str] = set()
        self._results: dict[str, TaskResult] = {}
        self._errors: dict[str, str] = {}
        self._failed: set[str] = set()
        self._places: dict[str, tuple[str, int]] = {}
        self._gate: Gate | None = None
        self._folder: ReportFolder | None = None
        self._saved: str | None = None
        self._unsummarised: str | None = None
        self.progress: Progress | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the record out of a report before other reports see it."""
        record = None
        kept = []
        for name, value in report.user_properties:
            if name == RECORD:
                record = str(value)
            else:
                kept.append((name, value))
        report.user_properties = kept
        if record is None and "t2a" not in report.keywords and report.nodeid not in self.expected:
            return
        path, line, _ = report.location
        self._places[report.nodeid] = (path, (line or 0) + 1)
        if record is not None and report.when == "call":
            self._take(record)
        if not report.failed:
            return
        if record is None or report.when != "call":
            self._errors[report.nodeid] = _one_line(report)
        else:
            self._failed.add(report.nodeid)

    def _take(self, record: str) -> None:
        from pytest_talk2agent.reporting.folder import ReportFolder
        from pytest_talk2agent.results.record import TaskResult

        result = TaskResult.from_json(json.loads(record))
        self._results[result.node] = result
        self._errors.pop(result.node, None)
        self._failed.discard(result.node)
        self._config.hook.pytest_t2a_result(config=self._config, result=result)
        directory = voice_of(self._config).settings.report
        if directory is not None:
            if self._folder is None:
                self._folder = ReportFolder(directory)
            self._folder.append(result)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide, write what was asked for, and set the exit status."""
        if self._config.option.collectonly or session.exitstatus in _NO_RUN:
            return
        if not (self.expected or self._results or self._errors or self._named()):
            return
        from pytest_talk2agent.analysis.release import decide_run

        results = self._ordered()
        voice = voice_of(self._config)
        settings = voice.settings
        gate = decide_run(
            results,
            self._errors,
            self.expected,
            settings.rules,
            failed_tests=self._failed,
            baseline=voice.baseline if settings.margin and results else None,
            new=settings.update == "new",
        )
        answers = self._config.hook.pytest_t2a_gate(config=self._config, results=results, gate=gate)
        added = [reason for answer in answers for reason in answer]
        gate = replace(gate.with_reasons(added), added=tuple(added), remarks=(*gate.remarks, *voice.notes))
        if settings.update is not None:
            gate = gate.with_reasons(self._save_baseline(results))
        self._gate = gate = gate.with_reasons(self._write_reports(results, gate))
        if not gate.passed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _named(self) -> bool:
        """Whether the command line asks for a gate, or all was left out: what judges nothing must not be green."""
        asked = self._config.getoption("t2a_interface") or self._config.getoption("t2a_baseline")
        return bool(asked or notes_of(self._config))

    def _ordered(self) -> list[TaskResult]:
        """Results by condition, as the options name them, then by node: no matter which worker was first."""
        place = {spec.label: index for index, spec in enumerate(voice_of(self._config).settings.specs)}
        return sorted(self._results.values(), key=lambda result: (place[result.condition], result.node))

    def _save_baseline(self, results: Sequence[TaskResult]) -> list[str]:
        """Write the baseline; returns why that could not be done, if so."""
        from pytest_talk2agent.results.baseline import Baseline, BaselineError

        voice = voice_of(self._config)
        path = voice.settings.baseline
        assert path is not None, "options are checked at configure time"
        judge = voice.judge.fingerprint
        try:
            before: Baseline = Baseline.load(path) if path.exists() else Baseline(path=path, judge=judge)
            after = before.updated(results, judge, only_new=voice.settings.update == "new")
            after.save()
        except BaselineError as error:
            return [f"no baseline written: {error}"]
        except OSError as error:
            return [f"no baseline written: {path} cannot be written ({error.strerror})"]
        changed = sum(
            before.items.get(condition, {}).get(key) != entry
            for condition, entries in after.items.items()
            for key, entry in entries.items()
        )
        self._saved = f"baseline {path}: {changed} items written, {sum(map(len, after.items.values()))} in all"
        return []

    def _write_reports(self, results: Sequence[TaskResult], gate: Gate) -> list[str]:
        """Write what was asked for; returns why that could not be done, if so."""
        from pytest_talk2agent.reporting.folder import ReportFolder
        from pytest_talk2agent.reporting.markdown import append_to_step_summary, summary_markdown

        directory = voice_of(self._config).settings.report
        text = summary_markdown(results, self._errors, gate)
        self._unsummarised = append_to_step_summary(text)  # said, but no reason to fail: the verdict stands without it
        try:
            if directory is not None:
                self._folder = self._folder or ReportFolder(directory)
                self._folder.finish(results, self._errors, gate, text)
        except OSError as error:
            return [f"no report written: {directory} cannot be written ({error.strerror})"]
        return []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the failing rows and the verdict, last."""
        if self._gate is None:
            return
        from pytest_talk2agent.reporting.terminal import summary_lines, verdict_line

        lines = summary_lines(self._ordered(), self._errors, self._gate, verbose=self._config.get_verbosity() > 0)
        terminalreporter.ensure_newline()
        terminalreporter.section("talk2agent")
        for line in lines:
            terminalreporter.write_line(line)
        if self.progress is not None:
            terminalreporter.write_line(f"model server: {self.progress}")
        if self._folder is not None:
            terminalreporter.write_line(f"report: {self._folder.directory}")
        for remark in (self._saved, self._unsummarised):
            if remark is not None:
                terminalreporter.write_line(remark)
        for line in self._gate.remarks:
            terminalreporter.write_line(f"note: {line}")
        colour = {"green": True} if self._gate.passed else {"red": True}
        terminalreporter.write_line(verdict_line(self._gate), bold=True, **colour)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            self._annotate(terminalreporter, self._gate)

    def _annotate(self, terminalreporter: pytest.TerminalReporter, gate: Gate) -> None:
        from pytest_talk2agent.reporting.annotations import workflow_commands

        items = not self._config.pluginmanager.hasplugin(ANNOTATOR)
        for line in workflow_commands(self._ordered(), self._errors, gate, self._places, items=items):
            terminalreporter.write_line(line)


def _one_line(report: pytest.TestReport) -> str:
    lines = [line for line in report.longreprtext.splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"{report.when} failed"
