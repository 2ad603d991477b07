"""A baseline: the results that later runs must not fall below, and what made them.

A baseline pins what must be equal for a comparison to mean anything: each task, each recording, the judge, and the
build and decode settings of an interface that goes by the same spec. A candidate under another spec (or label) is what
a baseline is for and is compared with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from pytest_talk2agent.results.entry import Entry, unlike
from pytest_talk2agent.results.executed import ExecutedRow, Executions
from pytest_talk2agent.results.held import Held
from pytest_talk2agent.results.store import content_key, write_whole
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import (
    fault_line,
    listed,
    mapping,
    parse_exact,
    read_regular,
    refuse_other_types,
)

SCHEMA = 3
SHOWN = 5
_ANEW = "restore it, or delete it and make it anew with --t2a-update-baseline"
_KEYS = frozenset(("schema", "judge", "suite_sha256", "conditions", "items", "executions", "workflows", "sha256"))


class BaselineError(Exception):
    """A baseline cannot be read, or must not be compared with this run. One clear line, then the differences."""


@dataclass(frozen=True)
class Pins:
    """What made one condition of a baseline: its spec string and everything that can change its transcripts."""

    spec: str
    fingerprint: str
    identity: Mapping[str, str]


@dataclass(frozen=True)
class Candidate:
    """An item about to be compared: its condition, and the hashes that must agree with the baseline."""

    condition: str
    key: str
    task_sha256: str
    audio_sha256: str | None


@dataclass(frozen=True)
class Baseline:
    """All conditions of a baseline file, each with its pins and its items by key (`task[take]`).

    Beside them it keeps what agents executed, and what sessions of workflows came to.
    """

    path: Path
    judge: str
    conditions: Mapping[str, Pins] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)
    executions: Executions = field(default_factory=Executions)
    workflows: Held = field(default_factory=Held)

    def reference(self, label: str, spec: str) -> str:
        """The condition that a candidate is held against: the same label, else the same spec, else the only one.

        Raises BaselineError where there is no such condition.
        """
        same = [name for name, known in self.conditions.items() if known.spec == spec]
        chosen = label if label in self.conditions else same[0] if same else None
        if chosen is None and len(self.conditions) == 1:
            chosen = next(iter(self.conditions))
        if chosen is None:
            known = listed(self.conditions) or "none"
            raise BaselineError(f"{self.path}: no condition to compare {label} with; it has {known}")
        return chosen

    def reference_or_none(self, label: str, spec: str) -> str | None:
        """As `reference`; None where there is no such condition."""
        try:
            return self.reference(label, spec)
        except BaselineError:
            return None

    def refuse_other_build(self, label: str, pins: Pins) -> None:
        """Raise BaselineError where a condition of the same label and spec is another build, or decodes otherwise."""
        before = self.conditions.get(label)
        if before is not None and before.spec == pins.spec and before.fingerprint != pins.fingerprint:
            difference = _difference(before.identity, pins.identity)
            raise BaselineError(
                f"{self.path}: {label} is now another build of {pins.spec}: {difference};"
                f" to compare it as a candidate give it a name (--t2a-interface=NAME={pins.spec}),"
                " to accept it use --t2a-update-baseline"
            )

    def refuse_other_suite(self, references: Mapping[str, str], items: Iterable[Candidate], judge: str) -> None:
        """Raise BaselineError where tasks, recordings or the judge are not those of the baseline, or items are new.

        ``references`` maps each condition of the run to the one it is held against.
        """
        if judge != self.judge:
            raise BaselineError(
                f"{self.path}: made by judge {self.judge}, this run judges with {judge}; labels do not compare."
                " Make it anew with --t2a-update-baseline"
            )
        new, tasks, recordings = [], [], []
        for item in items:
            entry = self.items.get(references[item.condition], {}).get(item.key)
            if entry is None:
                new.append(item.key)
            elif entry.task_sha256 != item.task_sha256:
                tasks.append(f"{item.key} {entry.task_sha256[:8]} -> {item.task_sha256[:8]}")
            elif entry.audio_sha256 and item.audio_sha256 and entry.audio_sha256 != item.audio_sha256:
                recordings.append(f"{item.key} {entry.audio_sha256[:8]} -> {item.audio_sha256[:8]}")
        problems = [
            *_listed("not in the baseline", new),
            *_listed("task changed", tasks),
            *_listed("recording changed", recordings),
        ]
        if problems:
            raise BaselineError(
                f"{self.path}: this is the baseline of another suite: {'; '.join(problems)}."
                " Add what is new with --t2a-update-baseline=new, accept what changed with --t2a-update-baseline"
            )

    def refuse_other_scores(self, reference: str, key: str, found: Collection[str]) -> None:
        """Raise BaselineError where an item that has a score has none in the baseline, or the other way round.

        ``found`` are the metrics that the run has of it. What the baseline has no score of sets no limit, so that any
        loss would pass.
        """
        entry = self.items.get(reference, {}).get(key)
        difference = None if entry is None else unlike(entry.intervals(), found)
        if difference is not None:
            raise BaselineError(
                f"{self.path}: {key}: {difference}; the task is the same, so the file was edited, or made by a version"
                " that scores it otherwise. Restore it, or accept what is now with --t2a-update-baseline"
            )

    def unseen(self, reference: str, seen: Collection[str]) -> list[tuple[str, Entry]]:
        """The items of a condition that are not among some keys, in order: what a run should have had, and had not."""
        return [(key, entry) for key, entry in sorted(self.items.get(reference, {}).items()) if key not in seen]

    def updated(self, results: Sequence[TaskResult], judge: str, *, only_new: bool) -> Baseline:
        """Take in the results of a run; items that the run did not have stay as they are.

        With ``only_new`` what the baseline has already stays untouched. Another judge drops what the former one made.
        Raises BaselineError where new items would be mixed with those of another build.
        """
        keep = judge == self.judge
        conditions = dict(self.conditions) if keep else {}
        items = {name: dict(entries) for name, entries in self.items.items()} if keep else {}
        for result in results:
            entries = items.setdefault(result.condition, {})
            if only_new and result.key in entries:
                continue
            made_by = result.transcript
            pins = Pins(result.spec, made_by.fingerprint, made_by.identity)
            before = conditions.get(result.condition)
            if only_new and before is not None and before.fingerprint != pins.fingerprint:
                raise BaselineError(
                    f"{self.path}: {result.condition} is {before.spec} there and {pins.spec} in this run:"
                    f" {_difference(before.identity, pins.identity)}; items of two builds do not mix."
                    " Give the new one a name (--t2a-interface=NAME=SPEC), or accept it with --t2a-update-baseline"
                )
            conditions[result.condition] = pins
            entries[result.key] = Entry.of(result)
        return replace(self, judge=judge, conditions=conditions, items=items)

    def without(self, entries: Iterable[tuple[str, str]]) -> Baseline:
        """The same without some entries, each its condition and key; a condition that has none left goes with them."""
        gone = set(entries)
        kept = {
            name: {key: entry for key, entry in known.items() if (name, key) not in gone}
            for name, known in self.items.items()
        }
        items = {name: known for name, known in kept.items() if known}
        return replace(self, items=items, conditions={name: self.conditions[name] for name in items})

    def changes_since(self, before: Baseline) -> int:
        """How many of its items are not in an earlier state, or not the same there."""
        return sum(
            before.items.get(condition, {}).get(key) != entry
            for condition, entries in self.items.items()
            for key, entry in entries.items()
        )

    def with_executions(self, rows: Iterable[ExecutedRow], *, only_new: bool) -> Baseline:
        """Take in what agents did, as `updated` takes in results."""
        return replace(self, executions=self.executions.updated(rows, only_new=only_new))

    def suite_sha256(self) -> str:
        """One hash over every task and recording, for a quick look whether two baselines are of one suite."""
        every = [pair for items in self.items.values() for pair in items.items()]
        entries = {(key, entry.task_sha256, entry.audio_sha256 or "") for key, entry in every}
        return content_key(sorted(entries))

    def save(self) -> None:
        """Write the file atomically; raises OSError with the path, BaselineError where it could not be read back."""
        for key, entry in (pair for entries in self.items.values() for pair in entries.items()):
            try:
                entry.refuse_contradictions()
            except ValueError as error:
                raise BaselineError(f"{self.path}: {key}: {error}; look at the judge that made these labels") from None
        document = {
            "schema": SCHEMA,
            "judge": self.judge,
            "suite_sha256": self.suite_sha256(),
            "conditions": {name: vars(self.conditions[name]) for name in sorted(self.conditions)},
            "items": {
                name: {key: _signed(name, key, entries[key].to_json()) for key in sorted(entries)}
                for name, entries in sorted(self.items.items())
            },
            **({"executions": self.executions.to_json()} if self.executions.items else {}),
            **({"workflows": self.workflows.to_json()} if self.workflows.agents else {}),
        }
        write_whole(
            self.path, json.dumps(document | {"sha256": _digest(document)}, indent=1, ensure_ascii=False) + "\n"
        )

    @classmethod
    def load(cls, path: Path) -> Baseline:
        """Read a baseline file; raises BaselineError with one line where it is invalid or was edited."""
        baseline, edits = cls.reviewed(path)
        if edits:
            raise BaselineError(
                f"{path}: {'; '.join(edits)}. Restore it, accept it as it is with"
                f" `talk2agent accept {quote(str(path))}`, or delete it and make it anew with --t2a-update-baseline"
            )
        return baseline

    @classmethod
    def reviewed(cls, path: Path) -> tuple[Baseline, list[str]]:
        """Read a baseline file, and list how it differs from what was written.

        Raises BaselineError with one line where it cannot be read as a baseline at all.
        """
        try:
            # A number that a hand put in stays the decimal that was written.
            document = mapping(parse_exact(read_regular(path)), "it")
            if document["schema"] not in (SCHEMA, SCHEMA - 1):
                known = f"a baseline of schema {document['schema']!r:.20}; this version reads {SCHEMA}"
                raise BaselineError(f"{path}: {known}; {_ANEW}")
            baseline = cls._of(path, document)
            edits = _edits(document)
            if document.get("suite_sha256") != baseline.suite_sha256():
                edits.append("its tasks and recordings are not those of its suite_sha256")
            return baseline, edits
        except OSError as error:
            raise BaselineError(
                f"{path}: cannot read the baseline ({error.strerror}); make one with --t2a-update-baseline"
            ) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BaselineError(f"{path}: not a baseline file ({fault_line(error)}); {_ANEW}") from None

    @classmethod
    def _of(cls, path: Path, document: Mapping[str, Any]) -> Baseline:
        if unknown := document.keys() - _KEYS:
            raise ValueError(f"it has no {min(unknown)!r}")
        conditions = {
            name: _pins_from_json(mapping(pins, name))
            for name, pins in mapping(document["conditions"], "conditions").items()
        }
        items = {
            name: {key: _entry_from_json(key, mapping(entry, key)) for key, entry in mapping(entries, name).items()}
            for name, entries in mapping(document["items"], "items").items()
        }
        if conditions.keys() != items.keys():
            odd = ", ".join(sorted(conditions.keys() ^ items.keys()))
            raise ValueError(f"conditions and items differ in {odd}")
        judge = document["judge"]
        if not isinstance(judge, str) or not judge or not judge.isprintable():
            raise TypeError("the judge is no name")
        executions = (
            Executions.from_json(mapping(document["executions"], "executions")) if "executions" in document else None
        )
        workflows = Held.from_json(mapping(document["workflows"], "workflows")) if "workflows" in document else Held()
        return cls(path, judge, conditions, items, executions or Executions(), workflows)


def _listed(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return [f"{what}: {listed(names[:SHOWN])}{more}"]


def _difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    return listed(f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}" for name in names)


def _pins_from_json(data: Mapping[str, Any]) -> Pins:
    names = ("spec", "fingerprint", "identity")
    if unknown := data.keys() - set(names):
        raise TypeError(f"a condition has no {min(unknown)!r}")
    pins = Pins(**{name: data[name] for name in names})
    refuse_other_types(pins)
    return pins


def _entry_from_json(key: str, data: Mapping[str, Any]) -> Entry:
    own = {name: value for name, value in data.items() if name != "sha256"}
    try:
        return Entry.from_json({"file": "", **own})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key}: {error}") from None


def _edits(document: Mapping[str, Any]) -> list[str]:
    """In what a document is not as it was written, as far as its digests say."""
    if document["schema"] != SCHEMA:
        return [f"written by an earlier version (schema {document['schema']}), which kept no checksum"]
    own = {name: value for name, value in document.items() if name != "sha256"}
    if document.get("sha256") == _digest(own):
        return []
    entries = [(name, key, entry) for name, some in document["items"].items() for key, entry in some.items()]
    edited = [key for name, key, entry in entries if entry != _signed(name, key, entry)]
    found = _listed(f"{len(edited)} of its {len(entries)} items changed since they were written", edited)
    return found or ["changed since it was written, in its head or by items that are gone"]


def _signed(condition: str, key: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with the digest of itself and of its place, by which an edit is found in a file of many."""
    own = {name: value for name, value in entry.items() if name != "sha256"}
    return {**own, "sha256": _digest([condition, key, own])[:16]}


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()
