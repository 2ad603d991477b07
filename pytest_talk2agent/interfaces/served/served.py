"""What every interface to a served model does alike: options, requests side by side, what they cost, their faults."""

from __future__ import annotations

import io
import threading
import wave
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_talk2agent.interfaces.batch import audio_of, one_by_one
from pytest_talk2agent.interfaces.biasing import BiasLimit, TermSwitches, fit
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_switches
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.remote.budget import Budget, BudgetError
from pytest_talk2agent.remote.client import Client
from pytest_talk2agent.remote.concurrency import as_ready
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import ServerOptions
from pytest_talk2agent.speech.audio import Audio


def wav_bytes(audio: Audio) -> bytes:
    """The samples of a recording as a WAV file in memory.

    Samples that came from 16 bits at the same rate come out as they were; resampling may overshoot full scale, which
    is cut off.
    """
    import numpy as np

    whole = np.clip(np.rint(audio.samples * 32768.0), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.rate)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()


@dataclass(frozen=True)
class ServedOptions(ServerOptions):
    """A model that hears: ``price_per_million_audio`` is for input tokens that are sound, where it differs."""

    price_per_minute: str = ""
    price_per_million_audio: str = ""


@dataclass(frozen=True)
class Request:
    """What is posted for one utterance: the ``content`` of `Endpoint.post`, a JSON object or a form with the recording.

    ``text`` is what is sent beside the sound, ``sent`` the terms in it, None where the spec does not bias.
    """

    content: Mapping[str, Any]
    text: str
    sent: tuple[str, ...] | None


class ServedInterface(Interface):
    """A model behind an HTTP server; several recordings are under way at a time, each in a request of its own."""

    capabilities = frozenset({"bias"})
    inspectable = True
    batch_size = 64
    path: str
    bias_limit: BiasLimit

    def __init__(self, spec: Spec, options: ServedOptions, most_output_tokens: int = 0) -> None:
        if spec.model is None:
            raise InterfaceError(f"interface {spec.shown!r}: no model is named; write {spec.name}:MODEL")
        self._spec = spec
        self._model = spec.model
        self._concurrency = options.concurrency
        self._most_output_tokens = most_output_tokens
        self._client = Client(spec.name, options, InterfaceError)

    @abstractmethod
    def _request(self, utterance: Utterance) -> Request:
        """What to post for an utterance; raises TranscriptionError where it takes fewer terms than there are."""

    @abstractmethod
    def _read(self, body: Mapping[str, Any]) -> Hypothesis:
        """The hypothesis that an answer holds; raises ProviderError where it holds none."""

    def check(self) -> None:
        """Raise InterfaceError where httpx is not installed or the key is not there. Sends nothing."""
        self._client.check()

    def identity(self) -> Mapping[str, str]:
        """Name, model and server, and how many terms are taken where the spec biases.

        Neither key nor prices, nor how the server is asked. The model can change behind its name: nothing tells.
        """
        identity = {"name": self._spec.name, "model": self._model, "base_url": self._client.base_url}
        if self._spec.bias:
            over = read_switches(self._spec, "terms_", TermSwitches).terms_over
            identity["bias"] = f"at most {self.bias_limit.most} {self.bias_limit.unit}, {over}"
        return identity

    def charge_to(self, budget: Budget) -> None:
        """Spend no more than a budget allows. Raises InterfaceError where it has a limit and prices are not known."""
        self._client.charge_to(budget, f"interface {self._spec.shown!r}")

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Transcribe a batch in order. Raises InterfaceError where the key is missing or not accepted."""
        outcomes = dict(self.arrivals(batch))
        return [outcomes[index] for index in range(len(batch))]

    def arrivals(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Hypothesis | TranscriptionError]]:
        """Transcribe a batch; yield the index and the outcome of each utterance as soon as it is ready.

        Closing the generator stops what has not begun, and further attempts at what has.
        Raises InterfaceError where the key is missing or not accepted, after what was under way.
        """
        stopped = threading.Event()

        def hear(utterance: Utterance) -> Hypothesis | TranscriptionError:
            return one_by_one([utterance], lambda one: self._transcribe(one, stopped))[0]

        return as_ready(batch, hear, self._concurrency, stopped)

    def _terms(self, utterance: Utterance, given: str = "") -> tuple[str, ...] | None:
        """The terms to send behind a text that is given, None where the spec does not bias."""
        if not self._spec.bias:
            return None
        return fit(self._spec, utterance, self.bias_limit, lambda terms: len(joined(given, terms).encode()))

    def _transcribe(self, utterance: Utterance, stopped: threading.Event) -> Hypothesis:
        audio = audio_of(utterance)
        request = self._request(replace(utterance, audio=audio))

        def before_retry(error: ProviderError) -> None:
            if stopped.is_set():
                raise error

        try:
            paid = self._client.post(
                self.path,
                request.text,
                output_tokens=self._most_output_tokens,
                seconds=audio.seconds,
                before_retry=before_retry,
                **request.content,
            )
            hypothesis = self._read(paid.reply.body)
        except (ProviderError, BudgetError) as error:
            if isinstance(error, ProviderError) and error.kind == "refused":
                return Hypothesis("", {"reason": error.message}, "refused", request.sent)
            raise TranscriptionError(f"task {utterance.task!r}, take {utterance.take!r}: {error}") from None
        detail = {**paid.usage.detail(), **hypothesis.detail, **paid.served(self._model)}
        return replace(hypothesis, detail=detail, sent=request.sent)


def joined(given: str, terms: Sequence[str]) -> str:
    """Terms as a list in a sentence's place, behind a text where one is given."""
    return " ".join(filter(None, (given, ", ".join(terms))))
