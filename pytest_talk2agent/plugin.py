"""The pytest plugin: hook bodies and fixtures of a line or two, each a call into a module that is imported when needed.

Every pytest run imports this module and `options` and `hookspecs` of the adapter. Of the package it imports nothing
else until it meets a spoken task or an option that speaks to the plugin.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.adapter import hookspecs, options

if TYPE_CHECKING:
    from pytest_talk2agent.engine.condition import Condition
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.grading.retention import Retention
    from pytest_talk2agent.judging.judgement import Judgement
    from pytest_talk2agent.results.task_result import TaskResult
    from pytest_talk2agent.results.transcript import Transcript
    from pytest_talk2agent.tasks.recording import Recording
    from pytest_talk2agent.tasks.task import Task

MARKER = "t2a(file, task=None): give the test the spoken tasks of a YAML file; every spoken task carries this mark"
EXECUTION_MARKER = "t2a_execution: a round in which an agent acts on a transcript (--t2a-execute); also marked slow"
SLOW_MARKER = "slow: takes long"
WORKFLOW_MARKER = "t2a_workflow: a session of a workflow with an agent (--t2a-agent)"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Forget the report of an earlier run before anything can end this one, such as a conftest that is faulty."""
    if "PYTEST_XDIST_WORKER" not in os.environ and options.reports(early_config):
        from pytest_talk2agent.adapter.run_files import forget_earlier_report

        forget_earlier_report(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Check what was asked for."""
    for marker in (MARKER, EXECUTION_MARKER, SLOW_MARKER, WORKFLOW_MARKER):
        config.addinivalue_line("markers", marker)
    if options.any_given(config):
        from pytest_talk2agent.adapter.opening import open_run

        open_run(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what was asked for and where it was said."""
    if not options.any_given(config):
        return None
    from pytest_talk2agent.adapter.settings import settings_of

    return settings_of(config).header


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect task files; those of other benchmarks only where an option or ini key speaks to this plugin."""
    if file_path.suffix in options.SUFFIXES or options.any_given(parent.config):
        from pytest_talk2agent.adapter.collect import task_file

        return task_file(parent, file_path)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give marked test functions their tasks."""
    if "t2a_subject" in metafunc.fixturenames:
        from pytest_talk2agent.adapter.collect import parametrise

        parametrise(metafunc)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the model server answers."""
    from pytest_talk2agent.adapter.xdist import configure_worker

    configure_worker(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """Learn what an xdist worker has collected."""
    from pytest_talk2agent.adapter.xdist import take_plan

    take_plan(node)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Learn what an xdist worker found wrong with the store."""
    from pytest_talk2agent.adapter.xdist import take_remarks

    take_remarks(node)


@pytest.fixture
def t2a_subject(request: pytest.FixtureRequest) -> Subject:
    """The task, recording and condition of this test."""
    from pytest_talk2agent.adapter.fixtures import subject_or_fail

    return subject_or_fail(request)


@pytest.fixture
def t2a_task(t2a_subject: Subject) -> Task:
    """The task: instruction, script, intentions, grader."""
    return t2a_subject.task


@pytest.fixture
def t2a_recording(t2a_subject: Subject) -> Recording | None:
    """The recording; None where the condition needs none."""
    return t2a_subject.recording


@pytest.fixture
def t2a_interface(t2a_subject: Subject) -> Condition:
    """The condition: spec, label, interface, fingerprint."""
    return t2a_subject.condition


@pytest.fixture
def t2a_transcript(request: pytest.FixtureRequest, t2a_subject: Subject) -> Transcript:
    """What the interface heard. An error, never a failure, where there is no transcript."""
    from pytest_talk2agent.adapter.fixtures import transcript_of

    return transcript_of(request.node, t2a_subject)


@pytest.fixture
def t2a_judgement(request: pytest.FixtureRequest, t2a_subject: Subject) -> Judgement:
    """The label and the evidence of every intention. An error, never a label, where the judge fails."""
    from pytest_talk2agent.adapter.fixtures import judgement_of

    return judgement_of(request.node, t2a_subject)


@pytest.fixture
def t2a_result(request: pytest.FixtureRequest, t2a_subject: Subject) -> TaskResult:
    """The whole record of this test, which also becomes a row of the run's report.

    A spoken task is held against its limits; a test function has none but its own assertions.
    """
    from pytest_talk2agent.adapter.fixtures import result_of

    return result_of(request.node, t2a_subject)


@pytest.fixture
def t2a_retention(t2a_result: TaskResult) -> Retention:
    """Native, Shapley, Flat and lost, exact; `t2a_retention.native >= 0.9` holds only where it is certain."""
    return t2a_result.retention
