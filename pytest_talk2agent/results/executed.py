"""What a baseline keeps of executions: for each condition and agent the scores of every task and take, by round."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from pytest_talk2agent.grading.retention import read_fraction
from pytest_talk2agent.results.untrusted import listed, mapping, refuse_other_keys

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MOST_ROUNDS = 100


@dataclass(frozen=True)
class ExecutedEntry:
    """One task and take as an agent executed it.

    ``task_sha256`` covers all of the task that can change a trial; ``scores`` are those of the rounds, in order;
    ``file`` is where the item was collected.
    """

    task_sha256: str
    scores: tuple[Fraction, ...]
    file: str = ""

    @property
    def mean(self) -> Fraction:
        """The mean over the rounds."""
        return sum(self.scores, Fraction(0)) / len(self.scores)

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions as strings."""
        return {"file": self.file, "task_sha256": self.task_sha256, "scores": list(map(str, self.scores))}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExecutedEntry:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for data that is none."""
        refuse_other_keys(data, "an execution", {"file", "task_sha256", "scores"})
        texts, scores = (data["file"], data["task_sha256"]), data["scores"]
        if not all(isinstance(text, str) for text in texts) or not isinstance(scores, list):
            raise TypeError("an execution has a file, a hash and a list of scores")
        if not _SHA256.fullmatch(data["task_sha256"]):
            raise ValueError(f"task_sha256 is {data['task_sha256']!r:.80}, not 64 hexadecimal digits")
        found = tuple(map(read_fraction, scores))
        if not 1 <= len(found) <= _MOST_ROUNDS or not all(0 <= score <= 1 for score in found):
            raise ValueError(f"scores must be 1 to {_MOST_ROUNDS} numbers from 0 to 1")
        return cls(data["task_sha256"], found, data["file"])


@dataclass(frozen=True)
class ExecutedRow:
    """An entry with its place in a baseline: condition with its spec, agent with its identity, task and take."""

    condition: str
    spec: str
    agent: str
    identity: Mapping[str, str]
    key: str
    entry: ExecutedEntry


Place = tuple[str, str]
"""The labels of a condition and of an agent."""


@dataclass(frozen=True)
class Executions:
    """All that a baseline knows of executions: specs of conditions, identities of agents, items by both labels."""

    specs: Mapping[str, str] = field(default_factory=dict)
    agents: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    items: Mapping[Place, Mapping[str, ExecutedEntry]] = field(default_factory=dict)

    def reference(self, condition: str, spec: str, agent: str, identity: Mapping[str, str]) -> Place:
        """What a condition and an agent are held against: each by its label, else by what it is, else the only one.

        Raises ValueError where there is none, or the agent of that label is another one; the text says what to do.
        """
        same = [name for name, known in self.specs.items() if known == spec]
        place = _chosen("condition", condition, same, self.specs), self._agent(agent, identity)
        if place not in self.items:
            raise ValueError(f"nothing was executed under {place[0]} by {place[1]} there; {_ADD}")
        return place

    def _agent(self, label: str, identity: Mapping[str, str]) -> str:
        known = self.agents.get(label)
        if known is not None and dict(known) != dict(identity):
            names = sorted(name for name in {*known, *identity} if known.get(name) != identity.get(name))
            changes = listed(f"{name} {known.get(name, 'none')} -> {identity.get(name, 'none')}" for name in names)
            raise ValueError(
                f"agent {label} is another one there: {changes}; to compare it as a candidate give it a name"
                " (--t2a-agent=NAME=SPEC), to accept it use --t2a-update-baseline"
            )
        same = [name for name, other in self.agents.items() if dict(other) == dict(identity)]
        return _chosen("agent", label, same, self.agents)

    def refuse_other_task(self, place: Place, key: str, task_sha256: str) -> None:
        """Raise ValueError where an item is not there, or is of another task; the text says what to do."""
        entry = self.items[place].get(key)
        if entry is None:
            raise ValueError(f"{key} was not executed under {place[0]} by {place[1]} there; {_ADD}")
        if entry.task_sha256 != task_sha256:
            raise ValueError(
                f"the task, its checks or its workspace have changed since {key} was executed there;"
                " accept that with --t2a-update-baseline"
            )

    def updated(self, rows: Iterable[ExecutedRow], *, only_new: bool) -> Executions:
        """Take in the rows of a run; with ``only_new`` what is there stays as it is."""
        specs, agents = dict(self.specs), dict(self.agents)
        items = {place: dict(entries) for place, entries in self.items.items()}
        for row in rows:
            entries = items.setdefault((row.condition, row.agent), {})
            if only_new and row.key in entries:
                continue
            if not only_new and agents.get(row.agent, row.identity) != row.identity:
                # What another agent did under this label says nothing of this one.
                items = {place: found for place, found in items.items() if place[1] != row.agent}
                entries = items.setdefault((row.condition, row.agent), {})
            specs[row.condition], agents[row.agent] = row.spec, dict(row.identity)
            entries[row.key] = row.entry
        return replace(
            self, specs=specs, agents=agents, items={place: found for place, found in items.items() if found}
        )

    def without(self, gone: Iterable[tuple[str, str, str]]) -> Executions:
        """The same without some entries, each its condition, agent and key."""
        keys = set(gone)
        kept = {place: {k: e for k, e in some.items() if (*place, k) not in keys} for place, some in self.items.items()}
        items = {place: entries for place, entries in kept.items() if entries}
        conditions, agents = {place[0] for place in items}, {place[1] for place in items}
        return Executions(
            {name: spec for name, spec in self.specs.items() if name in conditions},
            {name: identity for name, identity in self.agents.items() if name in agents},
            items,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values, in an order of their own."""
        items: dict[str, dict[str, Any]] = {}
        for (condition, agent), entries in sorted(self.items.items()):
            items.setdefault(condition, {})[agent] = {key: entries[key].to_json() for key in sorted(entries)}
        agents = {name: dict(self.agents[name]) for name in sorted(self.agents)}
        return {"specs": dict(sorted(self.specs.items())), "agents": agents, "items": items}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Executions:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for data that is none."""
        if odd := data.keys() ^ {"specs", "agents", "items"}:
            raise TypeError(f"executions must have specs, agents and items, and nothing else ({min(odd)!r})")
        specs = _texts(data["specs"], "specs")
        agents = {name: _texts(found, name) for name, found in mapping(data["agents"], "agents").items()}
        items: dict[Place, dict[str, ExecutedEntry]] = {}
        for condition, by_agent in mapping(data["items"], "items").items():
            for agent, entries in mapping(by_agent, condition).items():
                found = {
                    key: ExecutedEntry.from_json(mapping(one, key)) for key, one in mapping(entries, agent).items()
                }
                items[condition, agent] = found
        if {place[0] for place in items} != specs.keys() or {place[1] for place in items} != agents.keys():
            raise ValueError("executions: the labels of its items are not those of its specs and agents")
        return cls(specs, agents, items)


_ADD = "add it with --t2a-update-baseline=new"


def _chosen(what: str, label: str, same: Sequence[str], known: Iterable[str]) -> str:
    """The label itself where it is known, else the first that is the same, else the only one."""
    names = list(known)
    if label in names:
        return label
    if same or len(names) == 1:
        return [*same, *names][0]
    raise ValueError(f"no {what} to compare the executions of {label} with; it has {listed(names) or 'none'}; {_ADD}")


def _texts(value: object, name: str) -> dict[str, str]:
    found = dict(mapping(value, name))
    if not all(isinstance(text, str) for text in found.values()):
        raise TypeError(f"{name}: what is not text")
    return found
