"""A baseline: the results that later runs must not fall below, and what made them.

A baseline pins what must be equal for a comparison to mean anything: each task, each recording, the judge, and the
build and decode settings of an interface that goes by the same spec. A candidate under another spec (or label) is what
a baseline is for and is compared with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.store import content_key, write_whole

SCHEMA = 2
READABLE = (1, 2)
SHOWN = 5
_ANEW = "restore it, or delete it and make it anew with --t2a-update-baseline"


class BaselineError(Exception):
    """A baseline cannot be read, or must not be compared with this run. One clear line, then the differences."""


@dataclass(frozen=True)
class Pins:
    """What made one condition of a baseline: its spec string and everything that can change its transcripts."""

    spec: str
    fingerprint: str
    identity: Mapping[str, str]


@dataclass(frozen=True)
class Entry:
    """One item of a baseline. Intervals are None where the task has nothing to lose.

    ``kinds`` maps every intention to its kind, ``scored`` says whether the item enters means, ``heard`` is a hash of
    the transcript. These and ``unresolved`` are None in files of schema 1, which did not keep them.
    """

    task_sha256: str
    audio_sha256: str | None
    native: Interval | None
    shapley: Interval | None
    lost: tuple[str, ...] = ()
    unresolved: tuple[str, ...] | None = None
    kinds: Mapping[str, str] | None = None
    scored: bool | None = None
    heard: str | None = None
    file: str = ""

    @classmethod
    def of(cls, result: TaskResult) -> Entry:
        """The entry that a result leaves behind."""
        retention = result.retention
        return cls(
            task_sha256=result.task_sha256,
            audio_sha256=result.transcript.audio_sha256,
            native=retention.native,
            shapley=retention.shapley,
            lost=tuple(result.lost()),
            unresolved=tuple(result.unresolved()),
            kinds={name: result.kinds[name] for name in result.judgement.findings},
            scored=result.scored,
            heard=content_key(result.transcript.state, result.transcript.text)[:16],
            file=result.file,
        )

    def intervals(self) -> dict[str, Interval]:
        """The metrics that are defined."""
        found = {"native": self.native, "shapley": self.shapley}
        return {metric: interval for metric, interval in found.items() if interval is not None}


@dataclass(frozen=True)
class Candidate:
    """An item about to be compared: its condition, and the hashes that must agree with the baseline."""

    condition: str
    key: str
    task_sha256: str
    audio_sha256: str | None


@dataclass(frozen=True)
class Baseline:
    """All conditions of a baseline file, each with its pins and its items by key (`task[take]`)."""

    path: Path
    judge: str
    conditions: Mapping[str, Pins] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)

    def reference(self, label: str, spec: str) -> str:
        """The condition that a candidate is held against: the same label, else the same spec, else the only one.

        Raises BaselineError where there is no such condition.
        """
        same = [name for name, known in self.conditions.items() if known.spec == spec]
        chosen = label if label in self.conditions else same[0] if same else None
        if chosen is None and len(self.conditions) == 1:
            chosen = next(iter(self.conditions))
        if chosen is None:
            known = ", ".join(self.conditions) or "none"
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

    def suite_sha256(self) -> str:
        """One hash over every task and recording, for a quick look whether two baselines are of one suite."""
        every = [pair for items in self.items.values() for pair in items.items()]
        entries = {(key, entry.task_sha256, entry.audio_sha256 or "") for key, entry in every}
        return content_key(sorted(entries))

    def save(self) -> None:
        """Write the file whole; raises OSError with the path."""
        document = {
            "schema": SCHEMA,
            "judge": self.judge,
            "suite_sha256": self.suite_sha256(),
            "conditions": {name: _pins_to_json(self.conditions[name]) for name in sorted(self.conditions)},
            "items": {
                name: {key: _entry_to_json(entries[key]) for key in sorted(entries)}
                for name, entries in sorted(self.items.items())
            },
        }
        write_whole(self.path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> Baseline:
        """Read a baseline file; raises BaselineError with one line where that cannot be done."""
        try:
            # A number that a hand put in stays the decimal that was written.
            document = json.loads(path.read_text(encoding="utf-8"), parse_float=str)
            if document["schema"] not in READABLE:
                known = " and ".join(map(str, READABLE))
                raise BaselineError(
                    f"{path}: a baseline of schema {document['schema']!r}; this version reads {known}; {_ANEW}"
                )
            conditions = {name: _pins_from_json(pins) for name, pins in document["conditions"].items()}
            items = {
                name: {key: _entry_from_json(entry) for key, entry in entries.items()}
                for name, entries in document["items"].items()
            }
            if conditions.keys() != items.keys():
                odd = ", ".join(sorted(conditions.keys() ^ items.keys()))
                raise ValueError(f"conditions and items differ in {odd}")
            return cls(path=path, judge=document["judge"], conditions=conditions, items=items)
        except OSError as error:
            raise BaselineError(
                f"{path}: cannot read the baseline ({error.strerror}); make one with --t2a-update-baseline"
            ) from None
        except KeyError as error:
            raise BaselineError(f"{path}: not a baseline file (no {error}); {_ANEW}") from None
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise BaselineError(f"{path}: not a baseline file ({error}); {_ANEW}") from None


def _listed(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return [f"{what}: {', '.join(names[:SHOWN])}{more}"]


def _difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    return ", ".join(f"{name} {before.get(name, 'none')} -> {now.get(name, 'none')}" for name in names)


def _pins_from_json(data: Mapping[str, Any]) -> Pins:
    return Pins(spec=data["spec"], fingerprint=data["fingerprint"], identity=dict(data["identity"]))


def _pins_to_json(pins: Pins) -> dict[str, Any]:
    return {"spec": pins.spec, "fingerprint": pins.fingerprint, "identity": dict(pins.identity)}


def _entry_to_json(entry: Entry) -> dict[str, Any]:
    return {
        "task_sha256": entry.task_sha256,
        "audio_sha256": entry.audio_sha256,
        "native": None if entry.native is None else entry.native.to_json(),
        "shapley": None if entry.shapley is None else entry.shapley.to_json(),
        "lost": list(entry.lost),
        "unresolved": None if entry.unresolved is None else list(entry.unresolved),
        "kinds": None if entry.kinds is None else dict(entry.kinds),
        "scored": entry.scored,
        "heard": entry.heard,
        "file": entry.file,
    }


def _entry_from_json(data: Mapping[str, Any]) -> Entry:
    return Entry(
        task_sha256=data["task_sha256"],
        audio_sha256=data["audio_sha256"],
        native=_interval_from_json(data["native"]),
        shapley=_interval_from_json(data["shapley"]),
        lost=tuple(data["lost"]),
        unresolved=None if data.get("unresolved") is None else tuple(data["unresolved"]),
        kinds=None if data.get("kinds") is None else dict(data["kinds"]),
        scored=data.get("scored"),
        heard=data.get("heard"),
        file=data.get("file", ""),
    )


def _interval_from_json(ends: list[str] | None) -> Interval | None:
    if ends is None:
        return None
    interval = Interval.from_json(ends)
    if interval.low > interval.high:
        raise ValueError(f"the interval {interval} ends below its beginning")
    return interval
