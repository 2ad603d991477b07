"""A server of Gemini's live API on loopback; each message is checked against the SDK's own types.

As the API does, it thinks that what it sent is played in real time: a turn is complete once that is over, and until
then the user interrupts it. Its time is that of the sound that it hears.
"""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass
from typing import Any

from google.genai import types
from pydantic import ValidationError
from websockets.asyncio.server import ServerConnection

from pytest_talk2agent.workflows.agents.protocol import Call, Returned
from tests.workflows.lines.brain import RATE, spoken
from tests.workflows.lines.vendor_server import VendorCall, VendorServer

HEARD_RATE = 16_000


@dataclass
class GeminiServer(VendorServer):
    """The live API, and what it saw of all calls."""

    def call(self, connection: ServerConnection) -> VendorCall:
        return _Call(self, connection)

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


class _Call(VendorCall):
    def __init__(self, server: GeminiServer, connection: ServerConnection) -> None:
        super().__init__(server, connection, HEARD_RATE)
        self._server = server
        self._automatic = True
        self._out: dict[str, str] = {}
        self._plays_until = 0.0

    async def _accepted(self) -> None:
        """The API says nothing before the setup."""

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

    async def _answer(self, spoke: bool) -> None:
        reply = self._brain.reply(spoke, await self._next_results())
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
        self._plays_until = max(self._plays_until, self._ears.heard_ms) + spoken(text)
        async for said, chunk in self._pieces(text):
            if said:
                await self._emit(serverContent={"outputTranscription": {"text": said}})
            data = base64.b64encode(chunk).decode()
            part = {"inlineData": {"data": data, "mimeType": f"audio/pcm;rate={RATE}"}}
            await self._emit(serverContent={"modelTurn": {"parts": [part]}})

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

    async def _emit(self, **message: Any) -> None:
        if await self._twisted(message):
            return
        try:
            types.LiveServerMessage.model_validate(message)
        except ValidationError as error:
            self._server.wrong.append(f"{list(message)}: {error}")
        await self._connection.send(json.dumps(message).encode())
