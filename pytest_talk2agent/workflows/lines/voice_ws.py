"""``voice-ws:URL``: bare PCM16, little endian, mono, 24 kHz, as binary messages in both directions (vamos.md 4).

The agent speaks first. It closes the connection with 1000 when it ends the call, and with 1011 and a reason when it
failed. A text is a violation, but with ``framing=json``, where sound comes and goes as ``{"type": "audio", "audio":
BASE64}`` and a call ends with ``{"type": "end"}``.

It may send sound faster than it can be heard, in pieces of any length; it cannot take back what it sent.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_talk2agent.remote.option_text import check_one_of
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE, Left, LineEvent
from pytest_talk2agent.workflows.lines.deployed import DeployedAgent, DeployedOptions
from pytest_talk2agent.workflows.lines.deployed_line import DeployedLine
from pytest_talk2agent.workflows.lines.service import Door, ToolService
from pytest_talk2agent.workflows.lines.wire import Wire


@dataclass(frozen=True)
class VoiceOptions(DeployedOptions):
    """``framing``: "binary" or "json"."""

    framing: str = "binary"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of(self, "framing", ("binary", "json"))


class VoiceSocket(DeployedAgent):
    """The agent of this protocol; raises AgentError as `DeployedAgent`."""

    name = "voice-ws"
    truncates = False
    options: VoiceOptions

    def __init__(self, text: str) -> None:
        super().__init__(text, VoiceOptions)

    def line(self, wire: Wire, service: ToolService | None, told: Mapping[str, str], door: Door) -> VoiceLine:
        """A call; it has been told everything in the handshake."""
        return VoiceLine(wire, service, as_json=self.options.framing == "json")


class VoiceLine(DeployedLine):
    """A call in this protocol."""

    def __init__(self, wire: Wire, service: ToolService | None, *, as_json: bool) -> None:
        super().__init__(wire, service)
        self._as_json = as_json

    def speak(self, frame: bytes) -> None:
        """One message a frame."""
        if self._as_json:
            self.wire.send(json.dumps({"type": "audio", "audio": base64.b64encode(frame).decode()}))
        else:
            self.wire.send(frame)

    def message(self, message: str | bytes) -> Iterator[LineEvent]:
        """Sound, or with ``framing=json`` an end."""
        if isinstance(message, str) != self._as_json:
            wrong, right = ("text", "bytes") if isinstance(message, str) else ("bytes", "text")
            raise self.error(f"the agent sent {wrong} where {right} belong: {message[:40]!r}")
        if isinstance(message, bytes):
            yield self.sound(message, SAMPLE_RATE)
            return
        try:
            posted = json.loads(message)
            kind = posted["type"]
            pcm = base64.b64decode(posted["audio"], validate=True) if kind == "audio" else b""
        except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
            raise self.error(f"the agent sent a message that is none: {message[:60]!r}") from None
        if kind == "end":
            yield Left("said that it ends the call")
        elif kind == "audio":
            yield self.sound(pcm, SAMPLE_RATE)
        else:
            raise self.error(f"the agent sent a message of an unknown type: {message[:60]!r}")

    def goodbye(self) -> None:
        """``end``, in JSON."""
        if self._as_json:
            self.wire.send(json.dumps({"type": "end"}))
