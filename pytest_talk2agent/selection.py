"""What a run leaves out of what was found, because an option says so or words are missing, and that it says so."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.collect import subject_of

if TYPE_CHECKING:
    from pytest_talk2agent.session import VoiceSession


def leave_out(config: pytest.Config, voice: VoiceSession, items: list[pytest.Item]) -> None:
    """Deselect items outside the subset that was asked for, and those without a recording where that is allowed.

    The notes of the session then say how many these are, how many tasks were found whose words are not at hand, and how
    many of which a checkout has no grader.
    """
    reasons = {id(item): reason for item in items if (reason := _reason(voice, item)) is not None}
    if reasons:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in reasons])
        items[:] = [item for item in items if id(item) not in reasons]
    left_out = [*_lines("item", Counter(reasons.values())), *_lines("task", _wordless(voice))]
    voice.notes = [*left_out, *voice.checkouts.remarks()]


def _reason(voice: VoiceSession, item: pytest.Item) -> str | None:
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


def _lines(unit: str, counts: Counter[str]) -> list[str]:
    return [f"{count} {unit}{'s' * (count > 1)} left out: {reason}" for reason, count in sorted(counts.items())]
