"""The frozen clock of a world: the one date and time that tools, statements and the agent know."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any

VARIABLE = "TALK2AGENT_NOW"
"""The environment variable in which an agent that is a process finds the time of the world, in ISO 8601."""


@dataclass(frozen=True)
class FrozenClock:
    """A point in time with its zone. It stands still, so that a session gives the same rows whenever it runs."""

    now: datetime

    def __post_init__(self) -> None:
        if self.now.utcoffset() is None:
            raise ValueError(f"the clock {self.now.isoformat()} has no zone; write 2026-10-12T09:00:00+02:00, or Z")

    @classmethod
    def parse(cls, text: object) -> FrozenClock:
        """A clock from ISO 8601 with a zone, or from whole seconds since 1970 (in UTC).

        Raises ValueError for anything else, and for a time without a zone.
        """
        if isinstance(text, datetime):
            return cls(text)
        if isinstance(text, bool) or not isinstance(text, str | int):
            raise ValueError(f"{text!r} is no clock; write a date and time with a zone")
        try:
            if isinstance(text, int) or text.isdecimal():
                return cls(datetime.fromtimestamp(int(text), timezone.utc))
            return cls(datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith(("Z", "z")) else text))
        except (ValueError, OverflowError, OSError) as error:
            if "has no zone" in str(error):
                raise
            raise ValueError(f"{text!r} is no clock; write a date and time such as 2026-10-12T09:00:00+02:00") from None

    @property
    def today(self) -> date:
        """The date in the clock's own zone."""
        return self.now.date()

    def after(self, days: int) -> date:
        """The date so many days from today."""
        return self.today + timedelta(days=days)

    def parameters(self) -> dict[str, str]:
        """What every statement may use: ``:today`` as YYYY-MM-DD and ``:now`` with time and zone."""
        return {"today": self.today.isoformat(), "now": self.now.isoformat()}

    def environment(self) -> dict[str, str]:
        """What an agent's process gets, so that both sides share one date."""
        return {VARIABLE: self.now.isoformat()}

    def told(self) -> str:
        """The sentence that an agent is told."""
        return f"It is {self.now:%A}, {self.now.isoformat(timespec='minutes')}."

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"now": self.now.isoformat()}
