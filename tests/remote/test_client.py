"""A paid request: the most is reserved, what it took is booked, also where it failed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_talk2agent.interfaces.served.served import ServedOptions
from pytest_talk2agent.remote.budget import Budget, BudgetError
from pytest_talk2agent.remote.client import Client, Paid
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.http import Endpoint, Reply
from pytest_talk2agent.remote.option_text import ServerOptions

PRICED = ServedOptions(price_per_minute="0.06", price_per_million_input="0", price_per_million_output="97")
MOST = Decimal(1)
"""What half a minute of sound and 10,000 tokens may cost."""


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
    return Reply({"usage": {"input_tokens": 0, "output_tokens": 0, **usage}}, {})


def client(endpoint: Endpoint, budget: Budget, options: ServerOptions = PRICED) -> Client:
    made = Client("asr", options)
    made.charge_to(budget, "asr")
    made._endpoint = endpoint
    return made


def post(endpoint: Endpoint, budget: Budget, options: ServerOptions = PRICED, **how: Any) -> Paid:
    return client(endpoint, budget, options).post("x", "", output_tokens=10_000, seconds=30, **how)


def test_the_price_is_that_of_the_audio_where_the_provider_says_none() -> None:
    budget = Budget(Decimal(2))
    paid = post(Scripted(reply()), budget)
    assert paid.cost == budget.spent == Decimal("0.03")


def test_what_the_provider_says_counts_first() -> None:
    budget = Budget(Decimal(2))
    assert post(Scripted(reply(cost=0.5)), budget).cost == Decimal("0.5")
    assert budget.spent == Decimal("0.5")


def test_a_cost_that_nobody_knows_is_none_and_booked_in_full() -> None:
    budget = Budget()
    assert post(Scripted(reply(output_tokens=None)), budget).cost is None
    assert budget.spent == MOST


def test_without_prices_no_cost_is_made_up() -> None:
    budget = Budget()
    assert post(Scripted(reply()), budget, ServedOptions()).cost is None
    assert budget.spent == 0


@pytest.mark.parametrize(("charged", "spent"), [(True, "1.03"), (False, "0.03")])
def test_an_attempt_that_may_have_been_billed_counts(charged: bool, spent: str) -> None:
    budget = Budget(Decimal(3))
    post(Scripted(ProviderError("timeout", "late", charged=charged), reply()), budget)
    assert budget.spent == Decimal(spent)


def test_a_request_that_fails_for_good_is_settled() -> None:
    budget = Budget(Decimal(3))
    with pytest.raises(ProviderError):
        post(Scripted(ProviderError("rejected", "no such model")), budget)
    assert budget.spent == 0
    budget.reserve(Decimal(3))


def test_nothing_is_sent_that_the_budget_cannot_bear() -> None:
    endpoint = Scripted(reply())
    with pytest.raises(BudgetError):
        post(endpoint, Budget(Decimal("0.5")))
    assert endpoint.posted == 0


def test_who_asked_may_end_the_request_before_a_retry() -> None:
    def stop(error: ProviderError) -> None:
        raise error

    endpoint = Scripted(ProviderError("timeout", "late"), reply())
    with pytest.raises(ProviderError, match="late"):
        post(endpoint, Budget(), before_retry=stop)
    assert endpoint.posted == 1


@pytest.mark.parametrize("options", [ServerOptions(), ServedOptions()])
def test_a_budget_needs_a_price(options: ServerOptions) -> None:
    made = Client("asr", options)
    made.charge_to(Budget(), "asr:m")
    with pytest.raises(SetupError, match=r"^asr:m: a budget needs to know the price; add price_per_"):
        made.charge_to(Budget(Decimal(1)), "asr:m")


def test_a_key_that_is_not_accepted_is_a_fault_of_the_setup() -> None:
    with pytest.raises(SetupError, match=r"^unauthorized: wrong key"):
        post(Scripted(ProviderError("unauthorized", "wrong key")), Budget())


def test_who_asks_says_what_a_wrong_setup_raises() -> None:
    with pytest.raises(LookupError, match=r"^asr: say which key https://other.example/v1 gets"):
        Client("asr", ServerOptions(base_url="https://other.example/v1"), LookupError)


@pytest.mark.parametrize(
    ("body", "detail"),
    [({"model": "m"}, {"cost": 0.03}), ({"model": "m-2"}, {"cost": 0.03, "model": "m-2"}), ({}, {"cost": 0.03})],
)
def test_a_record_names_the_model_that_answered_where_it_is_another(
    body: dict[str, object], detail: dict[str, object]
) -> None:
    answer = Reply({**reply().body, **body}, {})
    assert post(Scripted(answer), Budget()).served("m") == detail
