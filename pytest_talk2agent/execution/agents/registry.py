"""Agent specs, as they are written after ``--agent``.

Apart, so that no agent knows of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from pytest_talk2agent.execution.agents.agent import Agent, AgentError, Control, Nop, Oracle
from pytest_talk2agent.execution.agents.command import Command
from pytest_talk2agent.execution.agents.llm import LanguageModel
from pytest_talk2agent.execution.agents.obedient import Obedient
from pytest_talk2agent.execution.agents.python import PythonAgent
from pytest_talk2agent.execution.agents.scripted import Scripted
from pytest_talk2agent.remote.budget import Budget

AnyAgent: TypeAlias = Agent | Control

_PLAIN: dict[str, Callable[[], AnyAgent]] = {"oracle": Oracle, "nop": Nop, "obedient": Obedient}
_WITH: dict[str, tuple[str, Callable[[str], AnyAgent]]] = {
    "scripted": ("FILE", lambda text: Scripted(Path(text))),
    "command": ("WORDS", Command),
    "llm": ("MODEL", LanguageModel),
    "python": ("MODULE:FUNCTION", PythonAgent),
}


def make_agent(spec: str, budget: Budget | None = None) -> AnyAgent:
    """The agent that a spec names; ``budget`` is what it may spend besides the one of its own options.

    Raises:
        AgentError: for an unknown name, or what the agent itself does not take.
    """
    name, colon, text = spec.partition(":")
    if name in _PLAIN:
        if colon:
            raise AgentError(f"agent {spec}: {name} takes nothing after its name")
        return _PLAIN[name]()
    if name in _WITH:
        what, make = _WITH[name]
        if not text.strip():
            raise AgentError(f"agent {spec}: write {name}:{what}")
        agent = make(text)
        if budget is not None and isinstance(agent, LanguageModel):
            agent.charge_to(budget)
        return agent
    forms = [*_PLAIN, *(f"{each}:{what}" for each, (what, _) in _WITH.items())]
    raise AgentError(f"agent {spec}: there is no such agent; there are {', '.join(forms)}")
