"""What a provider charges, as its price list says: the most that a request can cost, and what one did cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from pytest_talk2agent.interfaces.usage import Usage

TOKENS_PER_SECOND = 50
"""No more input tokens than these are expected of a second of sound; models are known to make 7 to 50 of it."""
OUTPUT_TOKENS = 4096
"""No more output tokens than these are expected of a reply whose length is not bounded by the request."""

_MINUTE = Decimal(60)
_MILLION = Decimal(1_000_000)


@dataclass(frozen=True)
class Prices:
    """Prices in any one currency: of a request, of a minute of audio, of a million tokens.

    ``audio`` is for input tokens that are sound, where they cost other than text; None is "as ``input``".
    ``known`` is False where no price was given at all.
    """

    request: Decimal = Decimal(0)
    minute: Decimal = Decimal(0)
    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    audio: Decimal | None = None
    known: bool = False

    def most(self, seconds: float, text: str, output_tokens: int = OUTPUT_TOKENS) -> Decimal:
        """The most that a request can cost: ``seconds`` of sound, ``text`` beside it, a reply of ``output_tokens``."""
        dearest = self.input if self.audio is None else max(self.input, self.audio)
        # A token holds at least one byte.
        inputs = dearest * (Decimal(str(seconds)) * TOKENS_PER_SECOND) + self.input * len(text.encode())
        return self._flat(seconds) + (inputs + self.output * output_tokens) / _MILLION

    def of(self, usage: Usage, seconds: float) -> Decimal | None:
        """What a request did cost by its usage; None where tokens are paid for and the provider counted none."""
        flat = self._flat(seconds if usage.audio_seconds is None else usage.audio_seconds)
        if not (self.input or self.output or self.audio):
            return flat
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        heard = 0 if self.audio is None else min(usage.audio_tokens or 0, usage.input_tokens)
        inputs = self.input * (usage.input_tokens - heard) + (self.audio or Decimal(0)) * heard
        return flat + (inputs + self.output * usage.output_tokens) / _MILLION

    def _flat(self, seconds: float) -> Decimal:
        return self.request + self.minute * Decimal(str(seconds)) / _MINUTE


def price(option: str, text: str) -> Decimal | None:
    """A price that an option gives, None where it gives none. Raises ValueError where it is no price."""
    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"option {option} must be a price such as 0.006, not {text!r}")
    return amount
