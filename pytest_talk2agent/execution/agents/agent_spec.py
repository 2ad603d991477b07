"""The agents of a run: each a spec under a label, as ``--t2a-agent`` names them. Whoever makes an agent reads its spec.

A file of its own, as the executions of tasks and workflows have agents of different kinds, and name them alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LABELLED = re.compile(r"([\w.-]+)=(.*)", re.DOTALL)
_LONGEST = 40
DEFAULT_ROUNDS = 3
MOST_ROUNDS = 100


@dataclass(frozen=True)
class AgentSpec:
    """``text`` is what names the agent and its options; ``label`` is what results are grouped by."""

    label: str
    text: str

    @property
    def shown(self) -> str:
        """As it can be written: with the label where the spec alone would have another one."""
        return self.text if self.label == _label_of(self.text) else f"{self.label}={self.text}"


def parse_agents(texts: Iterable[str]) -> tuple[AgentSpec, ...]:
    """Read ``SPEC`` or ``LABEL=SPEC`` each.

    Raises:
        ValueError: for an empty spec, or two agents of one label.
    """
    found: dict[str, AgentSpec] = {}
    for text in texts:
        labelled = _LABELLED.fullmatch(text.strip())
        spec = labelled[2].strip() if labelled else text.strip()
        if not spec:
            raise ValueError("the value is empty; give one, or leave the option out")
        label = labelled[1] if labelled else _label_of(spec)
        if label in found:
            raise ValueError(f"two agents are called {label}; give one of them another name, LABEL={spec}")
        found[label] = AgentSpec(label, spec)
    return tuple(found.values())


def read_rounds(text: str) -> int:
    """A number of rounds; raises ValueError for what is none."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST_ROUNDS):
        raise ValueError(f"{text!r} is no number of rounds from 1 to {MOST_ROUNDS}")
    return int(text)


def _label_of(spec: str) -> str:
    """Of ``llm:org/model?options`` it is ``llm-model``."""
    name, _, rest = spec.partition("?")[0].partition(":")
    last = rest.rstrip("/").rpartition("/")[2]
    return re.sub(r"[^\w.]+", "-", f"{name}-{last}").strip("-")[:_LONGEST].rstrip("-") or "agent"
