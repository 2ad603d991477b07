"""A server of Gemini's live API on loopback; each message is checked against the SDK's own types.

As the API does, it thinks that what it sent is played in real time: a turn is complete once that is over, and until
then the user interrupts it. Its time is that of the sound that it hears.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from google.genai import types
from pydantic import ValidationError
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from pytest_talk2agent.workflows.agents.protocol import Call, Returned
from tests.workflows.lines.brain import RATE, Brain, Ears, MakeTalker, spoken, voice
from tests.workflows.lines.faults import Fault, Moment, OverError

CHUNK_MS = 100
HEARD_RATE = 16_000


@dataclass
class GeminiServer:
    """What it is like, and what it saw of all calls; ``twist`` as of the realtime server."""

    talker: MakeTalker
    fault: Fault | None = None
    twist: Any = None
    speed: float = 8.0
    yields: bool = True
    onset_ms: int = 100
    calls: int = 0
    got: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

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

    def got_kinds(self) -> list[str]:
        """What it got, without the sound: "setup", "realtime_input.text", "tool_response"."""
        kinds = []
        for message in self.got:
            (name,) = message
            if name == "realtime_input":
                (what,) = message[name]
                if what == "audio":
                    continue
                name = f"{name}.{what}"
            kinds.append(name)
        return kinds


class _Call:
    def __init__(self, server: GeminiServer, connection: ServerConnection) -> None:
        self._server, self._connection = server, connection
        self._brain = Brain(server.talker())
        self._ears = Ears(HEARD_RATE, server.onset_ms)
        self._ids = itertools.count(1)
        self._automatic = True
        self._task: asyncio.Task[None] | None = None
        self._out: dict[str, str] = {}
        self._results: list[Returned] = []
        self._replies = 0
        self._plays_until = 0.0
        self._error: BaseException | None = None
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        await self._moment("accept")
        reading = asyncio.ensure_future(self._read())
        await asyncio.wait({reading, self._failed}, return_when=asyncio.FIRST_COMPLETED)
        if self._failed.done() and not reading.done():
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            raise self._error or OverError
        await reading

    async def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _read(self) -> None:
        async for raw in self._connection:
            message = json.loads(raw)
            self._check(message)
            self._server.got.append(message)
            await self._take(message)

    def _check(self, message: dict[str, Any]) -> None:
        """By the SDK's types; its type of a setup lacks the one field that its own converter adds."""
        try:
            if "setup" in message:
                setup = dict(message["setup"])
                types.RealtimeInputConfig.model_validate(setup.pop("realtimeInputConfig", {}))
                message = {"setup": setup}
            types.LiveClientMessage.model_validate(message)
        except ValidationError as error:
            self._server.wrong.append(f"{list(message)}: {error}")

    async def _take(self, message: dict[str, Any]) -> None:
        if "setup" in message:
            await self._moment("session")
            config = types.RealtimeInputConfig.model_validate(message["setup"].get("realtimeInputConfig", {}))
            detection = config.automatic_activity_detection
            self._automatic = detection is None or not detection.disabled
            await self._emit(setupComplete={})
        elif "tool_response" in message:
            await self._results_of(message["tool_response"]["functionResponses"])
        elif "realtime_input" in message:
            await self._input(message["realtime_input"])

    async def _input(self, given: dict[str, Any]) -> None:
        if "text" in given:
            self._begin(spoke=False)
        elif "audio" in given:
            edge = self._ears.hear(base64.urlsafe_b64decode(given["audio"]["data"]))
            if self._automatic and edge == "started" and self._server.yields:
                await self._interrupt()
            elif self._automatic and edge == "stopped":
                await self._turn()
        elif "activity_start" in given or "activityStart" in given:
            await self._interrupt()
        elif "activity_end" in given or "activityEnd" in given:
            await self._turn()

    async def _turn(self) -> None:
        for piece in ("what the ", "user said"):
            await self._emit(serverContent={"inputTranscription": {"text": piece}})
        if self._task is None or self._task.done():
            self._begin(spoke=True)

    async def _results_of(self, responses: list[dict[str, Any]]) -> None:
        for one in responses:
            name = self._out.pop(one["id"], None)
            if name != one["name"]:
                self._server.wrong.append(f"a result of no call: {one['id']} {one['name']}")
            self._results.append(Returned(one["id"], one["name"], one["response"]))
        if not self._out:
            self._begin(spoke=False)

    # What it says

    def _begin(self, *, spoke: bool) -> None:
        self._task = asyncio.ensure_future(self._answer(spoke))
        self._task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None and not self._failed.done():
            self._error = error
            self._failed.set_result(None)

    async def _answer(self, spoke: bool) -> None:
        results, self._results = self._results, []
        self._replies += 1
        if self._replies <= 2:
            await self._moment("greeting" if self._replies == 1 else "turn")
        reply = self._brain.reply(spoke, results)
        if reply.text.strip():
            await self._say(reply.text)
        calls = [Call(f"call-{next(self._ids)}", call.name, call.args) for call in reply.calls]
        if reply.end_call:
            calls.append(Call(f"call-{next(self._ids)}", "end_call", {}))
        if calls:
            self._out |= {call.call_id: call.name for call in calls if call.name != "end_call"}
            await self._moment("call")
            made = [{"id": call.call_id, "name": call.name, "args": call.args} for call in calls]
            await self._emit(toolCall={"functionCalls": made})
        if not self._out:
            await self._complete()

    async def _complete(self) -> None:
        await self._emit(serverContent={"generationComplete": True})
        while self._automatic and self._ears.heard_ms < self._plays_until:
            await asyncio.sleep(0.005)
        usage = {
            "promptTokenCount": 20,
            "responseTokenCount": 10,
            "totalTokenCount": 30,
            "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 15}, {"modality": "TEXT", "tokenCount": 5}],
            "responseTokensDetails": [{"modality": "AUDIO", "tokenCount": 8}],
        }
        await self._emit(serverContent={"turnComplete": True}, usageMetadata=usage)

    async def _say(self, text: str) -> None:
        sound, words = voice(spoken(text)), text.split()
        self._plays_until = max(self._plays_until, self._ears.heard_ms) + spoken(text)
        size = CHUNK_MS * RATE // 1000 * 2
        chunks = [sound[start : start + size] for start in range(0, len(sound), size)]
        told = 0
        for number, chunk in enumerate(chunks):
            upto = -(-len(words) * (number + 1) // len(chunks))
            if said := " ".join(words[told:upto]):
                piece = said if upto == len(words) else f"{said} "
                await self._emit(serverContent={"outputTranscription": {"text": piece}})
            told = upto
            data = base64.b64encode(chunk).decode()
            part = {"inlineData": {"data": data, "mimeType": f"audio/pcm;rate={RATE}"}}
            await self._emit(serverContent={"modelTurn": {"parts": [part]}})
            if number == 1:
                await self._moment("audio")
            await asyncio.sleep(CHUNK_MS / 1000 / self._server.speed)

    async def _interrupt(self) -> None:
        """A reply that is made is broken off, with its calls; what was made is thought to be played by now."""
        if self._task is not None and not self._task.done():
            await self.end()
            self._plays_until = 0.0
            await self._emit(serverContent={"interrupted": True})
            if self._out:
                await self._emit(toolCallCancellation={"ids": sorted(self._out)})
                self._out = {}
            await self._emit(serverContent={"turnComplete": True})

    async def _moment(self, moment: Moment) -> None:
        fault = self._server.fault
        if fault is not None and fault.moment == moment:
            await fault.act(self._connection)

    async def _emit(self, **message: Any) -> None:
        if self._server.twist is not None:
            twisted = self._server.twist(message)
            if twisted is not message:
                for one in twisted:
                    await self._connection.send(one if isinstance(one, str | bytes) else json.dumps(one))
                return
        try:
            types.LiveServerMessage.model_validate(message)
        except ValidationError as error:
            self._server.wrong.append(f"{list(message)}: {error}")
        await self._connection.send(json.dumps(message).encode())
