"""Task files become collectors and spoken tasks become items."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.options import SUFFIXES
from pytest_talk2agent.voice_session import voice_of

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.reporting.failure import Rerun
    from pytest_talk2agent.results.task_result import TaskResult


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
    from pytest_talk2agent.workflow_items import in_package, package_file

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
        from pytest_talk2agent.interfaces.utterance import InterfaceError
        from pytest_talk2agent.judging.judge import JudgeError
        from pytest_talk2agent.reporting.visible import visible
        from pytest_talk2agent.results.baseline import BaselineError
        from pytest_talk2agent.tasks.errors import TaskFileError

        voice = voice_of(self.config)
        try:
            voice.check()
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
            from pytest_talk2agent.executing import trial_items

            yield from trial_items(self, subjects)


class BracketedItem(pytest.Item):
    """An item whose name ends in brackets that are none of pytest's own making."""

    @cached_property
    def id(self) -> Any:
        """The structured node id that pytest 9.2 introduced, split as pytest splits an id that it reads back.

        Else the name's brackets would not count as parameters, and ``--lf`` would not find the item again.
        """
        return type(super().id).parse(self.nodeid)


class SpokenItem(BracketedItem, pytest.Function):
    """One spoken task, one recording, one condition. A Function, so that fixtures work as everywhere."""

    def __init__(self, *, subject: Subject, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.subject = subject
        self.extra_keyword_matches.update(subject.task.tags)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the task in its file."""
        return self.path, self.subject.task.line - 1, self.name


class TaskItem(SpokenItem):
    """An item whose transcript is judged."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.result: TaskResult | None = None
        self.add_marker(pytest.mark.t2a)

    def setup(self) -> None:
        """Make the result before the test: what cannot be judged is an error and no failure."""
        from pytest_talk2agent.fixtures import result_of

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


def located_failure(item: SpokenItem, text: str, short: str) -> TerminalRepr:
    """The text of a failure, in the form that summaries and other reporters take their one line from: ``short``."""
    from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

    from pytest_talk2agent.reporting.visible import visible_line

    place = ReprFileLocation(str(item.path), item.subject.task.line, visible_line(short))
    return ReprExceptionInfo(ReprTraceback([ReprEntryNative([f"{text}\n"])], None, "native"), place)


def rerun_of(config: pytest.Config) -> Rerun:
    """How this run was started: what it takes to run an item of it again, to the same verdict."""
    from pytest_talk2agent.reporting.failure import Rerun

    options = tuple(
        f"--t2a-{name}" if value == "on" else f"--t2a-{name}={value}"
        for name, value, source in voice_of(config).settings.named
        if source.startswith("--") and name not in ("interface", "report", "refresh")
    )
    root = Path(os.path.relpath(config.rootpath, config.invocation_params.dir)).as_posix()
    return Rerun(root, options)


def identity_of(item: pytest.Item) -> str:
    """What an item is, even where plugins change its node id: its file, relative to the root directory, and its name.

    The name of a spoken task says task, condition and take.
    """
    chain = item.listchain()
    file = max((index for index, node in enumerate(chain) if isinstance(node, pytest.File)), default=0)
    return "::".join([file_of(item), *(node.name for node in chain[file + 1 :])])


def file_of(item: pytest.Item) -> str:
    """The file of an item, as seen from the root directory, with slashes."""
    return _from(item.config.rootpath, item.path)


@lru_cache(maxsize=1024)
def _from(root: Path, path: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def subject_of(item: pytest.Item) -> Subject | None:
    """The subject of an item of our own, or of a test function that is parametrised over one."""
    if isinstance(item, SpokenItem):
        return item.subject
    if not isinstance(item, pytest.Function) or "t2a_subject" not in item.fixturenames:
        return None
    callspec = getattr(item, "callspec", None)  # pytest gives it to parametrised functions alone
    found: Subject | None = None if callspec is None else callspec.params.get("t2a_subject")
    return found


def is_judged(item: pytest.Item) -> bool:
    """Whether the gate judges an item: every spoken task, and each test function that asks for a judgement."""
    from pytest_talk2agent.fixtures import JUDGED

    asks = isinstance(item, pytest.Function) and not JUDGED.isdisjoint(item.fixturenames)
    return isinstance(item, TaskItem) or (asks and subject_of(item) is not None)
