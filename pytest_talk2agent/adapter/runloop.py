"""What one process does between collection and the last item: leave out, plan, transcribe, wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.adapter.items import is_judged, subject_of
from pytest_talk2agent.adapter.options import is_run
from pytest_talk2agent.adapter.plan import Plan, make_plan
from pytest_talk2agent.adapter.trial_items import TrialItem
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.adapter.voice_session import VoiceSession


REJECTED = "t2a_rejected"
"""The key of a worker's output that lists the stored records it rejected."""


class RunLoop:
    """Registered with pytest when the first spoken task is met, or an option speaks to this plugin.

    ``follow`` takes the plan where this process decides the run.
    """

    def __init__(self, voice: VoiceSession, follow: Callable[[Plan], None] | None) -> None:
        self._voice = voice
        self._follow = follow
        self._left_out: list[pytest.Item] = []
        self._plan: Plan | None = None
        self._tried: set[str] = set()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what the options say is not to run."""
        leave_out(config, self._voice, items)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Note what the user has left out: a baseline does not miss it."""
        self._left_out.extend(items)

    def pytest_report_collectionfinish(self, config: pytest.Config) -> list[str]:
        """Where items are only listed, say what is left out; a run says it in the end."""
        return [] if is_run(config) else self._voice.notes

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Plan, and tell the controller before xdist tells it that this worker is ready."""
        if not is_run(session.config):
            return
        self._plan = make_plan(session, self._voice, self._left_out)
        address = self._voice.worker
        if address is not None:
            self._plan.write(Path(address["plan"]))
        elif self._follow is not None:
            self._follow(self._plan)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Begin to transcribe what the selected items need, before the first of them runs."""
        plan = self._plan
        if plan is None or (session.testsfailed and not session.config.option.continue_on_collection_errors):
            return
        if plan.refusal is not None:
            if self._voice.worker is None:
                raise pytest.UsageError(plan.refusal)
            self._voice.refuse(plan.refusal)  # the controller ends the run; to raise here would crash the worker
            return
        items = [(item, subject) for item in session.items if (subject := subject_of(item)) is not None]
        if items:
            judged = {id(s) for item, s in items if is_judged(item) or isinstance(item, TrialItem)}
            self._voice.begin([s for _, s in items], judged)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Wait for the transcript outside the item: its time limit covers the test alone, and a fork has no threads."""
        subject = subject_of(item)
        if subject is not None and self._voice.evaluation is not None:
            judged = is_judged(item) or isinstance(item, TrialItem)
            self._voice.evaluation.prepare(subject, judged=judged)
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Where another plugin reruns an item, forget the failure so that it is transcribed and judged again."""
        subject = subject_of(item)
        if subject is None or self._voice.evaluation is None:
            return
        if item.nodeid in self._tried:
            self._voice.evaluation.ask_again(subject)
        self._tried.add(item.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Report from a worker which stored records it rejected."""
        if self._voice.worker is not None:
            output: dict[str, object] = session.config.workeroutput  # type: ignore[attr-defined]
            output[REJECTED] = self._voice.store.rejected


def leave_out(config: pytest.Config, voice: VoiceSession, items: list[pytest.Item]) -> None:
    """Deselect items outside the subset that was asked for, and those without a recording where that is allowed.

    The notes of the session then say how many these are, how many tasks were found whose words are not at hand, and how
    many of which a checkout has no grader.
    """
    _leave_out_trials(config, voice, items)
    reasons = {id(item): reason for item in items if (reason := _reason_to_leave_out(voice, item)) is not None}
    if reasons:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in reasons])
        items[:] = [item for item in items if id(item) not in reasons]
    left_out = [*_counted("item", Counter(reasons.values())), *_counted("task", _wordless(voice))]
    voice.note([*left_out, *voice.checkouts.remarks()])


def _leave_out_trials(config: pytest.Config, voice: VoiceSession, items: list[pytest.Item]) -> None:
    """Deselect what agents would do, unless that was asked for."""
    if voice.settings.execute:
        return
    trials = [item for item in items if isinstance(item, TrialItem)]
    if trials:
        config.hook.pytest_deselected(items=trials)
        items[:] = [item for item in items if not isinstance(item, TrialItem)]


def _reason_to_leave_out(voice: VoiceSession, item: pytest.Item) -> str | None:
    subject = subject_of(item) if voice.settings.available or voice.settings.subset else None
    if subject is None:
        return None
    from pytest_talk2agent.tasks.importers.osworld import in_subset

    if voice.settings.subset and not in_subset(subject.task):
        return f"outside the OSWorld subset {voice.settings.subset}, which is inferred"
    if voice.settings.available and not subject.is_available:
        return f"no recording or transcript of theirs is here, for {subject.condition.label}"
    return None


def _wordless(voice: VoiceSession) -> Counter[str]:
    if not any(voice.wordless.values()):
        return Counter()
    from pytest_talk2agent.tasks.binding import elsewhere

    return Counter(f"their words are {elsewhere(task)}" for tasks in voice.wordless.values() for task in tasks)


def _counted(unit: str, counts: Counter[str]) -> list[str]:
    return [f"{counted(count, unit)} left out: {reason}" for reason, count in sorted(counts.items())]
