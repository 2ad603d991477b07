"""A served model that is paid for: the price of a request is reserved before it is made, settled by what it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_talk2agent.remote.budget import OUTPUT_TOKENS, Budget, Usage
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.http import Endpoint, Reply
from pytest_talk2agent.remote.option_text import ServerOptions


@dataclass(frozen=True)
class Paid:
    """A reply, what it used, and what it cost: as the provider says, else by the prices; None where that is unknown."""

    reply: Reply
    usage: Usage
    cost: Decimal | None

    def served(self, model: str) -> dict[str, Any]:
        """The cost, and which model answered where it is another than was asked; plain values for a record."""
        detail: dict[str, Any] = {} if self.cost is None else {"cost": float(round(self.cost, 9))}
        name = self.reply.body.get("model")
        return {**detail, "model": name} if isinstance(name, str) and name != model else detail


class Client:
    """A server whose requests are paid from one budget. Safe for threads.

    ``who`` asks, for messages. ``error`` is what is raised where nothing can be asked at all: the address or the name
    of the key's variable is wrong, httpx is not installed, the key is not there or not accepted, or a budget is set and
    no price.
    """

    def __init__(self, who: str, options: ServerOptions, error: Callable[[str], Exception] = SetupError) -> None:
        self._error = error
        self._options = options
        self._prices = options.prices
        self._budget = Budget()
        with self._setup():
            self._endpoint = Endpoint(
                who,
                options.base_url,
                options.key_env,
                timeout=options.timeout,
                attempts=options.attempts,
                prefix=options.prefix,
            )

    @property
    def base_url(self) -> str:
        """The address of the server, in its plain form."""
        return self._endpoint.base_url

    def check(self) -> None:
        """Raise ``error`` where httpx is not installed or the key is not there. Sends nothing."""
        with self._setup():
            self._endpoint.check()

    def charge_to(self, budget: Budget, payer: str) -> None:
        """Spend no more than a budget allows; raises ``error``, naming the ``payer``, where no price is known."""
        try:
            self._options.check_budget(budget.limit)
        except ValueError as error:
            raise self._error(f"{payer}: {error}") from None
        self._budget = budget

    def post(
        self,
        path: str,
        text: str,
        *,
        output_tokens: int = 0,
        seconds: float = 0.0,
        before_retry: Callable[[ProviderError], None] | None = None,
        **content: Any,
    ) -> Paid:
        """Post ``content`` (as `Endpoint.post` takes it) within the budget.

        The most that an attempt can cost follows from ``text`` (what is sent but for sound), from the length of the
        sound in ``seconds``, and from the most ``output_tokens`` of the answer (0: a usual bound). An attempt that
        failed and may have been billed counts in full. What ``before_retry`` raises ends the request. Raises
        ProviderError, BudgetError, and ``error``.
        """
        most = self._prices.most(seconds, text, output_tokens or OUTPUT_TOKENS)
        with self._setup(), self._budget.reserve(most) as reservation:

            def again(error: ProviderError) -> None:
                if before_retry is not None:
                    before_retry(error)
                reservation.renew(most if error.charged else Decimal(0))

            try:
                reply = self._endpoint.post(path, again=again, **content)
            except ProviderError as error:
                reservation.settle(most if error.charged else Decimal(0))
                if error.kind == "unauthorized":
                    raise SetupError(error) from None
                raise
            usage = Usage.of(reply)
            cost = usage.cost
            if cost is None and self._prices.known:
                cost = self._prices.of(usage, seconds)
            reservation.settle(most if cost is None else cost)
        return Paid(reply, usage, cost)

    @contextmanager
    def _setup(self) -> Iterator[None]:
        try:
            yield
        except SetupError as error:
            raise self._error(str(error)) from None
