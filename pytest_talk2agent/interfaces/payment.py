"""A request that may cost money: reserved before it is made, settled by what it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_talk2agent.interfaces.budget import Budget
from pytest_talk2agent.interfaces.fault import ProviderError
from pytest_talk2agent.interfaces.http import Endpoint, Reply
from pytest_talk2agent.interfaces.prices import Prices
from pytest_talk2agent.interfaces.usage import Usage


@dataclass(frozen=True)
class Paid:
    """A reply, what it used, and what it cost: as the provider says, else by the prices; None where that is unknown."""

    reply: Reply
    usage: Usage
    cost: Decimal | None


def post_paid(
    endpoint: Endpoint,
    path: str,
    budget: Budget,
    prices: Prices,
    most: Decimal,
    *,
    seconds: float = 0.0,
    before_retry: Callable[[ProviderError], None] | None = None,
    **content: Any,
) -> Paid:
    """Post ``content`` (as `Endpoint.post` takes it) within a budget; ``most`` is the most that an attempt can cost.

    ``seconds`` is the length of the audio in it, for prices by the minute; what ``before_retry`` raises ends the
    request. An attempt that failed and may have been billed counts in full. Raises ProviderError, BudgetError and
    InterfaceError.
    """
    with budget.reserve(most) as reservation:

        def again(error: ProviderError) -> None:
            if before_retry is not None:
                before_retry(error)
            reservation.renew(most if error.charged else Decimal(0))

        try:
            reply = endpoint.post(path, again=again, **content)
        except ProviderError as error:
            reservation.settle(most if error.charged else Decimal(0))
            raise
        usage = Usage.of(reply)
        cost = usage.cost
        if cost is None and prices.known:
            cost = prices.of(usage, seconds)
        reservation.settle(most if cost is None else cost)
    return Paid(reply, usage, cost)
