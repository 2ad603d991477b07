"""How acts of the agent are observed: patterns on what was heard, tools, and optionally a model (APEX-Voice 2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_talk2agent.workflows.package.package import Package

LONGEST_CLASSIFIED = 600
"""Characters of an utterance that a classifier is shown, as upstream."""


@dataclass(frozen=True)
class SeenAct:
    """An act in what the agent says; it was heard when character ``end`` of the text was."""

    key: str
    value: str | None
    end: int


class Observer:
    """The patterns and the map of tools of a package."""

    def __init__(self, package: Package) -> None:
        spec = package.observer
        self._patterns = [(one.act, one.field, re.compile(one.pattern, re.IGNORECASE)) for one in spec.patterns]
        self._tools = spec.tool_act_map
        triggers = [t.when.agent_act for state in package.flow.states.values() for t in state.transitions]
        keys = [f"{act}:{field}" if field else act for act, field, pattern in self._patterns if not _open(pattern)]
        self.known = sorted({*keys, *(act for act in triggers if act is not None)})
        """The act keys that the package knows: the closed list of a classifier."""

    def in_speech(self, text: str) -> list[SeenAct]:
        """The acts in a text, each key once, where it first ends; in the order of the text."""
        found: dict[str, SeenAct] = {}
        for act, field, pattern in self._patterns:
            for match in pattern.finditer(text):
                groups = match.groupdict()
                name = field or groups.get("field")
                key = f"{act}:{name}" if name else act
                if key not in found or match.end() < found[key].end:
                    found[key] = SeenAct(key, groups.get("value"), match.end())
        return sorted(found.values(), key=lambda seen: (seen.end, seen.key))

    def of_tool(self, tool: str, result: Any) -> str | None:
        """The act key of a tool call with its result, None where the tool shows none."""
        act = self._tools.get(tool)
        if act is None:
            return None
        fields = result if isinstance(result, Mapping) else {}
        name = next((fields[key] for key in ("action_type", "target_id", "artifact_id") if fields.get(key)), None)
        return f"{act}:{name}" if isinstance(name, str) else act


def _open(pattern: re.Pattern[str]) -> bool:
    return "field" in pattern.groupindex


class UnreachableError(Exception):
    """The model could not be asked, so nobody knows what the user would have understood. One clear line."""


@dataclass(frozen=True)
class Classified:
    """What a classifier said about an utterance: its raw answer, the keys taken from it, and why there are none."""

    answer: str
    keys: tuple[str, ...] = ()
    error: str = ""


class Classifier(Protocol):
    """A model that may see acts that no pattern does. It is told neither gold nor facts."""

    def identity(self) -> Mapping[str, str]:
        """All that can change its answers."""
        ...

    def classify(self, text: str, known: list[str]) -> Classified:
        """The act keys of ``known`` that an utterance performs; raises UnreachableError where there is no answer."""
        ...
