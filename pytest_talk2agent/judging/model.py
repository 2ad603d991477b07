"""A text model behind chat completions that is asked for structured answers, each of which is kept and found again.

The key of an answer is everything that is sent: server, model, prompt, schema, data, settings, and the number of the
vote. A changed word is a miss. What is kept is an answer that passed its check, with what was asked; one that no longer
does is a miss, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from pytest_talk2agent.judging.judge import JudgeError, Records, record_key
from pytest_talk2agent.remote.budget import Budget, BudgetError, price
from pytest_talk2agent.remote.chat import PATH, NoAnswerError, object_in, object_request
from pytest_talk2agent.remote.client import Client, Paid
from pytest_talk2agent.remote.concurrency import Flights
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import (
    ChatOptions,
    check_between,
    read_options,
    read_temperature,
    split_options,
)

KIND = "answers"
_TRIES = 2
_FLIGHTS: Flights[Mapping[str, Any]] = Flights()

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class ModelOptions(ChatOptions):
    """How a model is asked.

    ``votes`` is how often. ``temperature`` is by default 0 for one vote and 0.7 for several, which would else be one
    and the same; "none" sends none, as some models take none. ``seed`` is sent where it is not -1, raised by 1 for each
    further vote. ``budget`` is the most that one process spends on it, in the currency of its prices.
    """

    votes: int = 3
    temperature: str = ""
    seed: int = -1
    budget: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between(self, "votes", 1, 25)
        check_between(self, "seed", -1, 2**31)
        _ = self.degrees
        self.check_budget(self.limit)

    @property
    def degrees(self) -> float | None:
        """The temperature to send, None for none."""
        if self.temperature == "none":
            return None
        if not self.temperature:
            return 0.0 if self.votes == 1 else 0.7
        return read_temperature(self.temperature, ", or none")

    @property
    def limit(self) -> Decimal | None:
        """The budget."""
        return price("budget", self.budget)


def read_model_spec(text: str) -> tuple[str, ModelOptions]:
    """Model and options of a spec ``llm:MODEL[?option=value&...]``; raises JudgeError, which shows no secret."""
    shown, question, options = text.strip().partition("?")
    model = shown.partition(":")[2]
    if not model:
        raise JudgeError(f"judge {shown!r}: no model is named; write llm:MODEL")
    if model.endswith(("+bias", "+repair")):
        raise JudgeError(f"judge {shown!r}: +bias, +repair and their options belong to interfaces")
    if question and not options:
        raise JudgeError(f"judge {shown!r}: no option behind '?'; write ?option=value&...")
    try:
        return model, read_options(split_options(options), ModelOptions, shown)
    except (SetupError, ValueError) as error:
        raise JudgeError(f"judge {shown!r}: {error}") from None


class Model:
    """One model on one server. Safe for threads. ``name`` is who asks, for messages.

    Raises JudgeError where the server's address or the name of the key's variable is wrong.
    """

    def __init__(self, name: str, model: str, options: ModelOptions) -> None:
        self._name = name
        self._model = model
        self._options = options
        self._records: Records | None = None
        self._frozen = False
        self._told: dict[str, Mapping[str, Any]] = {}  # where nothing is kept
        self._client = Client(name, options, JudgeError)
        self._client.charge_to(Budget(options.limit), name)

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """Look answers up and keep them there. ``frozen`` sends nothing: an answer that is not there is an error."""
        self._records, self._frozen = records, frozen

    def check(self) -> None:
        """Raise JudgeError where httpx is not installed or the key is not there. Sends nothing."""
        if not self._frozen:
            self._client.check()

    def identity(self) -> dict[str, Any]:
        """All that can change an answer, but for prompt and data; neither key nor prices, nor how it is waited for."""
        options = self._options
        return {
            "model": self._model,
            "base_url": self._client.base_url,
            "format": options.format,
            "temperature": options.degrees,
            "seed": options.seed,
            "max_tokens": options.max_tokens,
        }

    def __call__(self, prompt: str, schema: Mapping[str, Any]) -> object:
        """The answer to a prompt that holds its data, as plain values of a schema; raises JudgeError as `ask` does."""
        return self.ask(prompt, None, schema, dict)

    def ask(
        self,
        prompt: str,
        data: Mapping[str, Any] | None,
        schema: Mapping[str, Any],
        check: Callable[[Mapping[str, Any]], Answer],
        *,
        vote: int = 0,
    ) -> Answer:
        """Put a question: ``prompt`` is what the model is told, ``data`` what it is given, as JSON and as data alone.

        Without data the prompt is all there is, and the user's message.

        ``schema`` is the JSON Schema of the answer; ``check`` turns an answer (a JSON object) into what is returned and
        raises ValueError where it is not what was asked for. Such an answer is asked for once more.

        Raises JudgeError: nothing kept where the model is frozen, a provider that fails or refuses, an answer that is
        invalid twice, a budget that cannot bear the request. Whoever asks the same while it is asked, or afterwards,
        is told the same: one request has one answer.
        """
        request = self._request(prompt, data, schema, vote)
        key = record_key(self._client.base_url, request, vote)
        flight = (key, self._frozen, id(self._records or self))
        return check(_FLIGHTS.join(flight, lambda: self._answer(request, key, vote, check)))

    def _answer(
        self, request: Mapping[str, Any], key: str, vote: int, check: Callable[[Mapping[str, Any]], object]
    ) -> Mapping[str, Any]:
        """An answer that passes the check: a kept one, else that of the server."""
        known = self._kept(key, check)
        if known is not None:
            return known
        if self._frozen:
            why = None if self._records is None else self._records.why_absent(KIND, key)
            lacks = f"{self._name} has no stored answer for this"
            raise JudgeError(
                f"frozen: {lacks if why is None else f'{lacks} that can be used: {why}'}; run once without it"
            )
        fault = ""
        for _ in range(_TRIES):
            paid = self._sent(request)
            try:
                plain = object_in(paid.reply.body, self._options)
                check(plain)
            except (NoAnswerError, ProviderError, ValueError) as error:
                fault = " ".join(str(error).split())
                if isinstance(error, NoAnswerError) and error.kind == "refused":
                    raise JudgeError(f"{self._name}: refused: {fault[:200]}") from None
                if isinstance(error, NoAnswerError) and error.kind == "truncated":
                    raise JudgeError(f"{self._name}: {fault}") from None
                continue
            record = {
                "answer": plain,
                "served": paid.reply.body.get("model"),
                "usage": paid.usage.detail(),
                "asked": {"base_url": self._client.base_url, "vote": vote, "request": request},
            }
            if self._records is None:
                self._told[key] = record
            else:
                self._records.keep_record(KIND, key, record)
            return plain
        raise JudgeError(f"{self._name}: no valid answer in {_TRIES} tries: {fault}")

    def _kept(self, key: str, check: Callable[[Mapping[str, Any]], object]) -> Mapping[str, Any] | None:
        """The answer that is kept under a key, if it passes the check."""
        known = self._told.get(key) if self._records is None else self._records.record(KIND, key)
        if known is None:
            return None
        try:
            check(known["answer"])
        except (ValueError, KeyError, TypeError) as error:
            if self._records is not None:
                self._records.reject_record(KIND, key, f"is no answer ({' '.join(str(error).split())})")
            return None
        answer: Mapping[str, Any] = known["answer"]
        return answer

    def _request(
        self, prompt: str, data: Mapping[str, Any] | None, schema: Mapping[str, Any], vote: int
    ) -> dict[str, Any]:
        options = self._options
        given = None if data is None else json.dumps(data, ensure_ascii=False)
        seed = options.seed + vote if options.seed >= 0 else None
        return object_request(
            self._model, prompt, given, "answer", schema, options, temperature=options.degrees, seed=seed
        )

    def _sent(self, request: Mapping[str, Any]) -> Paid:
        try:
            return self._client.post(PATH, json.dumps(request), output_tokens=self._options.max_tokens, json=request)
        except ProviderError as error:
            raise JudgeError(str(error)) from None
        except BudgetError as error:
            raise JudgeError(f"{self._name}: {error}") from None
