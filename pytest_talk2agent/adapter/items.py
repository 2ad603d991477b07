"""What items are made of: their subject, what they are whatever their node id, and how their failures are shown."""

from __future__ import annotations

import os
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_talk2agent.adapter.voice_session import voice_of

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.reporting.failure import Rerun

JUDGED = {"t2a_judgement", "t2a_result", "t2a_retention"}
"""A test that asks for one of these is judged by the gate; one that asks for less runs its own agent."""


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

    judged: ClassVar[bool] = False
    """Whether the gate holds the transcript against limits."""

    def __init__(self, *, subject: Subject, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.subject = subject
        self.extra_keyword_matches.update(subject.task.tags)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the task in its file."""
        return self.path, self.subject.task.line - 1, self.name


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
    asks = isinstance(item, pytest.Function) and not JUDGED.isdisjoint(item.fixturenames)
    return (isinstance(item, SpokenItem) and item.judged) or (asks and subject_of(item) is not None)
