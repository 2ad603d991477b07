from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from pytest_talk2agent.remote.budget import Budget, BudgetError

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
