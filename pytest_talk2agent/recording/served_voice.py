"""``openai:MODEL?voice=NAME``: a voice behind an endpoint for speech of the OpenAI protocol (``audio/speech``)."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_talk2agent.recording.voices import Speech, Voice, VoiceError, VoiceSpec
from pytest_talk2agent.remote.budget import BudgetError
from pytest_talk2agent.remote.client import Client
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import ServerOptions, read_options

PATH = "audio/speech"


@dataclass(frozen=True)
class SpeechOptions(ServerOptions):
    """How a served voice is asked; ``speed`` and ``instructions`` are sent where they are given."""

    voice: str = "alloy"
    speed: str = ""
    instructions: str = ""


class ServedVoice(Voice):
    """Asks for each script as WAV. Servers promise no two equal answers."""

    stable = False

    def __init__(self, spec: VoiceSpec) -> None:
        if not spec.voice:
            raise VoiceError(f"voice {spec.text!r}: name the model: openai:MODEL?voice=NAME")
        self._model = spec.voice
        try:
            self._options = read_options(spec.options, SpeechOptions, "openai")
            self._client = Client(f"voice {spec.label}", self._options, SetupError)
        except (SetupError, ValueError) as error:
            raise VoiceError(f"voice {spec.label}: {error}") from None
        self._label = spec.label

    def check(self) -> None:
        """Raise VoiceError where httpx is not installed or the key is not there. Sends nothing."""
        try:
            self._client.check()
        except SetupError as error:
            raise VoiceError(str(error)) from None

    def _fields(self) -> dict[str, str | float]:
        fields: dict[str, str | float] = {"model": self._model, "voice": self._options.voice, "response_format": "wav"}
        if self._options.speed:
            fields["speed"] = float(self._options.speed)
        if self._options.instructions:
            fields["instructions"] = self._options.instructions
        return fields

    def identity(self) -> Mapping[str, str]:
        """Model, server, voice and what else is sent."""
        sent = {name: str(value) for name, value in self._fields().items()}
        return {"engine": "openai", "base_url": self._client.base_url, **sent}

    def speak(self, text: str) -> Speech:
        """Ask for the sound of a text; raises VoiceError where none comes back."""
        import soundfile

        request = {**self._fields(), "input": text}
        try:
            reply = self._client.post(PATH, json.dumps(request), json=request).reply
        except (ProviderError, SetupError, BudgetError) as error:
            raise VoiceError(f"voice {self._label}: {error}") from None
        sound = reply.body.get("audio")
        if not isinstance(sound, bytes):
            raise VoiceError(f"voice {self._label}: the answer is no sound")
        try:
            samples, rate = soundfile.read(io.BytesIO(sound), dtype="float64", always_2d=True)
        except (soundfile.LibsndfileError, ValueError) as error:
            raise VoiceError(f"voice {self._label}: the answer is no sound that can be read ({error})") from None
        return samples.mean(axis=1), rate
