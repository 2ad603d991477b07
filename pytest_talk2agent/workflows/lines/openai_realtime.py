"""``openai-realtime:MODEL``: a speech model behind OpenAI's realtime protocol, by the vendor's own SDK."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.http import OPENAI
from pytest_talk2agent.workflows.agents.protocol import AgentError, Briefing
from pytest_talk2agent.workflows.agents.voice import Abilities, Line
from pytest_talk2agent.workflows.lines.address import Address, find_address
from pytest_talk2agent.workflows.lines.circuit import CLOSING, LARGEST_EVENT, PING_SECONDS, PONG_SECONDS, LostError
from pytest_talk2agent.workflows.lines.limits import read_spec
from pytest_talk2agent.workflows.lines.realtime_faults import passes
from pytest_talk2agent.workflows.lines.realtime_forms import RealtimeOptions, fault_of_session, session_of
from pytest_talk2agent.workflows.lines.realtime_talk import RealtimeTalk
from pytest_talk2agent.workflows.lines.sockets import shut, socket_fault
from pytest_talk2agent.workflows.lines.vendor_line import VendorLine

_SETUP = "t2a_session"
_EVENTS_OF_SETUP = 50
"""Events that may come before the session is confirmed."""


class OpenAIRealtime:
    """``openai-realtime:MODEL[?option=value&...]``; `RealtimeOptions` has the options.

    Raises:
        AgentError: for a wrong option, a missing package, or a key that is not there. No secret is shown.
    """

    control = False

    def __init__(self, text: str) -> None:
        self.model, self.options = read_spec(text, "openai-realtime", RealtimeOptions)
        self.who = f"agent openai-realtime:{self.model}"
        if find_spec("openai") is None or find_spec("websockets") is None:
            raise AgentError(f'{self.who} needs the package openai; pip install "pytest-talk2agent[openai-realtime]"')
        try:
            self.address = find_address(
                self.who, self.options.base_url, self.options.key_env, own=OPENAI, default_env="OPENAI_API_KEY"
            )
        except SetupError as error:
            raise AgentError(f"{self.who}: {error}".replace(f"{self.who}: {self.who}", self.who)) from None
        self.abilities = Abilities(
            virtual=False,
            yields="client" if self.options.cancel == "client" else "agent",
            truncates=True,
            words=True,
            calls="session",
            ends=True,
        )

    def identity(self) -> Mapping[str, str]:
        """The model, its server, and how its sessions are configured; no keys, limits or prices."""
        return {
            "name": "openai-realtime",
            "model": self.model,
            "base_url": self.address.base_url,
            **self.options.plain(),
        }

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        """Begin a call; raises LineError where the server cannot be reached or does not take the session."""
        if not real:
            raise AgentError(f"{self.who} talks by the real clock alone; run with the real clock")

        def make() -> RealtimeConnection:
            return RealtimeConnection(self.model, self.options, self.address, briefing)

        talk = RealtimeTalk(self.options, greets=briefing.first_speaker == "agent")
        return VendorLine(self.who, make, talk, self.options, self.address)


class RealtimeConnection:
    """A connection by the SDK's asynchronous client: GA through ``realtime``, beta through ``beta.realtime``."""

    def __init__(self, model: str, options: RealtimeOptions, address: Address, briefing: Briefing) -> None:
        self._model, self._options, self._address = model, options, address
        self._session = session_of(options, briefing)
        self._connection: Any = None
        self._client: Any = None

    async def open(self) -> None:
        """Connect, and wait until the session is confirmed as it was asked for."""
        from openai import AsyncOpenAI

        self._client = client = AsyncOpenAI(
            api_key=self._address.key.secret or "none",
            base_url=self._address.base_url,
            websocket_base_url=self._address.websocket,
            max_retries=0,
        )
        # Beyond the options that the SDK names it passes on all of them to the library for WebSockets.
        socket: Any = {"max_size": LARGEST_EVENT, "compression": None, "close_timeout": CLOSING / 2}
        socket |= {"ping_interval": PING_SECONDS, "ping_timeout": PONG_SECONDS}
        if self._address.local:
            socket["proxy"] = None  # no proxy can reach this machine
        if self._options.form == "beta":
            beta = client.beta.realtime.connect(model=self._model, websocket_connection_options=socket)
            self._connection = await beta.enter()
        else:
            released = client.realtime.connect(model=self._model, websocket_connection_options=socket)
            self._connection = await released.enter()
        await self.send({"type": "session.update", "event_id": _SETUP, "session": self._session})
        for _ in range(_EVENTS_OF_SETUP):
            event = await self.receive()
            name = event.get("type") if isinstance(event, dict) else None
            if name == "error":
                error = event.get("error")
                error = error if isinstance(error, dict) else {}
                said = error.get("message") or error.get("code") or "no reason given"
                raise LostError(f"the server does not take the session ({said})", passing=passes(error))
            if name == "session.updated":
                if fault := fault_of_session(self._options, self._session, event.get("session")):
                    raise LostError(fault, passing=False)
                return
        raise LostError(f"{_EVENTS_OF_SETUP} events, and the session is not confirmed", passing=False)

    async def receive(self) -> Any:
        """The next event, as it came: types that the SDK does not know are no fault."""
        return json.loads(await self._connection.recv_bytes())

    async def send(self, message: Any) -> None:
        """Send an event."""
        await self._connection.send(message)

    async def close(self) -> None:
        """Close the connection; one that does not answer is cut off."""
        if self._connection is not None:
            await shut(self._connection._connection, CLOSING)
        if self._client is not None:
            await self._client.close()

    def fault(self, error: BaseException) -> LostError:
        """What an exception means."""
        return socket_fault(error)
