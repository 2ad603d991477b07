"""What a baseline keeps of workflows: for each agent what every repetition of every package came to.

It pins what must be equal for a comparison to mean anything: each package by its SHA-256, the judge and the rules, and
the agent that goes by a label. A candidate under another label is what a baseline is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_talk2agent.results.untrusted import listed, mapping, refuse_other_keys

OUTCOMES = ("passed", "failed", "unjudged")
SHOWN = 5
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MOST_REPETITIONS = 1000
_ADD = "add it with --t2a-update-baseline=new"


@dataclass(frozen=True)
class HeldEntry:
    """One package: its SHA-256, the file that it was collected from, and outcomes by repetition."""

    package_sha256: str
    outcomes: Mapping[int, str]
    file: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values, repetitions in order."""
        outcomes = {str(repetition): self.outcomes[repetition] for repetition in sorted(self.outcomes)}
        return {"file": self.file, "package_sha256": self.package_sha256, "outcomes": outcomes}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> HeldEntry:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for data that is none."""
        refuse_other_keys(data, "a workflow", {"file", "package_sha256", "outcomes"})
        if not isinstance(data["file"], str) or not _SHA256.fullmatch(str(data["package_sha256"])):
            raise ValueError("a workflow has a file and a SHA-256")
        outcomes = {int(name): outcome for name, outcome in mapping(data["outcomes"], "outcomes").items()}
        if not outcomes or not all(0 <= number < _MOST_REPETITIONS for number in outcomes):
            raise ValueError("a workflow has repetitions from 0 on")
        if odd_outcome := set(map(str, outcomes.values())) - set(OUTCOMES):
            raise ValueError(f"{min(odd_outcome)!r:.40} is no outcome")
        return cls(data["package_sha256"], outcomes, data["file"])


@dataclass(frozen=True)
class HeldRow:
    """One finished session, as a baseline takes it in."""

    agent: str
    agent_sha256: str
    package: str
    package_sha256: str
    repetition: int
    outcome: str
    file: str = ""


@dataclass(frozen=True)
class Held:
    """All that a baseline knows of workflows. ``scoring`` names judge and rules, ``agents`` are SHA-256 by label."""

    scoring: str = ""
    agents: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, Mapping[str, HeldEntry]] = field(default_factory=dict)

    def reference(self, agent: str) -> str:
        """The agent that a candidate is held against: the one of its label, else the only one.

        Raises ValueError where there is none; the text says what to do.
        """
        if agent in self.agents:
            return agent
        if len(self.agents) == 1:
            return next(iter(self.agents))
        raise ValueError(f"no agent to compare {agent} with; it has {listed(self.agents) or 'none'}; {_ADD}")

    def outcome(self, agent: str, package: str, repetition: int) -> str | None:
        """What a repetition came to; None where it is not there."""
        entry = self.packages[self.reference(agent)].get(package)
        return None if entry is None else entry.outcomes.get(repetition)

    def refuse_other(
        self, agents: Mapping[str, str], packages: Mapping[str, str], scoring: str, *, new: bool = False
    ) -> None:
        """Raise ValueError, with what to do, where a run must not be compared with this.

        ``agents`` are SHA-256 of the run by label, ``packages`` those of packages by id; with ``new`` packages and
        agents may be new.
        """
        if self.agents and scoring != self.scoring:
            raise ValueError(
                f"workflows were scored by {self.scoring}, this run scores by {scoring}; outcomes do not compare."
                " Make it anew with --t2a-update-baseline"
            )
        changed, unknown = [], []
        for label, sha in agents.items():
            if new and label not in self.agents:
                continue
            reference = self.reference(label)
            if reference == label and self.agents[label] != sha:
                raise ValueError(
                    f"agent {label} is now another build ({self.agents[label][:8]} -> {sha[:8]});"
                    " to compare it as a candidate give it a name (--t2a-agent=NAME=SPEC), to accept it use"
                    " --t2a-update-baseline"
                )
            entries = self.packages[reference]
            unknown += [name for name in packages if name not in entries]
            changed += [
                name for name, digest in packages.items() if name in entries and entries[name].package_sha256 != digest
            ]
        problems = _listed("package changed", changed)
        problems += [] if new else _listed("not in the baseline", unknown)
        if problems:
            raise ValueError(
                f"this is the baseline of another suite: {'; '.join(problems)}."
                " Add what is new with --t2a-update-baseline=new, accept what changed with --t2a-update-baseline"
            )

    def updated(self, rows: Iterable[HeldRow], scoring: str, *, only_new: bool) -> Held:
        """Take in the sessions of a run; with ``only_new`` what is there stays. Other scoring drops what was there."""
        keep = scoring == self.scoring
        agents = dict(self.agents) if keep else {}
        packages = {label: dict(entries) for label, entries in self.packages.items()} if keep else {}
        before = {label: set(entries) for label, entries in packages.items()}
        for row in rows:
            if not only_new and agents.get(row.agent, row.agent_sha256) != row.agent_sha256:
                # What another agent did under this label says nothing of this one.
                packages[row.agent] = {}
            if only_new and row.package in before.get(row.agent, ()):
                continue
            agents[row.agent] = row.agent_sha256
            entries = packages.setdefault(row.agent, {})
            known = entries.get(row.package)
            same = known is not None and known.package_sha256 == row.package_sha256
            outcomes = {**(known.outcomes if known is not None and same else {}), row.repetition: row.outcome}
            entries[row.package] = HeldEntry(row.package_sha256, outcomes, row.file)
        return replace(self, scoring=scoring, agents=agents, packages=packages)

    def without(self, gone: Iterable[tuple[str, str]]) -> Held:
        """The same without some packages, each its agent and id; an agent that has none left goes with them."""
        keys = set(gone)
        kept = {
            label: {name: entry for name, entry in entries.items() if (label, name) not in keys}
            for label, entries in self.packages.items()
        }
        packages = {label: entries for label, entries in kept.items() if entries}
        return Held(self.scoring, {label: self.agents[label] for label in packages}, packages)

    def to_json(self) -> dict[str, Any]:
        """Plain values, in an order of their own."""
        return {
            "scoring": self.scoring,
            "agents": {label: self.agents[label] for label in sorted(self.agents)},
            "packages": {
                label: {name: entry.to_json() for name, entry in sorted(self.packages[label].items())}
                for label in sorted(self.packages)
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Held:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError for data that is none."""
        if odd := data.keys() ^ {"scoring", "agents", "packages"}:
            raise TypeError(f"workflows must have scoring, agents and packages, and nothing else ({min(odd)!r})")
        agents = dict(mapping(data["agents"], "agents"))
        packages = {
            label: {name: HeldEntry.from_json(mapping(one, name)) for name, one in mapping(entries, label).items()}
            for label, entries in mapping(data["packages"], "packages").items()
        }
        if agents.keys() != packages.keys() or not all(_SHA256.fullmatch(str(sha)) for sha in agents.values()):
            raise ValueError("workflows: each agent has a SHA-256 and packages")
        if not isinstance(data["scoring"], str):
            raise TypeError("workflows: scoring is no name")
        return cls(data["scoring"], agents, packages)


def _listed(what: str, names: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(names))
    if not unique:
        return []
    more = f" and {len(unique) - SHOWN} more" if len(unique) > SHOWN else ""
    return [f"{what}: {listed(unique[:SHOWN])}{more}"]
