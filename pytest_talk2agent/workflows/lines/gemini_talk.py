"""Gemini's live protocol without its connection: messages of the SDK's types in, events and messages out.

The server finds the turns and breaks a reply off where the user sets in (``interrupted``). It assumes that what it
sent is played in real time, so it takes no word of what was heard. With ``vad=none`` this client brackets the turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.remote.option_text import check_between, check_one_of
from pytest_talk2agent.workflows.agents.protocol import Call, Returned
from pytest_talk2agent.workflows.agents.voice import (
    SAMPLE_RATE,
    Called,
    Finished,
    Flushed,
    Heard,
    Left,
    LineError,
    Sound,
    Words,
)
from pytest_talk2agent.workflows.lines.limits import LineOptions, Progress, counted_usage
from pytest_talk2agent.workflows.lines.vendor_line import HANG_UP, OPEN_LINE, Talk

if TYPE_CHECKING:
    from google.genai import types

HEARD_RATE = 16_000
"""Samples a second of what the API hears; it speaks at 24,000."""
_RATE = re.compile(r"rate=(\d+)")
Message = tuple[str, Any]
"""What is to be sent: "audio", "text", "activity" (its beginning or end) or "results", and it."""


@dataclass(frozen=True)
class GeminiOptions(LineOptions):
    """How a session is configured. ``vad`` "none" has this client find the turns. ``transcribe`` 0 asks for no words.

    ``api`` is the version in the address.
    """

    vad: str = "server"
    voice: str = ""
    transcribe: int = 1
    max_tokens: int = 0
    api: str = "v1beta"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of(self, "vad", ("server", "none"))
        check_between(self, "transcribe", 0, 1)
        check_between(self, "max_tokens", 0, 65_536)


class GeminiTalk(Talk):
    """One call."""

    def __init__(self, options: GeminiOptions, *, greets: bool) -> None:
        import soxr

        super().__init__(options, greets=greets)
        self._options = options
        self._down = soxr.ResampleStream(SAMPLE_RATE, HEARD_RATE, 1, dtype="int16")
        self._turn = 0
        self.begin()

    def begin(self) -> None:
        """Greet, or wait for the user."""
        self._active = self._owed = self._interrupted = self._leaving = False
        self._open: set[str] = set()
        self._out: dict[str, str] = {}
        self._answers: list[Returned] = []
        self._heard = ""
        self._usage: Any = None
        self._cut = 0
        self._messages.clear()
        if self._greets:
            self._owed = True
            self._messages.append(("text", OPEN_LINE))

    # From the session

    def frame(self, pcm: bytes) -> None:
        """Send the next frame; where this client finds the turns, only those of a turn."""
        edge = self._ears.hear(pcm)
        self._voiced = self._voiced or edge == "onset"
        low = self._resampled(pcm)  # the resampler gives nothing, or more, now and then
        if self._options.vad != "none":
            self._audio([low])
        elif self._ears.speaking or edge in ("turn", "murmur"):
            if edge == "onset":
                self._messages.append(("activity", "start"))
            self._audio([*self._before, low])
            self._before.clear()
            if edge in ("turn", "murmur"):
                self._messages.append(("activity", "end"))
        else:
            self._before.append(low)
        if edge == "turn" and not self._open and not self._active:
            self._owed = True

    def returned(self, results: Sequence[Returned]) -> None:
        """Send results, all of those that are out together."""
        for result in results:
            if self._out.pop(result.call_id, None) is not None:
                self._answers.append(result)
        if self._answers and not self._out:
            answers, self._answers = self._answers, []
            self._owed = True
            self._messages.append(("results", answers))

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """An utterance is over; the API takes no word of how much of it was heard."""
        self._open.discard(item)

    # From the server

    def take(self, event: Any) -> None:
        """Take a message."""
        message: types.LiveServerMessage = event
        if message.usage_metadata is not None:
            self._usage = message.usage_metadata
        if message.server_content is not None:
            self._signs += 1
            self._content(message.server_content)
        if message.tool_call is not None:
            self._signs += 1
            self._called(message.tool_call.function_calls or [])
        if message.tool_call_cancellation is not None:
            self._cancelled(message.tool_call_cancellation.ids or [])

    def _content(self, content: types.LiveServerContent) -> None:
        item = f"turn{self._turn + 1}"
        if content.input_transcription is not None:
            self._heard += content.input_transcription.text or ""
        if content.interrupted:
            self._interrupted = True
            if self._open:
                self._events.append(Flushed())
        parts = (content.model_turn.parts or []) if content.model_turn is not None else []
        said = content.output_transcription.text if content.output_transcription is not None else None
        if parts or said:
            self._replying()
        for part in parts:
            if part.inline_data is not None and part.inline_data.data and not self._interrupted:
                self._sound(part.inline_data.data, part.inline_data.mime_type or "", item)
        if said and not self._interrupted:
            self._events.append(Words(said, item))
        if content.generation_complete:
            self._active = False  # the turn goes on until the server thinks that it was played
        if content.turn_complete:
            self._hear()
            cut, self._cut = self._cut, 0
            usage = self._counted() | ({"calls_cut": cut} if cut else {})
            self._events.append(Finished(usage, cancelled=self._interrupted))
            self._turn += 1
            self._active = self._owed = self._interrupted = False

    def _sound(self, data: bytes, kind: str, item: str) -> None:
        if not kind.startswith("audio/pcm"):
            raise LineError("call", f"the server speaks in {kind or 'a form that it does not name'}, not in PCM16")
        named = _RATE.search(kind)
        rate = int(named[1]) if named else SAMPLE_RATE
        if not 8_000 <= rate <= 48_000:
            raise LineError("call", f"the server speaks at {rate} samples a second")
        self._spoke = True
        self._open.add(item)
        self._events.append(Sound(data, rate, item))

    def _called(self, calls: Sequence[types.FunctionCall]) -> None:
        self._replying()
        for call in calls:
            self._acted = True
            if call.name == HANG_UP:
                self._leaving = True
                self._events.append(Left("the agent hung up"))
                continue
            if not call.id:
                raise LineError("call", "the server sent a call without an id")
            self._out[call.id] = call.name or ""
            self._events.append(Called(Call(call.id, call.name or "", dict(call.args or {}))))

    def _cancelled(self, ids: Sequence[str]) -> None:
        """Calls that a barge-in cut are skipped where the session was not told of them yet; else none is answered."""
        for call_id in ids:
            told = [one for one in self._events if isinstance(one, Called) and one.call.call_id == call_id]
            if told:
                self._events.remove(told[0])
                self._cut += 1
            self._out.pop(call_id, None)

    def _audio(self, pieces: Sequence[bytes]) -> None:
        self._messages += [("audio", piece) for piece in pieces if piece]

    def _replying(self) -> None:
        """The server reacts."""
        if not self._active:
            self._hear()
        self._active, self._owed = True, False

    def _hear(self) -> None:
        if self._heard.strip():
            self._events.append(Heard(self._heard.strip()))
        self._heard = ""

    def _resampled(self, pcm: bytes) -> bytes:
        import numpy as np

        return bytes(self._down.resample_chunk(np.frombuffer(pcm, dtype="<i2")).astype("<i2").tobytes())

    def _counted(self) -> dict[str, int | float]:
        usage, self._usage = self._usage, None
        if usage is None:
            return {}
        took, gave = usage.prompt_token_count or 0, usage.response_token_count or 0
        heard, said = _sound_tokens(usage.prompt_tokens_details), _sound_tokens(usage.response_tokens_details)
        cost = self._options.cost(max(0, took - heard), max(0, gave - said), heard, said)
        sums = {"tokens": took + gave, "input_tokens": took, "output_tokens": gave}
        return counted_usage(sums | {"audio_input_tokens": heard, "audio_output_tokens": said}, cost)

    def progress(self) -> Progress:
        """A reply is due that was asked for, or that goes on while no call of it waits."""
        due = (self._owed or self._active) and not self._out and not self._leaving
        return Progress(due, self._signs, self._spoke)


def _sound_tokens(details: Any) -> int:
    """Tokens of sound among those that are told by their kind."""
    return sum(one.token_count or 0 for one in details or () if str(one.modality).endswith("AUDIO"))


def config_of(options: GeminiOptions, instructions: str, declarations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The configuration of a session, as the SDK's ``LiveConnectConfig`` reads it."""
    config: dict[str, Any] = {
        "response_modalities": ["AUDIO"],
        "system_instruction": instructions,
        "tools": [{"function_declarations": list(declarations)}],
        "realtime_input_config": {"automatic_activity_detection": {"disabled": options.vad == "none"}},
    }
    if options.transcribe:
        config |= {"output_audio_transcription": {}, "input_audio_transcription": {}}
    if options.voice:
        config["speech_config"] = {"voice_config": {"prebuilt_voice_config": {"voice_name": options.voice}}}
    if options.max_tokens:
        config["max_output_tokens"] = options.max_tokens
    return config
