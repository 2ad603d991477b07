"""Files of tasks and packages of workflows become collectors, and marked tests and spoken tasks become items."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_talk2agent.adapter.fixtures import USAGE, result_of
from pytest_talk2agent.adapter.items import JUDGED, SpokenItem, located_failure, rerun_of
from pytest_talk2agent.adapter.options import SUFFIXES
from pytest_talk2agent.adapter.voice_session import voice_of
from pytest_talk2agent.adapter.workflow_items import (
    MANIFEST,
    SessionItem,
    holder_of,
    in_package,
    is_package,
    unheld_key,
    words_of,
)

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.results.task_result import TaskResult

_GIVEN = {"t2a_subject", "t2a_task", "t2a_recording", "t2a_interface", "t2a_transcript", *JUDGED}


class RetentionError(AssertionError):
    """A transcript lost more of a task than it may. Carries the result that says what."""

    def __init__(self, result: TaskResult) -> None:
        super().__init__("; ".join(result.verdict.reasons))
        self.result = result


def hold_against_limits(request: pytest.FixtureRequest) -> None:
    """The body of every spoken task."""
    from pytest_talk2agent.results.verdict import Outcome

    item = request.node
    assert isinstance(item, TaskItem)
    assert item.result is not None, "it was set up"
    verdict = item.result.verdict
    if verdict.outcome is Outcome.UNDEFINED:
        pytest.skip(f"undefined: {verdict.reasons[0]}")
    passes = voice_of(item.config).settings.inconclusive_passes
    if verdict.outcome is Outcome.FAILED or (verdict.outcome is Outcome.INCONCLUSIVE and not passes):
        raise RetentionError(item.result)


def task_file(parent: pytest.Collector, path: Path) -> pytest.File | None:
    """A collector for a file that holds tasks, or is meant to, or for a package; None for any other file."""
    if in_package(path):
        return package_file(parent, path)
    holds = holds_tasks(path) if path.suffix in SUFFIXES else _is_foreign(parent, path)
    return TaskFile.from_parent(parent, path=path) if holds else None


def holds_tasks(path: Path) -> bool:
    """Whether a YAML file holds tasks, or is meant to and cannot be read."""
    from pytest_talk2agent.tasks.sniff import classify

    return classify(path) != "other"


def _is_foreign(parent: pytest.Collector, path: Path) -> bool:
    """Whether a file is one of another benchmark's; raises CollectError where an importer cannot be loaded."""
    from pytest_talk2agent.reporting.visible import visible
    from pytest_talk2agent.tasks.importers.registry import ImporterError, format_of

    try:
        return format_of(path) is not None
    except ImporterError as error:
        raise parent.CollectError(visible(str(error))) from None


class TaskFile(pytest.File):
    """A file of tasks: a YAML task file, or a file of another benchmark."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield one item for each task, recording and condition."""
        from pytest_talk2agent.adapter.opening import begin, check_run
        from pytest_talk2agent.interfaces.utterance import InterfaceError
        from pytest_talk2agent.judging.judge import JudgeError
        from pytest_talk2agent.reporting.visible import visible
        from pytest_talk2agent.results.baseline import BaselineError
        from pytest_talk2agent.tasks.errors import TaskFileError

        voice = begin(self.config)
        try:
            check_run(voice)
            subjects = voice.subjects(self.path, named=self.session.isinitpath(self.path))
        except (InterfaceError, JudgeError, BaselineError, TaskFileError, pytest.UsageError) as error:
            raise self.CollectError(visible(str(error))) from None
        fixtures = None
        for subject in subjects:
            item = TaskItem.from_parent(
                self, name=subject.name, callobj=hold_against_limits, fixtureinfo=fixtures, subject=subject
            )
            fixtures = item._fixtureinfo  # the same for every item of a file, and slow to find out
            yield item
        if any(subject.task.execution is not None for subject in subjects):
            from pytest_talk2agent.adapter.trial_items import trial_items

            yield from trial_items(self, subjects)


class TaskItem(SpokenItem):
    """An item whose transcript is judged."""

    judged: ClassVar[bool] = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.result: TaskResult | None = None
        self.add_marker(pytest.mark.t2a)

    def setup(self) -> None:
        """Make the result before the test: what cannot be judged is an error and no failure."""
        super().setup()
        if not self.config.option.setupplan:
            self.result = result_of(self, self.subject)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Say what was lost; an error in this plugin or in a fixture keeps its traceback."""
        if isinstance(excinfo.value, RetentionError):
            return self._loss(excinfo.value.result)
        return super().repr_failure(excinfo)

    def _loss(self, result: TaskResult) -> TerminalRepr:
        from pytest_talk2agent.reporting.failure import failure_text
        from pytest_talk2agent.reporting.losses import headline

        text = failure_text(result, self.subject.task.let, rerun_of(self.config).words(result))
        return located_failure(self, text, headline(result))


def package_file(parent: pytest.Collector, path: Path) -> PackageFile | None:
    """A collector for the manifest of a package, where somebody named agents; None for its other files.

    Without agents a package is counted, and the run says what would hold it.
    """
    if path.name != MANIFEST or not is_package(path.parent):
        return None
    from pytest_talk2agent.adapter.opening import begin

    voice = begin(parent.config)
    if not voice.settings.workflows.holds:
        parent.config.stash[unheld_key] = parent.config.stash.get(unheld_key, 0) + 1
        return None
    return PackageFile.from_parent(parent, path=path)


class PackageFile(pytest.File):
    """The manifest of a package."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield an item for each agent and repetition; agents take turns, so that a drift of the machine meets all."""
        from pytest_talk2agent.reporting.visible import visible
        from pytest_talk2agent.workflows.campaign.comparison import interleaved
        from pytest_talk2agent.workflows.package.loader import load_package
        from pytest_talk2agent.workflows.package.source import PackageError
        from pytest_talk2agent.workflows.scoring.assertions import assertions_of
        from pytest_talk2agent.workflows.state.backend import state_of

        voice = voice_of(self.config)
        try:
            package = load_package(self.path.parent)
            assertions_of(package), state_of(package)
            agents = holder_of(self.config).agents
        except (PackageError, pytest.UsageError) as error:
            raise self.CollectError(visible(str(error))) from None
        words = words_of(package)
        for word in words:
            self.config.addinivalue_line("markers", f"{word}: workflows of this kind")
        for _, agent, repetition in interleaved([package.id], agents, voice.settings.workflows.repetitions):
            yield SessionItem.from_parent(
                self,
                name=f"{package.id}[{agent.label}-{repetition + 1}]",
                package=package,
                agent=agent,
                repetition=repetition,
                words=words,
            )


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Give a marked test function one call for each recording and condition of the tasks of its marks."""
    marks = list(metafunc.definition.iter_markers("t2a"))
    if not marks:
        return
    from pytest_talk2agent.adapter.opening import begin, check_run
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.reporting.visible import visible
    from pytest_talk2agent.tasks.errors import TaskFileError

    where = metafunc.definition.nodeid
    named = {name for mark in metafunc.definition.iter_markers("parametrize") for name in _names(mark)}
    if ours := sorted(named & _GIVEN):
        raise pytest.Collector.CollectError(
            f"{where}: {ours[0]} comes from the run and cannot be parametrised; name conditions with --t2a-interface"
        )
    voice = begin(metafunc.config)
    found: dict[str, Subject] = {}
    try:
        check_run(voice)
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


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", "")
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
