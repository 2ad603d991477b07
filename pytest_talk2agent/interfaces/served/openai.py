"""``openai:MODEL``: a model behind ``/v1/audio/transcriptions``, at OpenAI or at any server that speaks its protocol.

A request holds the recording and the model; every other field is sent only where an option sets it, as servers differ
in what they take: ``openai:whisper-large-v3?base_url=https://api.groq.com/openai/v1&key_env=GROQ_API_KEY&language=en``.

With ``+bias`` the terms go, joined by commas, into the field ``bias_field``: ``prompt``, or ``hotwords`` or
``keywords`` where the server has one. Whisper reads no more than the last 224 tokens of a prompt and says nothing about
the rest. In lists of paths, file names and code a token is two characters or more (2.3 to 2.9 on average with Whisper's
tokenizer), so 448 characters are taken, a letter beyond ASCII counting as its bytes in UTF-8; ``bias_limit`` is for
servers that take more, or less.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.interfaces.batch import audio_of
from pytest_talk2agent.interfaces.biasing import BiasLimit
from pytest_talk2agent.interfaces.served.served import Request, ServedInterface, ServedOptions, joined, wav_bytes
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, Utterance
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import check_one_of, read_temperature

BIAS_FIELDS = ("prompt", "hotwords", "keywords")
FORMATS = ("json", "verbose_json")


@dataclass(frozen=True)
class OpenAIOptions(ServedOptions):
    """``language``, ``prompt``, ``response_format`` and ``temperature`` are fields of the request, sent where set."""

    language: str = ""
    prompt: str = ""
    response_format: str = ""
    temperature: str = ""
    bias_field: str = "prompt"
    bias_limit: int = 448

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.response_format:
            check_one_of(self, "response_format", FORMATS)
        if self.bias_field not in BIAS_FIELDS:
            raise ValueError(f"option bias_field must be one of {', '.join(BIAS_FIELDS)}, not {self.bias_field!r}")
        if self.bias_limit < 1:
            raise ValueError(f"option bias_limit must be at least 1, not {self.bias_limit}")
        if self.temperature:
            read_temperature(self.temperature)

    def fields(self) -> dict[str, str]:
        """The fields of a request that options set."""
        names = ("language", "prompt", "response_format", "temperature")
        return {name: value for name in names if (value := vars(self)[name])}


class OpenAIInterface(ServedInterface):
    """One form for each recording, which goes as 16-bit WAV."""

    path = "audio/transcriptions"

    def __init__(self, spec: Spec) -> None:
        self._options = read_options(spec, OpenAIOptions)
        self.bias_limit = BiasLimit(self._options.bias_limit, "characters")
        super().__init__(spec, self._options)

    def identity(self) -> Mapping[str, str]:
        """Name, model, server, the fields that are set and, where the spec biases, the one that takes the terms."""
        bias = {"bias_field": self._options.bias_field} if self._spec.bias else {}
        return {**super().identity(), **self._options.fields(), **bias}

    def _request(self, utterance: Utterance) -> Request:
        fields = {"model": self._model, **self._options.fields()}
        field = self._options.bias_field
        terms = self._terms(utterance, fields.get(field, ""))
        if terms:
            fields[field] = joined(fields.get(field, ""), terms)
        text = " ".join(fields.get(name, "") for name in BIAS_FIELDS)
        files = {"file": ("audio.wav", wav_bytes(audio_of(utterance)), "audio/wav")}
        return Request({"data": fields, "files": files}, text, terms)

    def _read(self, body: Mapping[str, Any]) -> Hypothesis:
        text = body.get("text")
        if not isinstance(text, str):
            raise ProviderError("malformed", "the answer has no field text")
        language = body.get("language")
        return Hypothesis(" ".join(text.split()), {"language": language} if isinstance(language, str) else {})
