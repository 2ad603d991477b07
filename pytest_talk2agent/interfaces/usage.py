"""What a served model says of a request's size and price, in the forms that providers use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from pytest_talk2agent.interfaces.http import Reply

_COST_HEADER = "x-litellm-response-cost"


@dataclass(frozen=True)
class Usage:
    """Tokens, seconds of audio and cost (in the provider's currency) of one request; None where it does not say.

    ``audio_tokens`` are those of the input tokens that are sound.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    audio_tokens: int | None = None
    audio_seconds: float | None = None
    cost: Decimal | None = None

    @classmethod
    def of(cls, reply: Reply) -> Usage:
        """What a reply says: in its ``usage``, a ``duration`` beside the text, or the header of a LiteLLM proxy."""
        usage = _mapping(reply.body.get("usage"))
        inputs = _mapping(usage.get("input_token_details")) or _mapping(usage.get("prompt_tokens_details"))
        cost = _amount(reply.headers.get(_COST_HEADER))
        return cls(
            input_tokens=_first(_count, usage.get("input_tokens"), usage.get("prompt_tokens")),
            output_tokens=_first(_count, usage.get("output_tokens"), usage.get("completion_tokens")),
            audio_tokens=_count(inputs.get("audio_tokens")),
            audio_seconds=_first(_seconds, usage.get("seconds"), reply.body.get("duration")),
            cost=_amount(usage.get("cost")) if cost is None else cost,
        )

    def detail(self) -> dict[str, Any]:
        """What is known, without the cost, as plain values for a record."""
        names = ("input_tokens", "output_tokens", "audio_tokens", "audio_seconds")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(read: Any, *values: Any) -> Any:
    return next((found for value in values if (found := read(value)) is not None), None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _seconds(value: Any) -> float | None:
    """A duration; one provider writes it as text."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return round(seconds, 3) if math.isfinite(seconds) and seconds >= 0 else None


def _amount(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None
