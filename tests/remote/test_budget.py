from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.remote.budget import OUTPUT_TOKENS, TOKENS_PER_SECOND, Budget, BudgetError, Prices, Usage, price
from pytest_talk2agent.remote.http import Reply

CENT = Decimal("0.01")


def test_what_was_paid_takes_the_place_of_what_was_set_aside() -> None:
    budget = Budget(Decimal("0.05"))
    with budget.reserve(5 * CENT) as reservation:
        reservation.settle(CENT)
    assert budget.spent == CENT
    budget.reserve(4 * CENT)


def test_a_request_that_might_exceed_the_budget_is_not_made() -> None:
    budget = Budget(Decimal("0.05"))
    budget.reserve(3 * CENT).settle(3 * CENT)
    with pytest.raises(BudgetError) as caught:
        budget.reserve(3 * CENT)
    assert str(caught.value) == (
        "the budget of 0.05 would be exceeded: 0.03 are spent, this request may cost 0.03; what was paid for is stored:"
        " raise --t2a-budget and run again"
    )
    budget.reserve(2 * CENT)


def test_a_budget_of_nothing_allows_what_is_free() -> None:
    budget = Budget(Decimal(0))
    budget.reserve(Decimal(0))
    with pytest.raises(BudgetError):
        budget.reserve(Decimal("1e-9"))


def test_no_limit_allows_all_and_still_counts() -> None:
    budget = Budget()
    budget.reserve(Decimal(1000)).settle(Decimal(1000))
    assert budget.spent == 1000


def test_what_is_left_without_a_word_counts_as_spent() -> None:
    budget = Budget(Decimal(1))
    with pytest.raises(RuntimeError), budget.reserve(CENT):
        raise RuntimeError
    assert budget.spent == CENT


def test_only_the_first_settlement_counts() -> None:
    budget = Budget(Decimal(1))
    with budget.reserve(5 * CENT) as reservation:
        reservation.settle(Decimal(0))
        reservation.settle(5 * CENT)
    assert budget.spent == 0


def test_a_further_attempt_is_paid_for_anew() -> None:
    budget = Budget(Decimal("0.05"))
    with budget.reserve(2 * CENT) as reservation:
        reservation.renew(2 * CENT)
        with pytest.raises(BudgetError):
            reservation.renew(2 * CENT)
    assert budget.spent == 4 * CENT


def test_a_request_waits_for_what_is_under_way_where_that_may_leave_enough() -> None:
    budget = Budget(Decimal("0.05"))
    first = budget.reserve(4 * CENT)
    got = threading.Event()

    def second() -> None:
        with budget.reserve(4 * CENT) as reservation:
            reservation.settle(4 * CENT)
            got.set()

    thread = threading.Thread(target=second, daemon=True)
    thread.start()
    assert not got.wait(0.05)
    first.settle(CENT)
    assert got.wait(5)
    thread.join(5)
    assert budget.spent == 5 * CENT


def test_a_request_that_waits_in_vain_is_told_so() -> None:
    budget = Budget(Decimal("0.05"))
    first = budget.reserve(4 * CENT)
    refused = threading.Event()

    def second() -> None:
        with pytest.raises(BudgetError):
            budget.reserve(4 * CENT)
        refused.set()

    threading.Thread(target=second, daemon=True).start()
    first.settle(4 * CENT)
    assert refused.wait(5)


def test_many_threads_never_spend_more_than_the_limit() -> None:
    budget = Budget(Decimal("0.50"))
    made: list[int] = []

    def spend() -> None:
        for _ in range(20):
            try:
                with budget.reserve(2 * CENT) as reservation:
                    reservation.settle(CENT)
                    made.append(1)
            except BudgetError:
                return

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert budget.spent == len(made) * CENT
    assert budget.spent in (49 * CENT, 50 * CENT)


TOKENS = Prices(input=Decimal("2.5"), output=Decimal(10), audio=Decimal(40), known=True)


def test_a_price_of_a_minute() -> None:
    prices = Prices(minute=Decimal("0.006"), known=True)
    assert prices.of(Usage(), 30.0) == Decimal("0.003")
    assert prices.of(Usage(audio_seconds=60.0), 30.0) == Decimal("0.006")
    assert prices.most(30.0, "prompt") == Decimal("0.003")


def test_a_price_of_a_request() -> None:
    prices = Prices(request=Decimal("0.01"), minute=Decimal("0.06"), known=True)
    assert prices.of(Usage(), 10.0) == Decimal("0.02")


