"""A realtime server on loopback, in both forms of the protocol; each event is checked against the SDK's own types.

It hears by loudness, answers as its brain says, speaks faster than real time, and stops when the user sets in.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from openai import BaseModel
from openai.types import realtime as ga_types
from openai.types.beta import realtime as beta_types
from pydantic import TypeAdapter, ValidationError
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from pytest_talk2agent.workflows.agents.protocol import Call, Reply, Returned
from tests.workflows.lines.brain import RATE, Brain, Ears, MakeTalker, spoken, voice
from tests.workflows.lines.faults import Fault, Moment, OverError

CHUNK_MS = 100
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
class RealtimeServer:
    """What it is like, and what it saw of all calls.

    ``speed`` is how many times faster than real time it speaks. ``twist`` changes an event before it is sent, or drops
    it with None; a twisted event is not checked.
    """

    talker: MakeTalker
    form: str = "ga"
    fault: Fault | None = None
    twist: Any = None
    speed: float = 8.0
    yields: bool = True
    onset_ms: int = 100
    calls: int = 0
    got: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        _types(self.form)  # to build them takes longer than a caller waits

    async def __call__(self, connection: ServerConnection) -> None:
        self.calls += 1
        assert connection.request is not None
        self.headers.append(dict(connection.request.headers))
        call = _Call(self, connection)
        try:
            await call.run()
        except (ConnectionClosed, OverError):
            pass
        finally:
            await call.end()

    def got_types(self) -> list[str]:
        """The types of what it got, without the sound."""
        return [one["type"] for one in self.got if one["type"] != "input_audio_buffer.append"]


class _Call:
    def __init__(self, server: RealtimeServer, connection: ServerConnection) -> None:
        self._server, self._connection = server, connection
        self._brain = Brain(server.talker())
        self._ears = Ears(RATE, server.onset_ms)
        self._ids = itertools.count(1)
        self._session: dict[str, Any] = {}
        self._task: asyncio.Task[None] | None = None
        self._active = ""
        self._spoke = False
        self._results: list[Returned] = []
        self._calls: dict[str, str] = {}
        self._items: dict[str, int] = {}
        self._replies = 0
        self._error: BaseException | None = None
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        await self._moment("accept")
        await self._emit("session.created", session=self._plain_session())
        reading = asyncio.ensure_future(self._read())
        await asyncio.wait({reading, self._failed}, return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done() and not reading.done():
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading
            raise self._error or OverError
        await reading

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read(self) -> None:
        async for raw in self._connection:
            event = json.loads(raw)
            self._check(event)
            self._server.got.append(event)
            await self._take(event)

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
                self._begin()
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
                self._begin()

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

    def _begin(self) -> None:
        self._active = f"resp_{next(self._ids)}"
        self._task = asyncio.ensure_future(self._answer(self._active))
        self._task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None and not self._failed.done():
            self._error = error
            self._failed.set_result(None)

    async def _answer(self, response: str) -> None:
        spoke, self._spoke = self._spoke, False
        results, self._results = self._results, []
        self._replies += 1
        if self._replies <= 2:
            await self._moment("greeting" if self._replies == 1 else "turn")
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
        sound, words = voice(spoken(reply.text)), reply.text.split()
        size = CHUNK_MS * RATE // 1000 * 2
        chunks = [sound[start : start + size] for start in range(0, len(sound), size)]
        told = 0
        for number, chunk in enumerate(chunks):
            upto = -(-len(words) * (number + 1) // len(chunks))
            if text := " ".join(words[told:upto]):
                delta = text if upto == len(words) else f"{text} "
                await self._emit("response.output_audio_transcript.delta", **place, delta=delta)
            told = upto
            self._items[item] = self._items.get(item, 0) + len(chunk) * 500 // RATE
            await self._emit("response.output_audio.delta", **place, delta=base64.b64encode(chunk).decode())
            if number == 1:
                await self._moment("audio")
            await asyncio.sleep(CHUNK_MS / 1000 / self._server.speed)
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

    async def _moment(self, moment: Moment) -> None:
        fault = self._server.fault
        if fault is not None and fault.moment == moment:
            await fault.act(self._connection)

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
        if self._server.twist is not None:
            twisted = self._server.twist(event)
            if twisted is not event:
                for one in twisted:
                    await self._connection.send(one if isinstance(one, str | bytes) else json.dumps(one))
                return
        server, _ = _types(self._server.form)
        try:
            extra = unknown_fields(server.validate_python(event))
        except ValidationError as error:
            extra = [str(error)]
        self._server.wrong += [f"{name}: {one}" for one in extra]
        await self._connection.send(json.dumps(event))
