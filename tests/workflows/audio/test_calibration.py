from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.policy import Silent
from pytest_talk2agent.workflows.agents.protocol import Briefing
from pytest_talk2agent.workflows.agents.spoken import Spoken
from pytest_talk2agent.workflows.agents.voice import LineEvent
from pytest_talk2agent.workflows.audio.calibration import Calibration, calibration_of
from pytest_talk2agent.workflows.audio.reference import ReferenceAgent, ReferenceLine, reference_package
from pytest_talk2agent.workflows.campaign.call_record import CallRecord, Timing, timing_of
from pytest_talk2agent.workflows.campaign.holding import Holder, NamedAgent
from pytest_talk2agent.workflows.session.options import RunOptions
from tests.workflows.audio.calls import SOUND, called

LATE = Calibration((0.0,) * 5, (0.0,), 48.0, 160.0)


class TimedLine(ReferenceLine):
    """The reference with the clock of the session in place of that of the wall, ``late`` ms behind it."""

    def __init__(self, times: int, late: float) -> None:
        super().__init__(times, lambda: int(self.now * 1e6))
        self.now, self._late = 0.0, late

    def send(self, frame: bytes, now_ms: int) -> None:
        self.now = now_ms + self._late
        super().send(frame, now_ms)

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        self.now = now_ms + self._late
        return super().poll(now_ms)


class TimedReference(ReferenceAgent):
    abilities = replace(ReferenceAgent.abilities, virtual=True)

    def __init__(self, times: int, late: float = 0.0) -> None:
        super().__init__(times)
        self._late = late

    def dial(self, briefing: Briefing, *, real: bool) -> ReferenceLine:
        line = TimedLine(self.times, self._late)
        self.lines.append(line)
        return line


@pytest.mark.parametrize("late", [0.0, 7.5])
def test_the_reference_is_measured_within_a_frame(late: float) -> None:
    agent = TimedReference(50, late)
    made = calibration_of(called(reference_package(50), agent), agent)
    assert len(made.stops) == 50
    assert made.error_ms <= 20
    assert made.refusal == ""
    assert len(made.onsets) == 50


def test_a_reference_that_is_never_measured_is_a_refusal() -> None:
    made = calibration_of(called(reference_package(5), Spoken(Silent())), ReferenceAgent(5))
    assert made.refusal == "of 5 stops of the reference agent only 0 were measured"


@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        (Calibration((6.0,) * 5, (3.0,), 4.0, 10.0), ""),
        (LATE, "one frame in a hundred goes out 48 ms late, more than 20 ms"),
        (Calibration((90.0,) * 5, (), 4.0, 10.0), "the reference agent is measured 90 ms off, more than 60 ms"),
    ],
)
def test_a_host_that_cannot_pace_refuses(made: Calibration, refusal: str) -> None:
    assert made.refusal == refusal


def test_a_timing_is_printed_with_its_error() -> None:
    one = CallRecord(settings={"calibration": Calibration((6.0, -8.2) * 3, (), 4.0, 9.0).plain()})
    other = CallRecord(settings={"calibration": Calibration((3.0,) * 5, (), 4.0, 9.0).plain()})
    assert timing_of([one, other, None]) == Timing(9)
    assert timing_of([one]).beside(306) == "306 ± 9 ms"
    assert timing_of([CallRecord(), None]).beside(306) == "306"
    refused = timing_of([one, CallRecord(settings={"calibration": LATE.plain()})])
    assert refused.beside(306) == "n/a (this host cannot pace)"
    assert str(refused) == "refused: one frame in a hundred goes out 48 ms late, more than 20 ms"
    assert str(timing_of([one])) == "± 9 ms, by the reference agent"


def test_a_host_is_calibrated_once_before_its_first_call_by_the_clock_on_the_wall(tmp_path: Path) -> None:
    calls = []

    def calibrate() -> Calibration:
        calls.append(1)
        return LATE

    package = reference_package(1)
    holder = Holder(tmp_path, options=RunOptions(clock="real"), sound=SOUND, calibrate=calibrate)
    agent = NamedAgent("reference", "reference", ReferenceAgent(1))
    records = [holder.hold(package, agent, repetition)[0] for repetition in range(2)]
    assert len(calls) == 1
    for record in records:
        assert record.call is not None
        assert record.call.refusal == LATE.refusal
        assert record.call.pacing["n"] > 50
        assert (tmp_path / record.call.recording).is_file()
    virtual = Holder(tmp_path, sound=SOUND, calibrate=calibrate)
    record, _ = virtual.hold(package, NamedAgent("timed", "timed", TimedReference(1)), 0)
    assert record.call is not None
    assert "calibration" not in record.call.settings
    assert len(calls) == 1


def test_a_contract_about_time_is_undecided_on_a_host_that_cannot_pace(tmp_path: Path) -> None:
    from pytest_talk2agent.workflows.agents.adversary import AdversaryAgent
    from tests.workflows.audio.calls import clinic

    agent = NamedAgent("non", "non", Spoken(AdversaryAgent("non-yielder")))
    record, _ = Holder(tmp_path, sound=SOUND).hold(clinic(), agent, 0)
    assert record.contracts
    assert record.success() is False
    assert record.call is not None
    late = record.model_copy(update={"call": CallRecord(settings={"calibration": LATE.plain()})})
    assert late.success() is None
    assert late.outcome() == "unjudged"
