"""What the fixtures do: a spoken task or a test function asks for its subject, transcript, judgement, result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_talk2agent.adapter.items import SpokenItem, subject_of
from pytest_talk2agent.adapter.voice_session import voice_of
from pytest_talk2agent.reporting.properties import ITEM

if TYPE_CHECKING:
    from pytest_talk2agent.engine.evaluation import Evaluation
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.judging.judgement import Judgement
    from pytest_talk2agent.results.task_result import TaskResult
    from pytest_talk2agent.results.transcript import Transcript

USAGE = 'mark the test with @pytest.mark.t2a("tasks.yaml", task="id") so that it has a task'


def subject_or_fail(request: pytest.FixtureRequest) -> Subject:
    """The subject of a test; fails it where it has none."""
    found = subject_of(request.node)
    if found is not None:
        return found
    if request.node.get_closest_marker("t2a") is None:
        pytest.fail(f"{request.node.name} asks for a voice fixture but has no task; {USAGE}", pytrace=False)
    pytest.fail(
        f"{request.node.name} asks for a voice fixture while it runs (getfixturevalue), which is too late to give it a"
        ' task; name the fixture as an argument of the test, or in @pytest.mark.usefixtures("t2a_subject")',
        pytrace=False,
    )


def fail(fault: str) -> NoReturn:
    """Fail a test with one line, which may hold what a recogniser or a server said."""
    from pytest_talk2agent.reporting.visible import visible

    pytest.fail(visible(fault), pytrace=False)


def transcript_of(item: pytest.Item, of: Subject) -> Transcript:
    """What was heard; fails the test's set-up where there is no transcript."""
    from pytest_talk2agent.interfaces.utterance import TranscriptionError

    try:
        return evaluation(item.config).transcript(of)
    except TranscriptionError as error:
        fault = str(error)
    fail(fault)


def judgement_of(item: pytest.Item, of: Subject) -> Judgement:
    """The labels; fails the test's set-up where the judge fails."""
    from pytest_talk2agent.judging.judge import JudgeError
    from pytest_talk2agent.results.store import StoreError

    transcript_of(item, of)
    try:
        return evaluation(item.config).judgement(of)
    except (JudgeError, StoreError) as error:
        fault = str(error)
    fail(fault)


def result_of(item: pytest.Item, of: Subject) -> TaskResult:
    """The whole record, which travels in the test's report."""
    from pytest_talk2agent.judging.judge import JudgeError
    from pytest_talk2agent.reporting.properties import set_properties
    from pytest_talk2agent.results.baseline import BaselineError
    from pytest_talk2agent.results.verdict import Limits
    from pytest_talk2agent.tasks.errors import TaskFileError

    judgement_of(item, of)
    making = evaluation(item.config)
    try:
        limits = making.policy.limits(of) if isinstance(item, SpokenItem) and item.judged else Limits(thresholds={})
        made = making.result(of, str(dict(item.user_properties)[ITEM]), limits)
    except (BaselineError, JudgeError, TaskFileError) as error:
        fault = str(error)
    else:
        here = voice_of(item.config).decides_here
        rates = bool(item.config.getoption("xmlpath", default=None))
        set_properties(item.user_properties, made, travels=not here, rates=rates)
        return made
    fail(fault)


def evaluation(config: pytest.Config) -> Evaluation:
    """The evaluation of this process; fails the test where the run was refused."""
    voice = voice_of(config)
    if voice.refusal is not None:
        fail(voice.refusal)
    if voice.evaluation is None:
        fail("nothing was transcribed for this run, since a file could not be collected; mend that first")
    return voice.evaluation
