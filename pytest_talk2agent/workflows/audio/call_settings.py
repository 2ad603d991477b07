"""What a command line says of how agents with a voice are called.

It is a file of its own since the plugin reads it in every run, and so it imports nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

BANK = "bank"
STAND_IN = "stand-in"


@dataclass(frozen=True)
class CallSettings:
    """How agents with a voice are called.

    ``caller`` is ``bank`` for the package's frozen speech, ``stand-in`` for a sine that no recogniser understands, or
    the spec of a live voice that speaks what the bank has not. ``channel`` is a condition of the line, None for what
    ``condition`` brings; ``listener`` the recogniser that hears agents which give no words.
    """

    caller: str = BANK
    channel: str | None = None
    listener: str | None = None

    @property
    def label(self) -> str:
        """In one line, the same for the same settings."""
        parts = [f"caller={self.caller}", f"channel={self.channel or 'own'}"]
        return "; ".join([*parts, f"listener={self.listener}"] if self.listener else parts)
