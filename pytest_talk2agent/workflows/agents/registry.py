"""Names to agents: the built-in ones, those that are registered, and those another distribution offers.

Another distribution offers one under the entry-point group ``talk2agent.agents``: a callable that takes what stands
after the colon of the spec (an empty text where nothing does) and gives an `Agent`. It is looked at only when its name
is asked for.
"""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

from pytest_talk2agent.workflows.agents.protocol import Agent, AgentError
from pytest_talk2agent.workflows.agents.voice import VoiceAgent

ENTRY_POINTS = "talk2agent.agents"

AnyAgent = Agent | VoiceAgent
Factory = Callable[[str], AnyAgent]

_HERE = "pytest_talk2agent.workflows.agents"
_BUILT_IN: dict[str, tuple[str, str]] = {
    "adversary": (f"{_HERE}.adversary:AdversaryAgent", "NAME"),
    "cascade": ("pytest_talk2agent.workflows.lines.cascade:Cascade", "ASR+MODEL+VOICE"),
    "command": (f"{_HERE}.command:Command", "WORDS"),
    "gemini-live": ("pytest_talk2agent.workflows.lines.gemini_live:GeminiLive", "MODEL"),
    "openai-realtime": ("pytest_talk2agent.workflows.lines.openai_realtime:OpenAIRealtime", "MODEL"),
    "media-stream": ("pytest_talk2agent.workflows.lines.media_stream:MediaStream", "URL"),
    "oracle": (f"{_HERE}.policy:Oracle", ""),
    "python": (f"{_HERE}.host:PythonAgent", "MODULE:CLASS"),
    "scripted": (f"{_HERE}.policy:Scripted", "FILE"),
    "spoken": (f"{_HERE}.spoken:Spoken", "AGENT"),
    "silent": (f"{_HERE}.policy:Silent", ""),
    "text": (f"{_HERE}.text:TextModel", "MODEL"),
    "voice-ws": ("pytest_talk2agent.workflows.lines.voice_ws:VoiceSocket", "URL"),
}
"""Where each is, and what stands after its colon."""


class AgentRegistry:
    """The agents that a run can name."""

    def __init__(self) -> None:
        self._registered: dict[str, Factory] = {}

    def register(self, name: str, factory: Factory) -> None:
        """Add an agent; raises AgentError where the name is taken."""
        if name in self._registered or name in _BUILT_IN:
            raise AgentError(f"agent {name!r} is registered already; register yours under another name")
        self._registered[name] = factory

    def names(self) -> list[str]:
        """Every name that can stand in a spec, sorted."""
        offered = importlib.metadata.entry_points(group=ENTRY_POINTS).names
        return sorted({*_BUILT_IN, *self._registered, *offered})

    def make(self, spec: str) -> AnyAgent:
        """The agent of a spec.

        Raises:
            AgentError: for an unknown name, an offer that cannot be imported, or what the agent itself does not take.
        """
        name, colon, text = spec.partition(":")
        if name in self._registered:
            return self._registered[name](text)
        if name not in _BUILT_IN:
            return self._offered(spec, name)(text)
        where, form = _BUILT_IN[name]
        if form and not text.strip():
            raise AgentError(f"agent {spec}: write {name}:{form}")
        if colon and not form:
            raise AgentError(f"agent {spec}: {name} takes nothing after its name")
        made = resolve_name(where)
        if form == "AGENT":
            return self._spoken(made, text)
        agent: AnyAgent = made() if not form else made(Path(text) if form == "FILE" else text)
        return agent

    def _spoken(self, made: Callable[[Agent], AnyAgent], spec: str) -> AnyAgent:
        """An agent of words on a line."""
        return made(_wordy(self.make(spec), spec))

    def _offered(self, spec: str, name: str) -> Factory:
        offers = importlib.metadata.entry_points(group=ENTRY_POINTS, name=name)
        values = sorted({offer.value for offer in offers})
        if len(values) > 1:
            raise AgentError(f"agent {spec}: offered twice, by {' and '.join(values)}; uninstall one")
        if not values:
            near = difflib.get_close_matches(name, self.names(), n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise AgentError(f"agent {spec}: there is no such agent; {hint}there are {', '.join(self.names())}")
        try:
            factory: Factory = resolve_name(values[0])
        except (ImportError, AttributeError, ValueError) as error:
            raise AgentError(f"agent {spec}: cannot import {values[0]}: {error}") from error
        return factory


def make_agent(spec: str, registry: AgentRegistry | None = None) -> AnyAgent:
    """The agent of a spec, from the built-in and installed ones or from a registry that knows more."""
    return (registry or AgentRegistry()).make(spec)


def make_text_agent(spec: str, registry: AgentRegistry | None = None) -> Agent:
    """As `make_agent`; raises AgentError, too, for an agent that has a voice and is called instead."""
    return _wordy(make_agent(spec, registry), spec)


def _wordy(agent: AnyAgent, spec: str) -> Agent:
    if isinstance(agent, VoiceAgent):
        raise AgentError(f"agent {spec}: it has a voice, and here is an agent of words wanted")
    return agent
