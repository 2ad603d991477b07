"""A text model behind chat completions that is asked for structured answers, each of which is kept and found again.

The key of an answer is everything that is sent: server, model, prompt, schema, data, settings, and the number of the
vote. A changed word is a miss. What is kept is an answer that passed its check, with what was asked; one that no longer
does is a miss, too.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from pytest_talk2agent.interfaces.budget import Budget, BudgetError
from pytest_talk2agent.interfaces.fault import ProviderError
from pytest_talk2agent.interfaces.http import Endpoint, Reply
from pytest_talk2agent.interfaces.payment import post_paid
from pytest_talk2agent.interfaces.prices import OUTPUT_TOKENS
from pytest_talk2agent.interfaces.usage import Usage
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.judging.errors import JudgeError
from pytest_talk2agent.judging.model_options import ModelOptions
from pytest_talk2agent.judging.records import Records, record_key
from pytest_talk2agent.tasks.json_text import parse_json

KIND = "answers"
_PATH = "chat/completions"
_TRIES = 2
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)

Answer = TypeVar("Answer")


class _InvalidError(Exception):
    """An answer came that is not of the form that was asked for; asking again may help."""


class _Flights:
    """Requests that are under way: who asks the same one waits for its answer, or its error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[tuple[object, ...], Future[Mapping[str, Any]]] = {}

    def join(self, key: tuple[object, ...], ask: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """What ``ask`` returns or raises; it is called by the first of those who come at the same time."""
        with self._lock:
            first = key not in self._answers
            answer = self._answers.setdefault(key, Future())
        if not first:
            return answer.result()
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)
        finally:
            with self._lock:
                del self._answers[key]
        return answer.result()


_FLIGHTS = _Flights()


class Model:
    """One model on one server. Safe for threads. ``name`` is who asks, for messages.

    Raises JudgeError where the server's address or the name of the key's variable is wrong.
    """

    def __init__(self, name: str, model: str, options: ModelOptions) -> None:
        self._name = name
        self._model = model
        self._options = options
        self._budget = Budget(options.limit)
        self._records: Records | None = None
        self._frozen = False
        self._told: dict[str, Mapping[str, Any]] = {}  # where nothing is kept
        try:
            self._endpoint = Endpoint(
                name, options.base_url, options.key_env, timeout=options.timeout, attempts=options.attempts
            )
        except InterfaceError as error:
            raise JudgeError(str(error)) from None

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """Look answers up and keep them there. ``frozen`` sends nothing: an answer that is not there is an error."""
        self._records, self._frozen = records, frozen

    def check(self) -> None:
        """Raise JudgeError where httpx is not installed or the key is not there. Sends nothing."""
        if self._frozen:
            return
        try:
            self._endpoint.check()
        except InterfaceError as error:
            raise JudgeError(str(error)) from None

    def identity(self) -> dict[str, Any]:
        """All that can change an answer, but for prompt and data; neither key nor prices, nor how it is waited for."""
        options = self._options
        return {
            "model": self._model,
            "base_url": self._endpoint.base_url,
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
        key = record_key(self._endpoint.base_url, request, vote)
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
            reply = self._sent(request)
            try:
                plain = self._object_in(reply.body)
                check(plain)
            except (_InvalidError, ValueError) as error:
                fault = " ".join(str(error).split())
                continue
            record = {
                "answer": dict(plain),
                "served": reply.body.get("model"),
                "usage": Usage.of(reply).detail(),
                "asked": {"base_url": self._endpoint.base_url, "vote": vote, "request": request},
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
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}]
            if data is None
            else [
                {"role": "system", "content": prompt},
                {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
            ],
        }
        if options.degrees is not None:
            request["temperature"] = options.degrees
        if options.seed >= 0:
            request["seed"] = options.seed + vote
        if options.format == "schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        elif options.format == "object":
            request["response_format"] = {"type": "json_object"}
        if options.max_tokens:
            request["max_tokens"] = options.max_tokens
        return request

    def _sent(self, request: Mapping[str, Any]) -> Reply:
        options = self._options
        most = options.prices.most(0.0, json.dumps(request), options.max_tokens or OUTPUT_TOKENS)
        try:
            return post_paid(self._endpoint, _PATH, self._budget, options.prices, most, json=request).reply
        except (ProviderError, InterfaceError) as error:
            raise JudgeError(str(error)) from None
        except BudgetError as error:
            raise JudgeError(f"{self._name}: {error}") from None

    def _object_in(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The JSON object in an answer. Raises JudgeError where it was refused or cut off, else _InvalidError."""
        choices = body.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            raise _InvalidError("the answer has no choices with a message")
        finish, refusal, content = choice.get("finish_reason"), message.get("refusal"), message.get("content")
        if (isinstance(refusal, str) and refusal) or (isinstance(finish, str) and finish.startswith("content_filter")):
            raise JudgeError(f"{self._name}: refused: {' '.join(str(refusal or finish).split())[:200]}")
        if finish == "length":
            raise JudgeError(f"{self._name}: the answer ran into its limit of tokens; raise max_tokens")
        if not isinstance(content, str):
            raise _InvalidError("the message in the answer is no text")
        block = _FENCED.fullmatch(content) if self._options.format == "text" else None
        try:
            answer = parse_json(block[1] if block else content)
        except (ValueError, RecursionError):
            raise _InvalidError("the answer is no JSON; see the option format") from None
        if not isinstance(answer, dict):
            raise _InvalidError("the answer is no JSON object")
        return answer
