"""``gemini-live:MODEL``: a speech model behind Gemini's live API, by the vendor's own SDK."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.workflows.agents.protocol import AgentError, Briefing
from pytest_talk2agent.workflows.agents.voice import Abilities, Line
from pytest_talk2agent.workflows.lines.address import Address, find_address
from pytest_talk2agent.workflows.lines.circuit import CLOSING, PING_SECONDS, PONG_SECONDS, LostError
from pytest_talk2agent.workflows.lines.gemini_schema import declaration
from pytest_talk2agent.workflows.lines.gemini_talk import HEARD_RATE, GeminiOptions, GeminiTalk, Message, config_of
from pytest_talk2agent.workflows.lines.limits import read_spec
from pytest_talk2agent.workflows.lines.sockets import NO_PONG, closed_fault, shut, socket_fault
from pytest_talk2agent.workflows.lines.vendor_line import HANG_UP, HANG_UP_TEXT, VendorLine

GOOGLE = "https://generativelanguage.googleapis.com"


class GeminiLive:
    """``gemini-live:MODEL[?option=value&...]``; `GeminiOptions` has the options. The SDK speaks TLS alone.

    Raises:
        AgentError: for a wrong option, a missing package, or a key that is not there. No secret is shown.
    """

    control = False

    def __init__(self, text: str) -> None:
        self.model, self.options = read_spec(text, "gemini-live", GeminiOptions)
        self.who = f"agent gemini-live:{self.model}"
        # Of a package that several distributions share, a part can be there without the other.
        if find_spec("google") is None or find_spec("google.genai") is None:
            raise AgentError(f'{self.who} needs the package google-genai; pip install "pytest-talk2agent[gemini-live]"')
        try:
            self.address = find_address(
                self.who, self.options.base_url, self.options.key_env, own=GOOGLE, default_env="GEMINI_API_KEY"
            )
        except SetupError as error:
            raise AgentError(f"{self.who}: {str(error).removeprefix(f'{self.who}: ')}") from None
        if not self.address.base_url.startswith("https:"):
            raise AgentError(f"{self.who}: base_url must begin with https or wss; the SDK speaks TLS alone")
        self.abilities = Abilities(
            virtual=False,
            yields="client" if self.options.vad == "none" else "agent",
            truncates=False,
            words=bool(self.options.transcribe),
            calls="session",
            ends=True,
        )

    def identity(self) -> Mapping[str, str]:
        """The model, its server, and how its sessions are configured; no keys, limits or prices."""
        return {
            "name": "gemini-live",
            "model": self.model,
            "base_url": self.address.base_url,
            **self.options.plain(),
        }

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        """Begin a call; raises LineError where the server cannot be reached or does not take the session."""
        if not real:
            raise AgentError(f"{self.who} talks by the real clock alone; run with the real clock")

        def make() -> GeminiConnection:
            return GeminiConnection(self.model, self.options, self.address, briefing)

        talk = GeminiTalk(self.options, greets=briefing.first_speaker == "agent")
        return VendorLine(self.who, make, talk, self.options, self.address)


class GeminiConnection:
    """A connection by the SDK's asynchronous client."""

    def __init__(self, model: str, options: GeminiOptions, address: Address, briefing: Briefing) -> None:
        self._model, self._options, self._address = model, options, address
        own = {"name": HANG_UP, "description": HANG_UP_TEXT}
        declarations = [declaration(tool) for tool in (*briefing.tools, own)]
        self._config = config_of(options, briefing.instructions, declarations)
        self._entered = contextlib.AsyncExitStack()
        self._session: Any = None
        self._turn: Any = None
        self._announced = ""
        self._pinging: asyncio.Future[None] | None = None
        self._gone = False

    async def open(self) -> None:
        """Connect, and see that the setup is confirmed."""
        from google import genai
        from google.genai import types

        client = genai.Client(
            api_key=self._address.key.secret or "none",
            vertexai=False,
            http_options=types.HttpOptions(base_url=self._address.base_url, api_version=self._options.api),
        )
        config = types.LiveConnectConfig.model_validate(self._config)
        connecting = client.aio.live.connect(model=self._model, config=config)
        self._session = await self._entered.enter_async_context(connecting)
        self._session._ws.close_timeout = CLOSING / 2  # the SDK has no option for it, and 10 s of its own
        self._pinging = asyncio.ensure_future(self._ping(self._session._ws))
        if self._session.setup_complete is None:
            raise LostError("the server does not confirm the session", passing=False)

    async def _ping(self, socket: Any) -> None:
        """Cut off a server that answers no ping; the SDK would wait for 40 s."""
        while True:
            await asyncio.sleep(PING_SECONDS)
            try:
                await asyncio.wait_for(await socket.ping(), PONG_SECONDS)
            except asyncio.TimeoutError:
                self._gone = True
                socket.transport.abort()
                return

    async def receive(self) -> Any:
        """The next message; the SDK ends its stream with each turn."""
        while True:
            if self._turn is None:
                self._turn = self._session.receive()
            try:
                message = await anext(self._turn)
            except StopAsyncIteration:
                self._turn = None
                continue
            if message.go_away is not None:
                self._announced = f" as it had announced ({message.go_away.time_left or '?'} before)"
            return message

    async def send(self, message: Message) -> None:
        """Send a message by the method of the SDK that is for it."""
        from google.genai import types

        kind, value = message
        if kind == "audio":
            blob = types.Blob(data=value, mime_type=f"audio/pcm;rate={HEARD_RATE}")
            await self._session.send_realtime_input(audio=blob)
        elif kind == "text":
            await self._session.send_realtime_input(text=value)
        elif kind == "activity" and value == "start":
            await self._session.send_realtime_input(activity_start=types.ActivityStart())
        elif kind == "activity":
            await self._session.send_realtime_input(activity_end=types.ActivityEnd())
        else:
            answers = [types.FunctionResponse(id=one.call_id, name=one.name, response=dict(one.told)) for one in value]
            await self._session.send_tool_response(function_responses=answers)

    async def close(self) -> None:
        """Close the connection; one that does not answer is cut off."""
        if self._pinging is not None:
            self._pinging.cancel()
            await asyncio.gather(self._pinging, return_exceptions=True)
        if self._session is not None:
            await shut(self._session._ws, CLOSING)
        with contextlib.suppress(Exception):
            await asyncio.wait_for(self._entered.aclose(), CLOSING)

    def fault(self, error: BaseException) -> LostError:
        """What an exception means; the SDK tells of a closed connection with the code of the closing."""
        from google.genai.errors import APIError

        if self._gone:
            found = LostError(NO_PONG, passing=True)
        elif isinstance(error, APIError):
            code = error.code if isinstance(error.code, int) else 0
            reason = error.details if isinstance(error.details, str) else error.message or error.status
            found = closed_fault(code, str(reason or ""))
        else:
            found = socket_fault(error)
        return LostError(f"{found}{self._announced}", passing=found.passing)
