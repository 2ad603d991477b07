"""``media-stream:URL``: the messages of Twilio's Media Streams, both directions of a call; we are Twilio.

We send ``connected``, ``start``, ``media`` every 20 ms (mu-law, 8 kHz, mono, base64), ``mark`` once everything before
that mark is played, ``dtmf``, and at the end ``stop``. The agent sends ``media``, ``mark``, and ``clear``, which throws
away what was not played and brings back its marks at once. It hangs up by closing the connection, or with a request to
Twilio's REST interface, ``POST {service}/2010-04-01/Accounts/SID/Calls/SID.json`` with ``Status=completed``.

What the handshake tells in headers stands in ``start.customParameters`` too: ``talk2agent_session``,
``talk2agent_service``, ``talk2agent_token``.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_talk2agent.workflows.agents.voice import FRAME_MS, Flushed, LineEvent
from pytest_talk2agent.workflows.lines.deployed import DeployedAgent, DeployedOptions
from pytest_talk2agent.workflows.lines.deployed_line import DeployedLine
from pytest_talk2agent.workflows.lines.service import Door, ToolService
from pytest_talk2agent.workflows.lines.telephone import PHONE_RATE, ToPhone, from_mulaw
from pytest_talk2agent.workflows.lines.wire import Wire

ACCOUNT = "AC" + 32 * "0"
"""The account of every call; there is none."""
KEYS = frozenset("0123456789*#ABCD")


@dataclass(frozen=True)
class StreamOptions(DeployedOptions):
    """Twilio asks for nobody's health, so nothing is asked unless a path is given."""

    health: str = "none"


class MediaStream(DeployedAgent):
    """The agent of this protocol; raises AgentError as `DeployedAgent`."""

    name = "media-stream"
    truncates = True
    options: StreamOptions

    def __init__(self, text: str) -> None:
        super().__init__(text, StreamOptions)

    def door(self) -> Door:
        """As of every deployed agent, with the SID of a call."""
        return replace(super().door(), call_sid=f"CA{secrets.token_hex(16)}")

    def line(self, wire: Wire, service: ToolService | None, told: Mapping[str, str], door: Door) -> StreamLine:
        """A call; it begins with what Twilio says first."""
        return StreamLine(wire, service, told, door.call_sid)


class StreamLine(DeployedLine):
    """A call in this protocol."""

    def __init__(self, wire: Wire, service: ToolService | None, told: Mapping[str, str], call_sid: str) -> None:
        super().__init__(wire, service)
        self._stream = f"MZ{secrets.token_hex(16)}"
        self._call = {"accountSid": ACCOUNT, "callSid": call_sid}
        self._to_phone = ToPhone()
        self._number = self._chunks = 0
        self._marks: deque[tuple[float, str]] = deque()
        wire.send(json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}))
        self._say(
            "start",
            {
                "streamSid": self._stream,
                **self._call,
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": PHONE_RATE, "channels": 1},
                "customParameters": {f"talk2agent_{name}": value for name, value in told.items()},
            },
        )

    def _say(self, event: str, value: Mapping[str, Any]) -> None:
        self._number += 1
        said = {"event": event, "sequenceNumber": str(self._number), event: value, "streamSid": self._stream}
        self.wire.send(json.dumps(said))

    def speak(self, frame: bytes) -> None:
        """One message a frame."""
        payload = base64.b64encode(self._to_phone.feed(frame)).decode()
        since = str(self._chunks * FRAME_MS)
        self._chunks += 1
        self._say("media", {"track": "inbound", "chunk": str(self._chunks), "timestamp": since, "payload": payload})

    def press(self, digit: str) -> None:
        """Press a key of the telephone; raises ValueError where it has no such key."""
        if digit not in KEYS:
            raise ValueError(f"a telephone has no key {digit!r}")
        self._say("dtmf", {"track": "inbound_track", "digit": digit})

    def poll(self, now_ms: int) -> Sequence[LineEvent]:
        """As of every line; marks whose sound is played are answered."""
        events = super().poll(now_ms)
        while self._marks and self._marks[0][0] <= now_ms:
            self._say("mark", {"name": self._marks.popleft()[1]})
        return events

    def message(self, message: str | bytes) -> Iterator[LineEvent]:
        """Sound, a mark, or that everything is thrown away. Twilio ignores other events, and so do we."""
        if isinstance(message, bytes):
            raise self.error(f"the agent sent bytes where text belongs: {message[:40]!r}")
        try:
            said = json.loads(message)
            event = said["event"]
            codes = base64.b64decode(said["media"]["payload"], validate=True) if event == "media" else b""
            name = said["mark"]["name"] if event == "mark" else ""
        except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
            raise self.error(f"the agent sent a message that is none: {message[:60]!r}") from None
        if said.get("streamSid", self._stream) != self._stream:
            raise self.error(f"the agent sent a message of another stream: {str(said['streamSid'])[:40]!r}")
        if event == "media" and codes:
            yield self.sound(from_mulaw(codes), PHONE_RATE)
        elif event == "mark":
            self._marks.append((max(self.plays_until, float(self.now)), str(name)))
        elif event == "clear":
            self.plays_until = float(self.now)
            self._marks = deque((self.plays_until, one) for _, one in self._marks)
            yield Flushed()

    def goodbye(self) -> None:
        """``stop``."""
        self._say("stop", self._call)
