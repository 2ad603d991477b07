"""What the record of a session on sound has besides: how it was called, its recording, its pacing, whose faults it saw.

All of it is in the log of the session; the record repeats it so that reports need no log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

CALLER = "caller"
"""Of a fault: the user could not do its part."""


@dataclass(frozen=True)
class Timing:
    """How exactly timings are known, over some calls.

    ``error_ms`` is the largest error of the reference agent on their hosts, None where none was called; ``refusal`` why
    a host measures no time that counts, empty where all do.
    """

    error_ms: int | None = None
    refusal: str = ""

    def beside(self, figure: object) -> str:
        """A figure with its error; none where the host measures no time that counts."""
        if self.refusal:
            return "n/a (this host cannot pace)"
        return str(figure) if self.error_ms is None else f"{figure} ± {self.error_ms} ms"

    def __str__(self) -> str:
        """The error, or why there is none."""
        if self.refusal:
            return f"refused: {self.refusal}"
        return "exact" if self.error_ms is None else f"± {self.error_ms} ms, by the reference agent"


def timing_of(calls: Iterable[CallRecord | None]) -> Timing:
    """How exactly the timings of some calls are known."""
    made = [call.settings["calibration"] for call in calls if call is not None and "calibration" in call.settings]
    refusals = sorted({one["refusal"] for one in made if one["refusal"]})
    return Timing(max((one["error_ms"] for one in made), default=None), refusals[0] if refusals else "")


class CallRecord(BaseModel):
    """One call.

    Attributes:
        settings: those of RUN_START: the user's voice, channel, listener, detector and limits.
        recording: path of the stereo recording, relative to the folder of the run; empty where there is none.
        recording_sha256: of its bytes.
        pacing: how late frames went out under the real clock, in ms; empty under the virtual one.
        measures: floor and gaps by the voice activity detector, as the log has them.
        fault: whose fault a session is that has no result: ``caller``, or a phase of the line.
        person: of a person who played the caller, how: microphone and marks; empty for a synthetic one.
        caller_faults: attempts that the caller spoilt; none of them is the agent's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: dict[str, Any] = {}
    recording: str = ""
    recording_sha256: str = ""
    pacing: dict[str, float] = {}
    measures: dict[str, Any] = {}
    fault: str = ""
    person: dict[str, Any] = {}
    caller_faults: int = 0

    @property
    def refusal(self) -> str:
        """Why no time that was measured of it counts; empty where it does."""
        return timing_of([self]).refusal

    @classmethod
    def of(
        cls, start: Mapping[str, Any], ending: Mapping[str, Any], folder: str, faults: Sequence[str]
    ) -> CallRecord | None:
        """The record of a call by the payloads of its log's ends; None for a session without sound.

        ``folder`` is where logs lie, ``faults`` are those of all attempts.
        """
        if "sound" not in start:
            return None
        recording = ending.get("recording") or {}
        return cls(
            settings=start["sound"],
            recording=f"{folder}/{recording['file']}" if recording else "",
            recording_sha256=recording.get("sha256", ""),
            pacing=ending.get("pacing", {}),
            measures=ending.get("measures", {}),
            fault=ending.get("fault", ""),
            person=ending.get("person", {}),
            caller_faults=sum(fault == CALLER for fault in faults),
        )
