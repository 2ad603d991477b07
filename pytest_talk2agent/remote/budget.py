"""What a run may cost: money is set aside before a request and booked after it."""

from __future__ import annotations

import threading
from decimal import Decimal
from types import TracebackType


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

    def _take(self, most: Decimal) -> None:
        with self._changed:
            while self.limit is not None and self._spent + self._reserved + most > self.limit:
                if not self._reserved or self._spent + most > self.limit:
                    raise BudgetError(
                        f"the budget of {self.limit} would be exceeded: {_money(self._spent)} are spent, this request"
                        f" may cost {_money(most)}; what was paid for is stored: raise --t2a-budget and run again"
                    )
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
