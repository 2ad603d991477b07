"""OpenAI's realtime protocol without its connection: events in, events and messages out.

What it owes to experience (apex-voice.md 5.2, vamos.md 8): one reply at a time; all results of parallel calls, then
one `response.create`; a call that a barge-in cut is skipped; what was not played is taken out of the conversation.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

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
from pytest_talk2agent.workflows.lines.limits import Progress, counted_usage
from pytest_talk2agent.workflows.lines.realtime_calls import Calls
from pytest_talk2agent.workflows.lines.realtime_faults import fault_in_reply, harm_of
from pytest_talk2agent.workflows.lines.realtime_forms import RealtimeOptions, canonical
from pytest_talk2agent.workflows.lines.vendor_line import HANG_UP, OPEN_LINE, Talk

Message = dict[str, Any]


class RealtimeTalk(Talk):
    """One call."""

    def __init__(self, options: RealtimeOptions, *, greets: bool) -> None:
        super().__init__(options, greets=greets)
        self._options = options
        self._numbers = 0
        self.begin()

    def begin(self) -> None:
        """Greet, or wait for the user."""
        self._calls = Calls()
        self._active: str | None = None
        self._asked = self._wants = self._owed = self._leaving = self._speaking = False
        self._dropped: set[str] = set()
        self._sounded: dict[str, float] = {}
        self._open: dict[str, str] = {}
        self._worded: set[str] = set()
        self._sent_kinds: dict[str, str] = {}
        self._deletions: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._messages.clear()
        if self._greets:
            said = {"type": "input_text", "text": OPEN_LINE}
            item = {"type": "message", "role": "user", "content": [said]}
            self._send("greeting", type="conversation.item.create", item=item)
            self._wants = True
            self._settle()

    # From the session

    def frame(self, pcm: bytes) -> None:
        """Send the next frame; where this client finds the turns, only those of a turn."""
        edge = self._ears.hear(pcm)
        self._voiced = self._voiced or edge == "onset"
        if edge == "onset" and self._options.cancel == "client":
            self._cancel()
        if self._options.vad != "none":
            self._append(pcm)
        elif self._ears.speaking or edge in ("turn", "murmur"):
            for earlier in (*self._before, pcm):
                self._append(earlier)
            self._before.clear()
        else:
            self._before.append(pcm)
        if edge == "turn" and not self._open and self._active is None:
            self._owed = True
        if self._options.vad == "none" and edge == "turn":
            self._send("commit", type="input_audio_buffer.commit")
            self._wants = True
            self._settle()
        elif self._options.vad == "none" and edge == "murmur":
            self._send("clear", type="input_audio_buffer.clear")

    def returned(self, results: Sequence[Returned]) -> None:
        """Send results; the last one of those that are out asks for a reply."""
        for result in results:
            self._calls.answered(result.call_id)
            item = {"type": "function_call_output", "call_id": result.call_id, "output": told(result)}
            self._send("output", type="conversation.item.create", item=item)
        if results:
            self._wants = True
            self._settle()

    def played(self, item: str, heard_ms: int, *, whole: bool) -> None:
        """Take out of the conversation what was not heard of an utterance: the rest of it, or all."""
        response = self._open.pop(item, None)
        if response is None or whole:
            return
        end = min(heard_ms, int(self._sounded.get(item, 0)))
        if end > 0:
            self._send("truncate", type="conversation.item.truncate", item_id=item, content_index=0, audio_end_ms=end)
        elif response == self._active:  # servers refuse to cut to nothing, and to delete what they still make
            self._deletions[item] = response
        else:
            self._send("delete", type="conversation.item.delete", item_id=item)

    # From the server

    def take(self, event: Any) -> None:
        """Take an event; of an unknown type, nothing follows."""
        if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
            raise LineError("call", f"what the server sent is no event: {str(event)[:80]}")
        name = canonical(event["type"])
        try:
            if name.startswith("response."):
                self._signs += 1
                self._reply(name, event)
            else:
                self._input(name, event)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise LineError("call", f"an event of the server that is not of the protocol, {name} ({what})") from None

    def _reply(self, name: str, event: Mapping[str, Any]) -> None:
        if name == "response.created":
            self._active, self._asked, self._wants = _text(event["response"], "id"), False, False
            self._owed = False
        elif name == "response.output_audio.delta":
            self._sound(_text(event, "item_id"), _text(event, "response_id"), _text(event, "delta"))
        elif name == "response.output_audio_transcript.delta":
            self._words(event, _text(event, "delta"))
        elif name == "response.output_audio_transcript.done" and event["item_id"] not in self._worded:
            self._words(event, _text(event, "transcript"))
        elif name == "response.output_text.delta":
            self._words(event, _text(event, "delta"))
        elif name == "response.output_item.added":
            self._calls.named(event["item"])
        elif name == "response.output_item.done":
            self._called(self._calls.item_done(event["item"], _text(event, "response_id")))
        elif name == "response.function_call_arguments.done":
            self._called(self._calls.arguments_done(event))
        elif name == "response.done":
            self._done(event["response"])

    def _input(self, name: str, event: Mapping[str, Any]) -> None:
        if name == "input_audio_buffer.speech_started":
            self._speaking = True
            if self._options.interrupts:
                self._drop()
        elif name == "input_audio_buffer.speech_stopped":
            self._speaking = False
        elif name == "input_audio_buffer.committed" and self._options.vad != "none":
            self._speaking, self._owed = False, True
        elif name == "conversation.item.input_audio_transcription.completed":
            self._events.append(Heard(_text(event, "transcript")))
        elif name == "error":
            self._error(event["error"])

    def _sound(self, item: str, response: str, delta: str) -> None:
        if response in self._dropped:
            return
        try:
            pcm = base64.b64decode(delta, validate=True)
        except (binascii.Error, ValueError):
            raise LineError("call", "the server sent sound that is no base64") from None
        if pcm:
            self._sounded[item] = self._sounded.get(item, 0) + len(pcm) / 2 / SAMPLE_RATE * 1000
            self._open[item] = response
            self._spoke = True
            self._events.append(Sound(pcm, SAMPLE_RATE, item))

    def _words(self, event: Mapping[str, Any], text: str) -> None:
        item, response = _text(event, "item_id"), _text(event, "response_id")
        if text and response not in self._dropped:
            self._worded.add(item)
            self._events.append(Words(text, item))

    def _called(self, calls: Sequence[Call]) -> None:
        for call in calls:
            self._acted = True
            if call.name == HANG_UP:
                self._leaving = True
                self._calls.answered(call.call_id)
                self._events.append(Left("the agent hung up"))
            else:
                self._events.append(Called(call))

    def _done(self, response: Mapping[str, Any]) -> None:
        status = response.get("status")
        identity = _text(response, "id")
        if fault := fault_in_reply(response):
            raise LineError("call", fault)
        calls, cut = self._calls.reply_done(response, cut=status in ("cancelled", "incomplete"))
        self._called(calls)
        self._counts["calls_cut"] = self._counts.get("calls_cut", 0) + cut
        self._counts["incomplete"] = int(status == "incomplete")
        self._events.append(Finished(self._usage(response.get("usage")), cancelled=status == "cancelled"))
        self._active = None
        for item in [item for item, its in self._deletions.items() if its == identity]:
            del self._deletions[item]
            self._send("delete", type="conversation.item.delete", item_id=item)
        self._settle()

    def _error(self, error: Mapping[str, Any]) -> None:
        kind = self._sent_kinds.get(str(error.get("event_id")), "")
        harm = harm_of(error, kind)
        if harm:
            raise LineError("call", harm)
        self._counts["errors_ignored"] = self._counts.get("errors_ignored", 0) + 1
        if kind == "create" or error.get("code") == "conversation_already_has_active_response":
            self._asked, self._wants = False, True
            # The reply that is in the way may not have begun when the results were sent; it is waited for.
            self._active = self._active or ""

    # What follows

    def _settle(self) -> None:
        """Ask for a reply where one is wanted and nothing is in its way."""
        blocked = self._active is not None or self._asked or self._calls.out() or self._leaving or self._speaking
        if self._wants and not blocked:
            self._wants, self._asked = False, True
            self._send("create", type="response.create")

    def _cancel(self) -> None:
        """The client stops the reply for the agent."""
        if self._active:
            self._send("cancel", type="response.cancel", response_id=self._active)
        self._drop()

    def _drop(self) -> None:
        """What was not played yet is thrown away."""
        if self._active:
            self._dropped.add(self._active)
        if self._open:
            self._events.append(Flushed())

    def _append(self, pcm: bytes) -> None:
        self._messages.append({"type": "input_audio_buffer.append", "audio": base64.b64encode(pcm).decode()})

    def _send(self, kind: str, **message: Any) -> None:
        self._numbers += 1
        identity = f"t2a_{self._numbers}"
        self._sent_kinds[identity] = kind
        self._messages.append({"event_id": identity, **message})

    def _usage(self, usage: Any) -> dict[str, int | float]:
        counts, self._counts = {name: count for name, count in self._counts.items() if count}, {}
        usage = usage if isinstance(usage, Mapping) else {}
        inputs, outputs = _mapping(usage.get("input_token_details")), _mapping(usage.get("output_token_details"))
        heard, said = _count(inputs.get("audio_tokens")), _count(outputs.get("audio_tokens"))
        took, gave = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
        cost = self._options.cost(max(0, took - heard), max(0, gave - said), heard, said)
        sums = {"tokens": took + gave, "input_tokens": took, "output_tokens": gave}
        return counted_usage(sums | {"audio_input_tokens": heard, "audio_output_tokens": said} | counts, cost)

    def progress(self) -> Progress:
        """A reply is due that was asked for, or that the server owes for what the user said."""
        due = self._asked or self._active is not None or (self._owed and not self._leaving and not self._calls.out())
        return Progress(due and not self._leaving, self._signs, self._spoke)


def told(result: Returned) -> str:
    """A result as the agent reads it, never an empty text."""
    import json

    return json.dumps(result.told, ensure_ascii=False, default=str)


def _text(event: Mapping[str, Any], name: str) -> str:
    if not isinstance(event[name], str):
        raise TypeError(f"{name} is no text")
    return str(event[name])


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
