"""The fixtures: what a spoken task or a test function can ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.collect import TaskItem, subject_of
from pytest_talk2agent.session import voice_of

if TYPE_CHECKING:
    from pytest_talk2agent.engine.conditions import Condition
    from pytest_talk2agent.engine.evaluation import Evaluation
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.grading.retention import Retention
    from pytest_talk2agent.judging.judgement import Judgement
    from pytest_talk2agent.results.record import TaskResult
    from pytest_talk2agent.results.transcript import Transcript
    from pytest_talk2agent.tasks.recording import Recording
    from pytest_talk2agent.tasks.task import Task

USAGE = 'mark the test with @pytest.mark.t2a("tasks.yaml", task="id") so that it has a task'


@pytest.fixture
def t2a_subject(request: pytest.FixtureRequest) -> Subject:
    """The task, recording and condition of this test."""
    subject = subject_of(request.node)
    if subject is None:
        pytest.fail(f"{request.node.name} asks for a voice fixture but has no task; {USAGE}", pytrace=False)
    return subject


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
    from pytest_talk2agent.interfaces.utterance import TranscriptionError

    try:
        return _evaluation(request).transcript(t2a_subject)
    except TranscriptionError as error:
        fault = str(error)
    pytest.fail(fault, pytrace=False)


@pytest.fixture
def t2a_judgement(request: pytest.FixtureRequest, t2a_subject: Subject, t2a_transcript: Transcript) -> Judgement:
    """The label and the evidence of every intention. An error, never a label, where the judge fails."""
    from pytest_talk2agent.judging.errors import JudgeError
    from pytest_talk2agent.results.store import StoreError

    try:
        return _evaluation(request).judgement(t2a_subject)
    except (JudgeError, StoreError) as error:
        fault = str(error)
    pytest.fail(fault, pytrace=False)


@pytest.fixture
def t2a_result(request: pytest.FixtureRequest, t2a_subject: Subject, t2a_judgement: Judgement) -> TaskResult:
    """The whole record of this test, which also becomes a row of the run's report.

    A spoken task is held against its limits; a test function has none but its own assertions.
    """
    from pytest_talk2agent.judging.errors import JudgeError
    from pytest_talk2agent.reporting.properties import properties_of
    from pytest_talk2agent.results.baseline import BaselineError
    from pytest_talk2agent.results.verdict import Limits
    from pytest_talk2agent.tasks.errors import TaskFileError

    evaluation = _evaluation(request)
    own_limits = isinstance(request.node, TaskItem)
    try:
        limits = evaluation.policy.limits(t2a_subject) if own_limits else Limits(thresholds={})
        result = evaluation.result(t2a_subject, request.node.nodeid, limits)
    except (BaselineError, JudgeError, TaskFileError) as error:
        fault = str(error)
    else:
        request.node.user_properties.extend(properties_of(result))
        return result
    pytest.fail(fault, pytrace=False)


@pytest.fixture
def t2a_retention(t2a_result: TaskResult) -> Retention:
    """Native, Shapley, Flat and lost, exact; `t2a_retention.native >= 0.9` holds only where it is certain."""
    return t2a_result.retention


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Give a marked test function one call for each recording and condition of its tasks."""
    if "t2a_subject" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("t2a")
    if mark is None:
        return
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.tasks.errors import TaskFileError

    if len(mark.args) != 1 or set(mark.kwargs) - {"task"}:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {USAGE}")
    path = metafunc.definition.path.parent / mark.args[0]
    wanted = mark.kwargs.get("task")
    voice = voice_of(metafunc.config)
    try:
        voice.check()
        subjects = [s for s in voice.subjects(path) if wanted in (None, s.task.id)]
    except (InterfaceError, TaskFileError) as error:
        raise pytest.UsageError(str(error)) from None
    if not subjects:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: no task {wanted!r} in {path}")
    parameters = [pytest.param(subject, id=subject.name) for subject in subjects]
    metafunc.parametrize("t2a_subject", parameters, indirect=True)


def _evaluation(request: pytest.FixtureRequest) -> Evaluation:
    voice = voice_of(request.config)
    if voice.refusal is not None:
        pytest.fail(voice.refusal, pytrace=False)
    evaluation = voice.evaluation
    assert evaluation is not None, "items run only after the transcription pass was begun"
    return evaluation
