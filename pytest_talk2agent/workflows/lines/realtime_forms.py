"""The two forms of OpenAI's realtime protocol: the released one (GA) and the beta that many other servers speak.

They differ in the session and in names of events (apex-voice.md 5.2). Here is all that differs; beyond it there is one
protocol, that of GA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.remote.option_text import check_between, check_one_of
from pytest_talk2agent.workflows.agents.protocol import Briefing
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.lines.limits import LineOptions
from pytest_talk2agent.workflows.lines.vendor_line import HANG_UP, HANG_UP_TEXT

FORMS = ("ga", "beta")
DETECTION = ("server", "semantic", "none")
CANCEL = ("agent", "client")
TOOLS = ("flat", "nested")
_GA_NAMES = {
    "response.audio.delta": "response.output_audio.delta",
    "response.audio.done": "response.output_audio.done",
    "response.audio_transcript.delta": "response.output_audio_transcript.delta",
    "response.audio_transcript.done": "response.output_audio_transcript.done",
    "response.text.delta": "response.output_text.delta",
    "response.text.done": "response.output_text.done",
    "conversation.item.created": "conversation.item.added",
}
_HANG_UP_SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True)
class RealtimeOptions(LineOptions):
    """How a session is configured; what is left empty is left to the server, so that what is tested is what is sold.

    ``vad`` is who finds the end of a turn: the server by loudness, the server by meaning, or this client ("none").
    ``cancel`` is who stops a reply at a barge-in. ``transcribe`` names a model that writes down what the user said.
    ``tools`` "nested" puts a tool's declaration below "function", as some servers of the beta form want it.
    """

    form: str = "ga"
    vad: str = "server"
    cancel: str = "agent"
    voice: str = ""
    transcribe: str = ""
    max_tokens: int = 0
    vad_silence_ms: int = 0
    vad_threshold: str = ""
    eagerness: str = ""
    tools: str = "flat"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_of(self, "form", FORMS)
        check_one_of(self, "vad", DETECTION)
        check_one_of(self, "cancel", CANCEL)
        check_one_of(self, "tools", TOOLS)
        check_between(self, "max_tokens", 0, 4096)
        check_between(self, "vad_silence_ms", 0, 10_000)
        if self.eagerness:
            check_one_of(self, "eagerness", ("low", "medium", "high", "auto"))
        if self.vad_threshold:
            try:
                within = 0 <= float(self.vad_threshold) <= 1
            except ValueError:
                within = False
            if not within:
                raise ValueError(f"option vad_threshold must be a number from 0 to 1, not {self.vad_threshold!r}")
        if self.vad != "server" and (self.vad_silence_ms or self.vad_threshold):
            raise ValueError("options vad_silence_ms and vad_threshold are for vad=server")
        if self.vad != "semantic" and self.eagerness:
            raise ValueError("option eagerness is for vad=semantic")

    @property
    def interrupts(self) -> bool:
        """Whether the server breaks off a reply when it hears the user."""
        return self.vad != "none" and self.cancel == "agent"


def session_of(options: RealtimeOptions, briefing: Briefing) -> dict[str, Any]:
    """The session of `session.update`, in the form of the options."""
    tools = _tools(briefing.tools, nested=options.tools == "nested")
    common = {"instructions": briefing.instructions, "tools": tools, "tool_choice": "auto"}
    transcription = {"model": options.transcribe} if options.transcribe else None
    if options.form == "beta":
        session: dict[str, Any] = {
            "modalities": ["text", "audio"],
            **common,
            "input_audio_format": "pcm16",
            "output_audio_format": "pcm16",
            "turn_detection": _detection(options),
        }
        if options.voice:
            session["voice"] = options.voice
        if transcription:
            session["input_audio_transcription"] = transcription
        if options.max_tokens:
            session["max_response_output_tokens"] = options.max_tokens
        return session
    heard: dict[str, Any] = {"format": _pcm(), "turn_detection": _detection(options)}
    said: dict[str, Any] = {"format": _pcm()}
    if options.voice:
        said["voice"] = options.voice
    if transcription:
        heard["transcription"] = transcription
    session = {"type": "realtime", "output_modalities": ["audio"], **common, "audio": {"input": heard, "output": said}}
    if options.max_tokens:
        session["max_output_tokens"] = options.max_tokens
    return session


def fault_of_session(options: RealtimeOptions, asked: Mapping[str, Any], echoed: Any) -> str:
    """What the server made of the session that it confirms, where that would spoil the call; empty where it fits."""
    if not isinstance(echoed, Mapping):
        return "the server confirms a session that is none"
    kept = echoed.get("tools")
    wanted = [_name(tool) for tool in asked["tools"]]
    if isinstance(kept, Sequence) and not isinstance(kept, str):
        missing = sorted(set(wanted) - {_name(tool) for tool in kept})
        if missing:
            return f"the server did not take all tools: {', '.join(missing)} are missing"
    audio = echoed.get("audio")
    spoken = audio.get("output") if isinstance(audio, Mapping) else None
    form = echoed.get("output_audio_format") if options.form == "beta" else None
    if options.form == "ga" and isinstance(spoken, Mapping):
        form = spoken.get("format")
    if form not in (None, "pcm16", {"type": "audio/pcm"}, _pcm()):
        return f"the server speaks in {form}, not in PCM16 at {SAMPLE_RATE} Hz"
    return ""


def canonical(name: str) -> str:
    """The GA name of an event."""
    return _GA_NAMES.get(name, name)


def _pcm() -> dict[str, Any]:
    return {"type": "audio/pcm", "rate": SAMPLE_RATE}


def _detection(options: RealtimeOptions) -> dict[str, Any] | None:
    if options.vad == "none":
        return None
    found: dict[str, Any] = {"type": f"{options.vad}_vad", "create_response": True}
    found["interrupt_response"] = options.interrupts
    if options.vad_silence_ms:
        found["silence_duration_ms"] = options.vad_silence_ms
    if options.vad_threshold:
        found["threshold"] = float(options.vad_threshold)
    if options.eagerness:
        found["eagerness"] = options.eagerness
    return found


def _tools(offered: Sequence[Mapping[str, Any]], *, nested: bool) -> list[dict[str, Any]]:
    own = {"name": HANG_UP, "description": HANG_UP_TEXT, "parameters": _HANG_UP_SCHEMA}
    flat = [dict(tool) for tool in (*offered, own)]
    return [{"type": "function", "function": tool} if nested else {"type": "function", **tool} for tool in flat]


def _name(tool: Any) -> str:
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else {}
    return str(inner.get("name") if isinstance(inner, Mapping) else "")
