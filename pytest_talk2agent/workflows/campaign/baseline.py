"""A baseline of workflows: what every repetition of every package came to, by agent, and what made it.

It pins what must be equal for a comparison to mean anything: each package by its SHA-256, the judge, the rules, and the
agent that goes by a label. A candidate under another label is what a baseline is for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_talk2agent.results.baseline import BaselineError
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.results.untrusted import fault_line, listed, mapping, parse_plain, read_regular
from pytest_talk2agent.workflows.campaign.record import Outcome, SessionRecord
from pytest_talk2agent.workflows.campaign.reliability import Reliability, reliability
from pytest_talk2agent.workflows.scoring.grade import Truth

KIND = "workflows"
SCHEMA = 1
SHOWN = 5
_ANEW = "restore it, or make it anew with --t2a-update-baseline"
_TRUTHS: Mapping[Outcome, Truth] = {"passed": True, "failed": False, "unjudged": None}


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    package_sha256: str
    outcomes: dict[int, Outcome]


@dataclass(frozen=True)
class WorkflowBaseline:
    """The agents of a baseline by label, each with its fingerprint and its packages.

    ``scoring`` names judge and rules.
    """

    path: Path
    scoring: str
    agents: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, Mapping[str, _Entry]] = field(default_factory=dict)

    def reference(self, agent: str) -> str:
        """The agent that a candidate is held against: the one of its label, else the only one.

        Raises BaselineError where there is none.
        """
        if agent in self.agents:
            return agent
        if len(self.agents) == 1:
            return next(iter(self.agents))
        raise BaselineError(f"{self.path}: no agent to compare {agent} with; it has {listed(self.agents) or 'none'}")

    def outcome(self, agent: str, package: str, repetition: int) -> Outcome | None:
        """What a repetition came to; None where it is not there."""
        entry = self.packages[self.reference(agent)].get(package)
        return None if entry is None else entry.outcomes.get(repetition)

    def reliability(self, agent: str, k: int) -> Reliability:
        """The repetitions of one of its agents."""
        found = {name: _truths(entry.outcomes) for name, entry in self.packages[agent].items()}
        return reliability(found, k)

    def refuse_other(
        self, agents: Mapping[str, str], packages: Mapping[str, str], scoring: str, *, new: bool = False
    ) -> None:
        """Raise BaselineError where a run must not be compared with this.

        ``agents`` are labels and fingerprints of the run, ``packages`` ids and SHA-256; ``new`` lets packages be new.
        """
        if scoring != self.scoring:
            raise BaselineError(
                f"{self.path}: scored by {self.scoring}, this run by {scoring}; outcomes do not compare."
                " Make it anew with --t2a-update-baseline"
            )
        changed, unknown = [], []
        for label, fingerprint in agents.items():
            reference = self.reference(label)
            if reference == label and self.agents[label] != fingerprint:
                raise BaselineError(
                    f"{self.path}: agent {label} is now another build ({self.agents[label][:8]} -> {fingerprint[:8]});"
                    " to compare it as a candidate give it a name (--t2a-agent=NAME=SPEC), to accept it use"
                    " --t2a-update-baseline"
                )
            entries = self.packages[reference]
            unknown += [name for name in packages if name not in entries]
            changed += [
                name for name, sha in packages.items() if name in entries and entries[name].package_sha256 != sha
            ]
        problems = _listed("package changed", changed)
        problems += [] if new else _listed("not in the baseline", unknown)
        if problems:
            raise BaselineError(
                f"{self.path}: this is the baseline of another suite: {'; '.join(problems)}."
                " Add what is new with --t2a-update-baseline=new, accept what changed with --t2a-update-baseline"
            )

    def unseen(self, agent: str, seen: Iterable[str]) -> list[str]:
        """Packages of an agent that are not among those seen, in order."""
        return sorted(self.packages[self.reference(agent)].keys() - set(seen))

    def updated(
        self, records: Iterable[SessionRecord], scoring: str, rules: str | None, *, only_new: bool
    ) -> WorkflowBaseline:
        """Take in finished sessions; with ``only_new`` what is there stays. Other scoring drops what was there.

        ``rules`` are those that outcomes go by ("apex-1.0", or None).
        """
        keep = scoring == self.scoring
        agents = dict(self.agents) if keep else {}
        packages = {label: dict(entries) for label, entries in self.packages.items()} if keep else {}
        before = {label: dict(entries) for label, entries in packages.items()}
        for record in records:
            if not record.finished:
                continue
            key = record.key
            if agents.get(key.agent, key.agent_sha256) != key.agent_sha256 and not only_new:
                packages[key.agent] = {}
                before.pop(key.agent, None)
            if only_new and key.package in before.get(key.agent, {}):
                continue
            agents[key.agent] = key.agent_sha256
            entries = packages.setdefault(key.agent, {})
            known = entries.get(key.package)
            outcomes = dict(known.outcomes) if known and known.package_sha256 == key.package_sha256 else {}
            outcomes[key.repetition] = record.outcome("apex-1.0" if rules else None)
            entries[key.package] = _Entry(package_sha256=key.package_sha256, outcomes=outcomes)
        return replace(self, scoring=scoring, agents=agents, packages=packages)

    def save(self) -> None:
        """Write the file whole, with its digest; raises OSError."""
        document = {
            "kind": KIND,
            "schema": SCHEMA,
            "scoring": self.scoring,
            "agents": {
                label: {
                    "sha256": self.agents[label],
                    "packages": {
                        name: {
                            "package_sha256": entry.package_sha256,
                            "outcomes": {str(rep): entry.outcomes[rep] for rep in sorted(entry.outcomes)},
                        }
                        for name, entry in sorted(self.packages[label].items())
                    },
                }
                for label in sorted(self.agents)
            },
        }
        whole = document | {"sha256": _digest(document)}
        write_whole(self.path, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> WorkflowBaseline:
        """Read a file; raises BaselineError with one line where it is none, or not as it was written."""
        try:
            document = dict(mapping(parse_plain(read_regular(path)), "it"))
            digest = document.pop("sha256", None)
            if document.get("kind") != KIND:
                raise BaselineError(f"{path}: no baseline of workflows; name another file with --t2a-baseline")
            if document["schema"] != SCHEMA:
                raise BaselineError(
                    f"{path}: a baseline of schema {document['schema']!r:.20}; this version reads {SCHEMA}; {_ANEW}"
                )
            if digest != _digest(document):
                raise BaselineError(f"{path}: changed since it was written; {_ANEW}")
            agents, packages = {}, {}
            for label, data in mapping(document["agents"], "agents").items():
                agents[label] = str(data["sha256"])
                packages[label] = {
                    name: _Entry.model_validate(entry) for name, entry in mapping(data["packages"], label).items()
                }
            return cls(path, str(document["scoring"]), agents, packages)
        except OSError as error:
            raise BaselineError(
                f"{path}: cannot read the baseline ({error.strerror}); make one with --t2a-update-baseline"
            ) from None
        except ValidationError as error:
            raise BaselineError(f"{path}: not a baseline file ({error.errors()[0]['msg']}); {_ANEW}") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if isinstance(error, BaselineError):
                raise
            raise BaselineError(f"{path}: not a baseline file ({fault_line(error)}); {_ANEW}") from None


def _truths(outcomes: Mapping[int, Outcome]) -> dict[int, Truth]:
    return {repetition: _TRUTHS[outcome] for repetition, outcome in outcomes.items() if outcome in _TRUTHS}


def _listed(what: str, names: list[str]) -> list[str]:
    unique = list(dict.fromkeys(names))
    if not unique:
        return []
    more = f" and {len(unique) - SHOWN} more" if len(unique) > SHOWN else ""
    return [f"{what}: {listed(unique[:SHOWN])}{more}"]


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
