"""A paid request: the most is reserved, what it took is booked, also where it failed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_talk2agent.interfaces.budget import Budget, BudgetError
from pytest_talk2agent.interfaces.fault import ProviderError
from pytest_talk2agent.interfaces.http import Endpoint, Reply
from pytest_talk2agent.interfaces.payment import post_paid
from pytest_talk2agent.interfaces.prices import Prices

PRICES = Prices(minute=Decimal("0.06"), known=True)
MOST = Decimal(1)


class Scripted(Endpoint):
    """Answers what it was told to, one fault or reply after the other."""

    def __init__(self, *answers: Reply | ProviderError) -> None:
        self.answers = list(answers)
        self.posted = 0

    def post(self, path: str, *, again: Callable[[ProviderError], None] | None = None, **content: Any) -> Reply:
        while True:
            self.posted += 1
            answer = self.answers.pop(0)
            if isinstance(answer, Reply):
                return answer
            if not self.answers:
                raise answer
            assert again is not None
            again(answer)


def reply(**usage: object) -> Reply:
    return Reply({"usage": usage}, {})


def test_the_price_is_that_of_the_audio_where_the_provider_says_none() -> None:
    budget = Budget(Decimal(2))
    paid = post_paid(Scripted(reply()), "x", budget, PRICES, MOST, seconds=30)
    assert paid.cost == budget.spent == Decimal("0.03")


def test_what_the_provider_says_counts_first() -> None:
    budget = Budget(Decimal(2))
    assert post_paid(Scripted(reply(cost=0.5)), "x", budget, PRICES, MOST, seconds=30).cost == Decimal("0.5")
    assert budget.spent == Decimal("0.5")


def test_a_cost_that_nobody_knows_is_none_and_booked_in_full() -> None:
    budget = Budget()
    assert post_paid(Scripted(reply()), "x", budget, Prices(), MOST).cost is None
    assert budget.spent == MOST


@pytest.mark.parametrize(("charged", "spent"), [(True, "1.03"), (False, "0.03")])
def test_an_attempt_that_may_have_been_billed_counts(charged: bool, spent: str) -> None:
    budget = Budget(Decimal(3))
    endpoint = Scripted(ProviderError("timeout", "late", charged=charged), reply())
    post_paid(endpoint, "x", budget, PRICES, MOST, seconds=30)
    assert budget.spent == Decimal(spent)


def test_a_request_that_fails_for_good_is_settled() -> None:
    budget = Budget(Decimal(3))
    with pytest.raises(ProviderError):
        post_paid(Scripted(ProviderError("rejected", "no such model")), "x", budget, PRICES, MOST)
    assert budget.spent == 0
    budget.reserve(Decimal(3))


def test_nothing_is_sent_that_the_budget_cannot_bear() -> None:
    endpoint = Scripted(reply())
    with pytest.raises(BudgetError):
        post_paid(endpoint, "x", Budget(Decimal("0.5")), PRICES, MOST)
    assert endpoint.posted == 0


def test_who_asked_may_end_the_request_before_a_retry() -> None:
    def stop(error: ProviderError) -> None:
        raise error

    endpoint = Scripted(ProviderError("timeout", "late"), reply())
    with pytest.raises(ProviderError, match="late"):
        post_paid(endpoint, "x", Budget(), PRICES, MOST, before_retry=stop)
    assert endpoint.posted == 1
