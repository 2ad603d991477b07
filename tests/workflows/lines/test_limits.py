from __future__ import annotations

import pytest

from pytest_talk2agent.workflows.agents.voice import LineError
from pytest_talk2agent.workflows.lines.limits import Deadlines, LineOptions, Progress

OPTIONS = LineOptions(first_audio=2, silence=3, call=20)


def over(*moments: tuple[int, Progress]) -> str:
    deadlines = Deadlines(OPTIONS, "agent x")
    for now, progress in moments:
        deadlines.check(now, progress)
    return "none"


def test_nothing_is_due_where_nothing_was_asked() -> None:
    assert over((0, Progress(False, 0, False)), (19_000, Progress(False, 0, False))) == "none"


def test_the_first_sound_has_its_time_whatever_else_comes() -> None:
    with pytest.raises(LineError, match=r"first audio: agent x: no sound of the agent within 2 s.*first_audio=SECONDS"):
        over((0, Progress(True, 0, False)), (1000, Progress(True, 5, False)), (2000, Progress(True, 9, False)))


def test_each_sign_of_a_reply_gives_it_time() -> None:
    alive = [(now, Progress(True, now, True)) for now in range(0, 18_000, 2_000)]
    assert over(*alive) == "none"


def test_a_reply_that_shows_no_sign_is_over() -> None:
    with pytest.raises(LineError) as told:
        over((0, Progress(False, 0, True)), (5_000, Progress(True, 1, True)), (8_000, Progress(True, 1, True)))
    assert told.value.phase == "silence"


def test_what_is_no_longer_due_starts_anew() -> None:
    moments = [(0, True), (2_900, True), (2_920, False), (2_940, True), (5_900, True)]
    assert over(*((now, Progress(due, 1, True)) for now, due in moments)) == "none"


def test_a_call_has_an_end() -> None:
    with pytest.raises(LineError) as told:
        over((100, Progress(False, 0, True)), (20_100, Progress(False, 0, True)))
    assert told.value.phase == "call"
