"""What the fixtures do: a spoken task or a test function asks for its subject, transcript, judgement, result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_talk2agent.collect import TaskItem, subject_of
from pytest_talk2agent.reporting.properties import ITEM
from pytest_talk2agent.voice_session import voice_of

if TYPE_CHECKING:
    from pytest_talk2agent.engine.evaluation import Evaluation
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.judging.judgement import Judgement
    from pytest_talk2agent.results.task_result import TaskResult
    from pytest_talk2agent.results.transcript import Transcript

USAGE = 'mark the test with @pytest.mark.t2a("tasks.yaml", task="id") so that it has a task'
JUDGED = {"t2a_judgement", "t2a_result", "t2a_retention"}
"""A test that asks for one of these is judged by the gate; one that asks for less runs its own agent."""


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
        limits = making.policy.limits(of) if isinstance(item, TaskItem) else Limits(thresholds={})
        made = making.result(of, str(dict(item.user_properties)[ITEM]), limits)
    except (BaselineError, JudgeError, TaskFileError) as error:
        fault = str(error)
    else:
        here = voice_of(item.config).decides_here
        rates = bool(item.config.getoption("xmlpath", default=None))
        set_properties(item.user_properties, made, travels=not here, rates=rates)
        return made
    fail(fault)


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Give a marked test function one call for each recording and condition of the tasks of its marks."""
    marks = list(metafunc.definition.iter_markers("t2a"))
    if not marks:
        return
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.reporting.visible import visible
    from pytest_talk2agent.tasks.errors import TaskFileError

    where = metafunc.definition.nodeid
    named = {name for mark in metafunc.definition.iter_markers("parametrize") for name in _names(mark)}
    if ours := sorted(named & _GIVEN):
        raise pytest.Collector.CollectError(
            f"{where}: {ours[0]} comes from the run and cannot be parametrised; name conditions with --t2a-interface"
        )
    voice = voice_of(metafunc.config)
    found: dict[str, Subject] = {}
    try:
        voice.check()
        for mark in marks:
            if len(mark.args) != 1 or set(mark.kwargs) - {"task"}:
                raise pytest.Collector.CollectError(f"{where}: {USAGE}")
            path, wanted = metafunc.definition.path.parent / mark.args[0], mark.kwargs.get("task")
            subjects = [one for one in voice.subjects(path) if wanted in (None, one.task.id)]
            if not subjects:
                raise pytest.Collector.CollectError(f"{where}: no task {wanted!r} in {path}")
            for one in subjects:
                if one.name in found and found[one.name].task is not one.task:
                    raise pytest.Collector.CollectError(
                        f"{where}: two marks give it a task called {one.task.id}; rename one"
                    )
                found[one.name] = one
    except (InterfaceError, TaskFileError, pytest.UsageError) as error:
        raise pytest.Collector.CollectError(visible(str(error))) from None
    metafunc.parametrize("t2a_subject", [pytest.param(one, id=name) for name, one in found.items()], indirect=True)


_GIVEN = {"t2a_subject", "t2a_task", "t2a_recording", "t2a_interface", "t2a_transcript", *JUDGED}


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", "")
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def evaluation(config: pytest.Config) -> Evaluation:
    """The evaluation of this process; fails the test where the run was refused."""
    voice = voice_of(config)
    if voice.refusal is not None:
        fail(voice.refusal)
    if voice.evaluation is None:
        fail("nothing was transcribed for this run, since a file could not be collected; mend that first")
    return voice.evaluation
