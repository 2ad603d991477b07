"""What requests cost, as a price list or the provider says, and what a run may cost.

Money is set aside before a request and booked after it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_talk2agent.remote.http import Reply

_COST_HEADER = "x-litellm-response-cost"
TOKENS_PER_SECOND = 50
"""No more input tokens than these are expected of a second of sound; models are known to make 7 to 50 of it."""
OUTPUT_TOKENS = 4096
"""No more output tokens than these are expected of a reply whose length is not bounded by the request."""
_MINUTE = Decimal(60)
_MILLION = Decimal(1_000_000)


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
        return {name: value for name in names if (value := vars(self)[name]) is not None}


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


class BudgetError(Exception):
    """A request might exceed the budget of the run, so it is not made. One clear line."""


class Budget:
    """The most that a run may spend, in the currency of the prices it is told; None is no limit. Safe for threads.

    A request reserves the most it can cost; what it did cost, known afterwards, takes the place of that. Where what is
    under way leaves too little, a request waits for it to be booked: it mostly costs less than was set aside.
    """

    def __init__(self, limit: Decimal | None = None) -> None:
        self.limit = limit
        self._changed = threading.Condition()
        self._spent = Decimal(0)
        self._reserved = Decimal(0)

    @property
    def spent(self) -> Decimal:
        """What has been booked so far."""
        with self._changed:
            return self._spent

    def reserve(self, most: Decimal) -> Reservation:
        """Set aside what a request may cost; raises BudgetError where the budget cannot bear it."""
        self._take(most)
        return Reservation(self, most)

    def refusal(self, spent: Decimal, most: Decimal) -> str:
        """Why a request is not made that may cost so much."""
        return (
            f"the budget of {self.limit} would be exceeded: {_money(spent)} are spent, this request may cost"
            f" {_money(most)}; what was paid for is stored: raise --t2a-budget and run again"
        )

    def _take(self, most: Decimal) -> None:
        with self._changed:
            while self.limit is not None and self._spent + self._reserved + most > self.limit:
                if not self._reserved or self._spent + most > self.limit:
                    raise BudgetError(self.refusal(self._spent, most))
                self._changed.wait()
            self._reserved += most

    def _book(self, reserved: Decimal, actual: Decimal) -> None:
        with self._changed:
            self._reserved -= reserved
            self._spent += actual
            self._changed.notify_all()


class Reservation:
    """Money that is set aside for one request; left without a word by ``with``, it counts as spent."""

    def __init__(self, budget: Budget, most: Decimal) -> None:
        self.most = most
        self._budget = budget
        self._open = True

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.settle(self.most)

    def settle(self, actual: Decimal) -> None:
        """Book what the request did cost; only the first time counts."""
        if self._open:
            self._open = False
            self._budget._book(self.most, actual)

    def renew(self, actual: Decimal) -> None:
        """Book what a failed attempt did cost, reserve for another; raises BudgetError as `Budget.reserve` does."""
        self.settle(actual)
        self._budget._take(self.most)
        self._open = True


def _money(amount: Decimal) -> str:
    return f"{amount:.6f}".rstrip("0").rstrip(".")