def test_prices_of_tokens_tell_sound_from_text() -> None:
    usage = Usage(input_tokens=1000, output_tokens=100, audio_tokens=800)
    assert TOKENS.of(usage, 1.0) == (200 * Decimal("2.5") + 800 * 40 + 100 * 10) / Decimal(1_000_000)
    plain = Prices(input=Decimal("2.5"), output=Decimal(10), known=True)
    assert plain.of(usage, 1.0) == (1000 * Decimal("2.5") + 100 * 10) / Decimal(1_000_000)


def test_a_provider_that_counts_no_tokens_leaves_the_cost_open() -> None:
    assert TOKENS.of(Usage(output_tokens=1), 1.0) is None
    assert TOKENS.of(Usage(input_tokens=1), 1.0) is None


def test_what_is_free_costs_nothing() -> None:
    assert Prices(known=True).of(Usage(), 100.0) == 0
    assert Prices(known=True).most(100.0, "x") == 0


@given(
    seconds=st.floats(0, 900),
    sound=st.floats(0, 1),
    text=st.text(max_size=50),
    output=st.integers(0, OUTPUT_TOKENS),
    audio=st.none() | st.decimals(0, 100, places=2),
)
def test_no_request_within_the_bounds_costs_more_than_the_most(
    seconds: float, sound: float, text: str, output: int, audio: Decimal | None
) -> None:
    prices = Prices(Decimal("0.001"), Decimal("0.006"), Decimal("2.5"), Decimal(10), audio, known=True)
    heard = int(seconds * TOKENS_PER_SECOND * sound)
    usage = Usage(input_tokens=heard + len(text.encode()), output_tokens=output, audio_tokens=heard)
    cost = prices.of(usage, seconds)
    assert cost is not None
    assert cost <= prices.most(seconds, text)


def test_a_bounded_reply_lowers_the_most() -> None:
    assert TOKENS.most(1.0, "") - TOKENS.most(1.0, "", 96) == (OUTPUT_TOKENS - 96) * Decimal(10) / Decimal(1_000_000)


def test_a_price_is_exact() -> None:
    assert price("price_per_minute", "0.006") == Decimal("0.006")
    assert price("price_per_minute", "0") == 0
    assert price("price_per_minute", "") is None


@pytest.mark.parametrize("text", ["free", "-1", "nan", "inf", "$5", "0,006"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="option price_per_minute must be a price such as"):
        price("price_per_minute", text)


def usage(body: dict[str, Any], **headers: str) -> Usage:
    return Usage.of(Reply(body, {name.replace("_", "-"): value for name, value in headers.items()}))


def test_tokens_of_a_transcription() -> None:
    body = {
        "text": "x",
        "usage": {
            "type": "tokens",
            "input_tokens": 14,
            "input_token_details": {"text_tokens": 4, "audio_tokens": 10},
            "output_tokens": 45,
            "total_tokens": 59,
        },
    }
    found = usage(body)
    assert found == Usage(input_tokens=14, output_tokens=45, audio_tokens=10)
    assert found.detail() == {"input_tokens": 14, "output_tokens": 45, "audio_tokens": 10}


def test_tokens_of_a_chat() -> None:
    body = {"usage": {"prompt_tokens": 200, "completion_tokens": 9, "prompt_tokens_details": {"audio_tokens": 120}}}
    assert usage(body) == Usage(input_tokens=200, output_tokens=9, audio_tokens=120)


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"usage": {"type": "duration", "seconds": 7}}, 7.0),
        ({"duration": 3.25}, 3.25),
        ({"duration": "3.25"}, 3.25),
        ({"usage": {"seconds": 8}, "duration": 7.6}, 8.0),
        ({"duration": "long"}, None),
        ({"duration": -1}, None),
        ({"duration": "inf"}, None),
    ],
)
def test_seconds_of_audio(body: dict[str, Any], seconds: float | None) -> None:
    assert usage(body).audio_seconds == seconds


def test_costs_that_a_server_names() -> None:
    assert usage({"usage": {"cost": 0.0021}}).cost == Decimal("0.0021")
    assert usage({}, x_litellm_response_cost="1.5e-05").cost == Decimal("0.000015")
    assert usage({"usage": {"cost": 9}}, x_litellm_response_cost="0.25").cost == Decimal("0.25")


@pytest.mark.parametrize("cost", ["None", "", "NaN", "-1", "Infinity", None, True, [1]])
def test_a_cost_that_is_none_is_not_believed(cost: Any) -> None:
    assert usage({"usage": {"cost": cost}}).cost is None
    if isinstance(cost, str):
        assert usage({}, x_litellm_response_cost=cost).cost is None


@pytest.mark.parametrize(
    "body", [{}, {"usage": None}, {"usage": []}, {"usage": {"input_tokens": "many", "output_tokens": -1}}]
)
def test_a_server_that_says_nothing_of_use(body: dict[str, Any]) -> None:
    assert usage(body) == Usage()
    assert usage(body).detail() == {}
