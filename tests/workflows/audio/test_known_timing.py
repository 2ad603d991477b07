"""An agent whose timing is known shows the error of the instrument: on a clean line and with noise behind the user."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_talk2agent.workflows.agents.policy import Oracle
from pytest_talk2agent.workflows.agents.spoken import Spoken
from pytest_talk2agent.workflows.audio.bank import Level
from pytest_talk2agent.workflows.audio.channel import Channel, parse_channel
from pytest_talk2agent.workflows.audio.stand_in import AMPLITUDE
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.floor import yields_of
from tests.workflows.audio.calls import SOUND, called, clinic, payloads, traced

STOP_MS = 300
SESSIONS = 25
"""Each with two events at which the user claims the floor."""


def channel(package: Package, condition: str, seed: int) -> Channel:
    """White noise at 5 dB below the user's voice, from the beginning of the call."""
    return Channel(parse_channel("white@5dB"), package, Level(AMPLITUDE**2 / 2, AMPLITUDE), seed)


@pytest.mark.parametrize("noisy", [False, True])
def test_fifty_stops_are_measured_within_20_ms(noisy: bool) -> None:
    package = clinic()
    sound = replace(SOUND, channel=channel) if noisy else SOUND
    stops: list[int] = []
    for seed in range(SESSIONS):
        log = called(package, Spoken(Oracle(), stop_ms=STOP_MS), sound, seed=seed)
        found = yields_of(traced(log))
        stops += found.stops
        assert (found.given, found.asked, found.false) == (2, 2, 0)
        assert payloads(log, "RUN_START")[0]["sound"]["channel"]["channel"] == ("white@5dB" if noisy else "clean")
    assert len(stops) == 2 * SESSIONS
    assert max(abs(stop - STOP_MS) for stop in stops) <= 20


def test_measures_of_a_call_are_in_its_log() -> None:
    log = called(clinic(), Spoken(Oracle(), stop_ms=STOP_MS))
    measures = payloads(log, "RUN_END")[0]["measures"]
    assert measures["detector"] == {"name": "level:-50", "pause_ms": "200"}
    assert {(one["expected"], one["stop_ms"] is None) for one in measures["stops"]} == {
        ("YIELD", False),
        ("CONTINUE", True),
    }
    assert 300 <= sorted(measures["gaps_ms"])[len(measures["gaps_ms"]) // 2] <= 340
    assert len(measures["gaps_ms"]) > 5
    assert set(traced(log).spoken) == {"user", "agent"}
