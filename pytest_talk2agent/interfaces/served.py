"""What every interface to a served model does alike: options, requests side by side, what they cost, their faults."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pytest_talk2agent.interfaces.batch import audio_of, one_by_one
from pytest_talk2agent.interfaces.biasing import BiasLimit, TermSwitches, fit
from pytest_talk2agent.interfaces.budget import Budget, BudgetError
from pytest_talk2agent.interfaces.fault import ProviderError
from pytest_talk2agent.interfaces.http import Endpoint, check_base_url
from pytest_talk2agent.interfaces.key import check_key_env
from pytest_talk2agent.interfaces.payment import Paid, post_paid
from pytest_talk2agent.interfaces.prices import OUTPUT_TOKENS, Prices, price
from pytest_talk2agent.interfaces.spec import Spec, read_options, read_switches
from pytest_talk2agent.interfaces.threads import as_ready
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance


@dataclass(frozen=True)
class ServedOptions:
    """Where the model is, how patiently it is asked, and what it costs; none of it but ``base_url`` changes a text.

    ``timeout`` is in seconds, for one attempt of ``attempts``. Prices are in any one currency, that of --t2a-budget; a
    text, so that they stay exact. ``price_per_million_audio`` is for input tokens that are sound, where it differs.
    """

    base_url: str = ""
    key_env: str = ""
    timeout: float = 120.0
    attempts: int = 4
    concurrency: int = 4
    price_per_request: str = ""
    price_per_minute: str = ""
    price_per_million_input: str = ""
    price_per_million_output: str = ""
    price_per_million_audio: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 3600:
            raise ValueError(f"option timeout must be a number of seconds from 0 to 3600, not {self.timeout:g}")
        for name, value, most in (("attempts", self.attempts, 20), ("concurrency", self.concurrency, 64)):
            if not 1 <= value <= most:
                raise ValueError(f"option {name} must lie between 1 and {most}, not {value}")
        _ = self.prices

    @property
    def prices(self) -> Prices:
        """The prices; raises ValueError where one is none, or where the other half of a price per token is missing."""
        names = ("request", "minute", "input", "output", "audio")
        options = [f"price_per_{'million_' if name in names[2:] else ''}{name}" for name in names]
        given = {
            name: amount
            for name, option in zip(names, options, strict=True)
            if (amount := price(option, getattr(self, option))) is not None
        }
        if len({"input", "output"} & set(given)) == 1 or ("audio" in given and "input" not in given):
            raise ValueError("prices of tokens need both price_per_million_input and price_per_million_output")
        return Prices(**given, known=bool(given))


Options = TypeVar("Options", bound=ServedOptions)


def read_served(spec: Spec, kind: type[Options]) -> Options:
    """Read the options of a spec, as `read_options` does, and first refuse those that may hold a secret.

    The messages of `read_options` show the whole spec; those of what is refused here do not.
    """
    check_key_env(spec.options.get("key_env", ""))
    if "base_url" in spec.options:
        check_base_url(spec.options["base_url"])
    return read_options(spec, kind)


def check_temperature(text: str) -> None:
    """Raise ValueError where the option temperature is set and is no number from 0 to 2."""
    try:
        right = not text or 0 <= float(text) <= 2
    except ValueError:
        right = False
    if not right:
        raise ValueError(f"option temperature must be a number from 0 to 2, not {text!r}")


@dataclass(frozen=True)
class Request:
    """What is posted for one utterance: a JSON object, or a form with the recording as its file.

    ``text`` is what is sent beside the sound, ``sent`` the terms in it, None where the spec does not bias.
    """

    json: Mapping[str, Any] | None = None
    data: Mapping[str, str] | None = None
    files: Mapping[str, tuple[str, bytes, str]] | None = None
    text: str = ""
    sent: tuple[str, ...] | None = None


class ServedInterface(ABC):
    """A model behind an HTTP server; several recordings are under way at a time, each in a request of its own."""

    hears = True
    capabilities = frozenset({"bias"})
    inspectable = True
    batch_size = 64
    path: str
    most_output_tokens = OUTPUT_TOKENS
    bias_limit: BiasLimit

    def __init__(self, spec: Spec, options: ServedOptions) -> None:
        if spec.model is None:
            raise InterfaceError(f"interface {spec.shown!r}: no model is named; write {spec.name}:MODEL")
        self._spec = spec
        self._model = spec.model
        self._served = options
        self._prices = options.prices
        self._budget = Budget()
        self._endpoint = Endpoint(
            spec.name, options.base_url, options.key_env, timeout=options.timeout, attempts=options.attempts
        )

    @abstractmethod
    def _request(self, utterance: Utterance) -> Request:
        """What to post for an utterance; raises TranscriptionError where it takes fewer terms than there are."""

    @abstractmethod
    def _read(self, body: Mapping[str, Any]) -> Hypothesis:
        """The hypothesis that an answer holds; raises ProviderError where it holds none."""

    def check(self) -> None:
        """Raise InterfaceError where httpx is not installed or the key is not there. Sends nothing."""
        self._endpoint.check()

    def identity(self) -> Mapping[str, str]:
        """Name, model and server, and how many terms are taken where the spec biases.

        Neither key nor prices, nor how the server is asked. The model can change behind its name: nothing tells.
        """
        identity = {"name": self._spec.name, "model": self._model, "base_url": self._endpoint.base_url}
        if self._spec.bias:
            over = read_switches(self._spec, "terms_", TermSwitches).terms_over
            identity["bias"] = f"at most {self.bias_limit.most} {self.bias_limit.unit}, {over}"
        return identity

    def charge_to(self, budget: Budget) -> None:
        """Spend no more than a budget allows. Raises InterfaceError where it has a limit and prices are not known."""
        if budget.limit is not None and not self._prices.known:
            raise InterfaceError(
                f"interface {self._spec.shown!r}: a budget needs to know the price; add price_per_minute=,"
                " price_per_request= or price_per_million_input= and price_per_million_output= (0 where it is free)"
            )
        self._budget = budget

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch in order. Raises InterfaceError where the key is missing or not accepted."""
        outcomes = dict(self.arrivals(batch))
        return [outcomes[index] for index in range(len(batch))]

    def arrivals(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Hypothesis | TranscriptionError]]:
        """Transcribe a batch; yield the index and the outcome of each utterance as soon as it is there.

        Closing the generator stops what has not begun, and further attempts at what has.
        Raises InterfaceError where the key is missing or not accepted, after what was under way.
        """
        stopped = threading.Event()

        def hear(utterance: Utterance) -> Hypothesis | TranscriptionError:
            return one_by_one([utterance], lambda one: self._transcribe(one, stopped))[0]

        return as_ready(batch, hear, self._served.concurrency, stopped)

    def _terms(self, utterance: Utterance, given: str = "") -> tuple[str, ...] | None:
        """The terms to send behind a text that is given, None where the spec does not bias."""
        if not self._spec.bias:
            return None
        return fit(self._spec, utterance, self.bias_limit, lambda terms: len(joined(given, terms).encode()))

    def _transcribe(self, utterance: Utterance, stopped: threading.Event) -> Hypothesis:
        audio = audio_of(utterance)
        request = self._request(replace(utterance, audio=audio))
        where = f"task {utterance.task!r}, take {utterance.take!r}"
        most = self._prices.most(audio.seconds, request.text, self.most_output_tokens)

        def before_retry(error: ProviderError) -> None:
            if stopped.is_set():
                raise error

        try:
            paid = post_paid(
                self._endpoint,
                self.path,
                self._budget,
                self._prices,
                most,
                seconds=audio.seconds,
                before_retry=before_retry,
                json=request.json,
                data=request.data,
                files=request.files,
            )
            return self._hypothesis(paid, request)
        except ProviderError as error:
            if error.kind == "unauthorized":
                raise InterfaceError(str(error)) from None
            if error.kind == "refused":
                return Hypothesis("", {"reason": error.message}, "refused", request.sent)
            raise TranscriptionError(f"{where}: {error}") from None
        except BudgetError as error:
            raise TranscriptionError(f"{where}: {error}") from None

    def _hypothesis(self, paid: Paid, request: Request) -> Hypothesis:
        hypothesis = self._read(paid.reply.body)
        detail: dict[str, Any] = {**paid.usage.detail(), **hypothesis.detail}
        if paid.cost is not None:
            detail["cost"] = float(round(paid.cost, 9))
        served = paid.reply.body.get("model")
        if isinstance(served, str) and served != self._model:
            detail["model"] = served
        return replace(hypothesis, detail=detail, sent=request.sent)


def joined(given: str, terms: Sequence[str]) -> str:
    """Terms as a list in a sentence's place, behind a text where one is given."""
    return " ".join(filter(None, (given, ", ".join(terms))))
