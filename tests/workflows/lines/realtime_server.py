"""A realtime server on loopback, in both forms of the protocol; each event is checked against the SDK's own types.

It hears by loudness, answers as its brain says, speaks faster than real time, and stops when the user sets in.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from openai import BaseModel
from openai.types import realtime as ga_types
from openai.types.beta import realtime as beta_types
from pydantic import TypeAdapter, ValidationError
from websockets.asyncio.server import ServerConnection

from pytest_talk2agent.workflows.agents.protocol import Call, Reply, Returned
from tests.workflows.lines.brain import RATE
from tests.workflows.lines.vendor_server import VendorCall, VendorServer

_BETA_NAMES = {
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
}


@cache
def _types(form: str) -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    """What the SDK takes from a server, and what a server takes from it."""
    module: Any = ga_types if form == "ga" else beta_types
    return TypeAdapter(module.RealtimeServerEvent), TypeAdapter(module.RealtimeClientEvent)


def unknown_fields(value: Any, place: str = "") -> list[str]:
    """Fields that the SDK's types do not have: its models keep them without a word."""
    found: list[str] = []
    if isinstance(value, BaseModel):
        found += [f"{place}.{name}" for name in value.model_extra or {}]
        for name in type(value).model_fields:
            found += unknown_fields(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            found += unknown_fields(one, f"{place}[{number}]")
    return found


@dataclass
class RealtimeServer(VendorServer):
    """The realtime API, and what it saw of all calls; ``form`` is that of the protocol, "ga" or "beta"."""

    form: str = "ga"

    def __post_init__(self) -> None:
        _types(self.form)  # to build them takes longer than a caller waits

    def call(self, connection: ServerConnection) -> VendorCall:
        return _Call(self, connection)

    def got_types(self) -> list[str]:
        """The types of what it got, without the sound."""
        return [one["type"] for one in self.got if one["type"] != "input_audio_buffer.append"]


class _Call(VendorCall):
    def __init__(self, server: RealtimeServer, connection: ServerConnection) -> None:
        super().__init__(server, connection, RATE)
        self._server = server
        self._session: dict[str, Any] = {}
        self._active = ""
        self._spoke = False
        self._calls: dict[str, str] = {}
        self._items: dict[str, int] = {}

    async def _accepted(self) -> None:
        await self._emit("session.created", session=self._plain_session())

    def _check(self, event: dict[str, Any]) -> None:
        _, client = _types(self._server.form)
        try:
            extra = unknown_fields(client.validate_python(event))
        except ValidationError as error:
            extra = [str(error)]
        self._server.wrong += [f"{event.get('type')}: {one}" for one in extra]

    async def _take(self, event: dict[str, Any]) -> None:
        name = event["type"]
        if name == "session.update":
            await self._moment("session")
            self._session = event["session"]
            await self._emit("session.updated", session=self._plain_session())
        elif name == "input_audio_buffer.append":
            await self._hear(base64.b64decode(event["audio"]))
        elif name == "input_audio_buffer.commit":
            await self._commit()
        elif name == "input_audio_buffer.clear":
            await self._emit("input_audio_buffer.cleared")
        elif name == "conversation.item.create":
            await self._create(event["item"])
        elif name == "conversation.item.truncate":
            await self._truncate(event)
        elif name == "conversation.item.delete":
            await self._emit("conversation.item.deleted", item_id=event["item_id"])
        elif name == "response.create":
            if self._active:
                await self._refuse("conversation_already_has_active_response", "a reply is under way", event)
            else:
                self._reply()
        elif name == "response.cancel":
            if not self._active:
                await self._refuse("response_cancel_not_active", "no reply is under way", event)
            await self._stop("client_cancelled")

    # What it hears

    def _detection(self) -> Mapping[str, Any] | None:
        if self._server.form == "beta":
            return self._session.get("turn_detection")
        detection: Mapping[str, Any] | None = self._session.get("audio", {}).get("input", {}).get("turn_detection")
        return detection

    async def _hear(self, pcm: bytes) -> None:
        detection = self._detection()
        edge = self._ears.hear(pcm)
        if detection is None or not edge:
            return
        at, item = int(self._ears.heard_ms), f"item_u{next(self._ids)}"
        if edge == "started":
            await self._emit("input_audio_buffer.speech_started", audio_start_ms=at, item_id=item)
            if detection.get("interrupt_response", True) and self._server.yields:
                await self._stop("turn_detected")
        else:
            await self._emit("input_audio_buffer.speech_stopped", audio_end_ms=at, item_id=item)
            await self._commit()
            if detection.get("create_response", True) and not self._active:
                self._reply()

    async def _commit(self) -> None:
        item = f"item_u{next(self._ids)}"
        self._spoke = True
        await self._emit("input_audio_buffer.committed", item_id=item, previous_item_id=None)
        content = [{"type": "input_audio", "transcript": None}]
        await self._added({"id": item, "type": "message", "role": "user", "status": "completed", "content": content})
        transcript = {"item_id": item, "content_index": 0, "transcript": "what the user said"}
        usage = {"type": "duration", "seconds": 1.0}
        await self._emit("conversation.item.input_audio_transcription.completed", **transcript, usage=usage)

    async def _create(self, item: dict[str, Any]) -> None:
        if item["type"] == "function_call_output":
            name = self._calls.pop(item["call_id"], "")
            if not name:
                self._server.wrong.append(f"a result of no call: {item['call_id']}")
            self._results.append(Returned(item["call_id"], name, json.loads(item["output"])))
        await self._added({"id": f"item_c{next(self._ids)}", "status": "completed", **item})

    async def _truncate(self, event: dict[str, Any]) -> None:
        length = self._items.get(event["item_id"], 0)
        if not 0 < event["audio_end_ms"] <= length:
            await self._refuse("invalid_value", f"audio_end_ms is not within {length} ms", event)
            return
        fields = {name: event[name] for name in ("item_id", "content_index", "audio_end_ms")}
        await self._emit("conversation.item.truncated", **fields)

    # What it says

    def _reply(self) -> None:
        self._active = f"resp_{next(self._ids)}"
        spoke, self._spoke = self._spoke, False
        self._begin(spoke=spoke)

    async def _answer(self, spoke: bool) -> None:
        response, results = self._active, await self._next_results()
        await self._emit("response.created", response=self._response(response, "in_progress"))
        reply = self._brain.reply(spoke, results)
        output: list[dict[str, Any]] = []
        if reply.text.strip():
            output.append(await self._say(response, reply))
        calls = list(reply.calls)
        if reply.end_call:
            calls.append(Call(f"call_end{next(self._ids)}", "end_call", {}))
        for call in calls:
            output.append(await self._call(response, len(output), call))
        self._active = ""
        await self._emit("response.done", response=self._response(response, "completed", output))

    async def _say(self, response: str, reply: Reply) -> dict[str, Any]:
        item = f"item_a{next(self._ids)}"
        place = {"response_id": response, "item_id": item, "output_index": 0, "content_index": 0}
        message = {"id": item, "type": "message", "role": "assistant", "content": []}
        await self._emit(
            "response.output_item.added", response_id=response, output_index=0, item=message | {"status": "in_progress"}
        )
        await self._added(message | {"status": "in_progress"})
        await self._emit("response.content_part.added", **place, part={"type": "audio", "transcript": ""})
        async for delta, chunk in self._pieces(reply.text):
            if delta:
                await self._emit("response.output_audio_transcript.delta", **place, delta=delta)
            self._items[item] = self._items.get(item, 0) + len(chunk) * 500 // RATE
            await self._emit("response.output_audio.delta", **place, delta=base64.b64encode(chunk).decode())
        await self._emit("response.output_audio.done", **place)
        await self._emit("response.output_audio_transcript.done", **place, transcript=reply.text)
        await self._emit("response.content_part.done", **place, part={"type": "audio", "transcript": reply.text})
        kind = "output_audio" if self._server.form == "ga" else "audio"
        done = message | {"status": "completed", "content": [{"type": kind, "transcript": reply.text}]}
        await self._emit("response.output_item.done", response_id=response, output_index=0, item=done)
        return done

    async def _call(self, response: str, index: int, call: Call) -> dict[str, Any]:
        item = f"item_f{next(self._ids)}"
        call_id = f"call_{next(self._ids)}"
        self._calls[call_id] = call.name
        arguments = call.args if isinstance(call.args, str) else json.dumps(call.args)
        place = {"response_id": response, "output_index": index}
        made = {"id": item, "type": "function_call", "call_id": call_id, "name": call.name}
        begun = made | {"status": "in_progress", "arguments": ""}
        await self._emit("response.output_item.added", **place, item=begun)
        await self._added(begun)
        for part in (arguments[:10], arguments[10:]):
            place_of_arguments = place | {"item_id": item, "call_id": call_id}
            await self._emit("response.function_call_arguments.delta", **place_of_arguments, delta=part)
        await self._moment("call")
        named = {"name": call.name} if self._server.form == "ga" else {}
        await self._emit(
            "response.function_call_arguments.done",
            **place,
            item_id=item,
            call_id=call_id,
            arguments=arguments,
            **named,
        )
        done = made | {"status": "completed", "arguments": arguments}
        await self._emit("response.output_item.done", **place, item=done)
        return done

    async def _stop(self, reason: str) -> None:
        if not self._active:
            return
        response, self._active = self._active, ""
        await self.end()
        details = {"type": "cancelled", "reason": reason}
        await self._emit("response.done", response=self._response(response, "cancelled") | {"status_details": details})

    def _response(self, identity: str, status: str, output: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        made: dict[str, Any] = {"id": identity, "object": "realtime.response", "status": status}
        made |= {"status_details": None, "output": list(output), "usage": None}
        if status == "completed":
            made["usage"] = {
                "total_tokens": 30,
                "input_tokens": 20,
                "output_tokens": 10,
                "input_token_details": {"text_tokens": 5, "audio_tokens": 15, "cached_tokens": 0},
                "output_token_details": {"text_tokens": 2, "audio_tokens": 8},
            }
        return made

    # Events

    def _plain_session(self) -> dict[str, Any]:
        session = dict(self._session)
        if self._server.form == "ga":
            return {"type": "realtime", **session}
        return {"id": "sess_1", **session}

    async def _added(self, item: dict[str, Any]) -> None:
        if self._server.form == "beta":
            await self._emit("conversation.item.created", item=item, previous_item_id=None)
            return
        await self._emit("conversation.item.added", item=item, previous_item_id=None)
        if item.get("status") == "completed":
            await self._emit("conversation.item.done", item=item, previous_item_id=None)

    async def _refuse(self, code: str, message: str, event: Mapping[str, Any]) -> None:
        error = {"type": "invalid_request_error", "code": code, "message": message, "event_id": event.get("event_id")}
        await self._emit("error", error=error)

    async def _emit(self, name: str, /, **fields: Any) -> None:
        if self._server.form == "beta":
            name = _BETA_NAMES.get(name, name)
        event = {"event_id": f"event_{next(self._ids)}", "type": name, **fields}
        if await self._twisted(event):
            return
        server, _ = _types(self._server.form)
        try:
            extra = unknown_fields(server.validate_python(event))
        except ValidationError as error:
            extra = [str(error)]
        self._server.wrong += [f"{name}: {one}" for one in extra]
        await self._connection.send(json.dumps(event))
