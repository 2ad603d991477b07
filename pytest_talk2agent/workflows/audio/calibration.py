"""How exactly this host measures time: the reference agent is called by the clock on the wall before a run.

Its error is printed beside every timing. A host that cannot keep the pace of 20 ms measures nothing that a gate may
rest on, and says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from pytest_talk2agent.workflows.audio.ports import SoundOptions
from pytest_talk2agent.workflows.audio.reference import STOP_MS, ReferenceAgent, reference_package
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.options import RunOptions
from pytest_talk2agent.workflows.session.run import run_session

TIMES = 5
"""How often the reference is spoken over: about ten seconds."""
MOST_LATE_MS = 20.0
"""How late a frame in a hundred may go out: one frame."""
MOST_ERROR_MS = 60.0
"""How far a stop may be measured from where it was."""


@dataclass(frozen=True)
class Calibration:
    """What the instrument made of the reference agent; all in ms.

    ``stops`` are the errors of measured stops, ``onsets`` those of measured onsets of the agent; ``late_p99`` and
    ``late_max`` how late frames went out.
    """

    stops: tuple[float, ...]
    onsets: tuple[float, ...]
    late_p99: float
    late_max: float
    expected: int = field(default=TIMES)

    @property
    def error_ms(self) -> int:
        """The largest error of a stop or an onset, rounded up."""
        return math.ceil(max((abs(error) for error in (*self.stops, *self.onsets)), default=0.0))

    @property
    def refusal(self) -> str:
        """Why nothing that is timed on this host counts; empty where it does."""
        if len(self.stops) < self.expected:
            return f"of {self.expected} stops of the reference agent only {len(self.stops)} were measured"
        if self.late_p99 > MOST_LATE_MS:
            return f"one frame in a hundred goes out {self.late_p99:.0f} ms late, more than {MOST_LATE_MS:.0f} ms"
        if self.error_ms > MOST_ERROR_MS:
            return f"the reference agent is measured {self.error_ms} ms off, more than {MOST_ERROR_MS:.0f} ms"
        return ""

    def plain(self) -> dict[str, Any]:
        """Plain values for logs and records."""
        return {
            "n": len(self.stops),
            "stop_errors_ms": [round(error, 1) for error in self.stops],
            "onset_errors_ms": [round(error, 1) for error in self.onsets],
            "late_p99_ms": round(self.late_p99, 1),
            "late_max_ms": round(self.late_max, 1),
            "error_ms": self.error_ms,
            "refusal": self.refusal,
        }


def calibrate(times: int = TIMES) -> Calibration:
    """Call the reference agent by the clock on the wall, and compare what was measured with what it did."""
    agent = ReferenceAgent(times)
    sound = SoundOptions(clips=lambda package, condition: StandIn(), detector="level")
    log = run_session(reference_package(times), agent, "reference", RunOptions(clock="real"), sound=sound)
    return calibration_of(log, agent)


def calibration_of(log: EventLog, agent: ReferenceAgent) -> Calibration:
    """What a call to the reference agent says of the instrument."""
    ending = log.events[-1].payload
    measures, pacing = ending.get("measures", {}), ending.get("pacing", {})
    stops = [one["stop_ms"] - STOP_MS for one in measures.get("stops", ()) if one["stop_ms"] is not None]
    begun = agent.lines[-1].starts_ms if agent.lines else []
    found = [span[0] for span in measures.get("agent", ())]
    onsets = [min((start - true for start in found), key=abs) for true in begun if found]
    late = float(pacing.get("p99_ms", 0.0)), float(pacing.get("max_ms", 0.0))
    return Calibration(tuple(map(float, stops)), tuple(onsets), *late, expected=agent.times)
