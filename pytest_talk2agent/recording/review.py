"""Scripts beside their task file: proposed by rules, read by a person, never lost.

``tasks.yaml`` has ``tasks.scripts.yaml`` beside it: one entry a task, with its script and what became of it.

- ``proposed``: made by rules and read by nobody; made again whenever the instruction or the style changes.
- ``accepted``: a person has read it.
- ``edited``: a person has written it. An entry whose script is not what was proposed counts as edited.

A script that a person has read stays when its instruction changes; the entry then says so in ``outdated`` and has the
new proposal beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from pytest_talk2agent.recording.script import VERSION, Script
from pytest_talk2agent.results.store import write_whole

State = Literal["proposed", "accepted", "edited"]
STATES: tuple[State, ...] = ("proposed", "accepted", "edited")
_KEYS = ("task", "state", "script", "proposal", "outdated", "instruction_sha256", "style", "rules", "note")


class ReviewError(ValueError):
    """A file of scripts that cannot be read; the message names the place and what to do."""


@dataclass(frozen=True)
class Entry:
    """One task's script.

    ``proposal`` is what the rules last made of it; ``outdated`` says that the instruction changed after a person had
    read the script.
    """

    task: str
    state: State
    script: str
    proposal: str
    instruction_sha256: str
    style: str
    rules: str = VERSION
    outdated: bool = False
    note: str = ""

    @property
    def is_reviewed(self) -> bool:
        """Whether a person has read it, and the instruction has not changed since."""
        return self.state != "proposed" and not self.outdated


@dataclass
class Review:
    """The scripts of one task file, by task, in its order."""

    path: Path
    entries: dict[str, Entry] = field(default_factory=dict)

    @classmethod
    def beside(cls, task_file: Path) -> Review:
        """The scripts beside a task file, none where there are none yet; raises ReviewError."""
        path = neighbour(task_file)
        return cls(path, _read(path) if path.exists() else {})

    def propose(self, task: str, instruction: str, script: Script, style: str) -> Entry:
        """Take a proposal in; what a person has read stays."""
        digest = digest_of(instruction)
        before = self.entries.get(task)
        entry = Entry(task, "proposed", script.text, script.text, digest, style)
        if before is not None and before.state != "proposed":
            changed = before.instruction_sha256 != digest
            entry = replace(before, proposal=script.text if changed else before.proposal,
                            outdated=before.outdated or changed)  # fmt: skip
        elif before is not None:
            entry = replace(entry, note=before.note)
        self.entries[task] = entry
        return entry

    def accept(self, task: str, instruction: str) -> Entry:
        """A person has read the script of a task; raises ReviewError where it has none."""
        if task not in self.entries:
            raise ReviewError(f"{self.path}: no script of {task}; run `talk2agent speak --script` first")
        digest = digest_of(instruction)
        entry = self.entries[task]
        state: State = "edited" if entry.state == "edited" else "accepted"
        self.entries[task] = replace(entry, state=state, outdated=False, instruction_sha256=digest)
        return self.entries[task]

    def save(self) -> None:
        """Write the file as a whole."""
        text = yaml.safe_dump(
            [_plain(entry) for entry in self.entries.values()], sort_keys=False, allow_unicode=True, width=118
        )
        write_whole(self.path, f"# Scripts of {self.path.name.replace('.scripts', '')}; see docs/recording.md.\n{text}")


def digest_of(instruction: str) -> str:
    """SHA-256 of an instruction, in hexadecimal."""
    return hashlib.sha256(instruction.encode()).hexdigest()


def neighbour(task_file: Path) -> Path:
    """Where the scripts of a task file are kept."""
    return task_file.with_name(f"{task_file.stem}.scripts.yaml")


def _plain(entry: Entry) -> dict[str, Any]:
    values = {name: vars(entry)[name] for name in _KEYS}
    if entry.proposal == entry.script:
        del values["proposal"]
    return {name: value for name, value in values.items() if value not in ("", False) or name == "script"}


def _read(path: Path) -> dict[str, Entry]:
    try:
        rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ReviewError(f"{path}: not readable as YAML ({' '.join(str(error).split())[:200]}); mend it") from None
    if rows is None:
        return {}
    if not isinstance(rows, list):
        raise ReviewError(f"{path}: a list of entries is expected, each with `task` and `script`")
    entries: dict[str, Entry] = {}
    for number, row in enumerate(rows, 1):
        entry = _entry(row, f"{path}: entry {number}")
        if entry.task in entries:
            raise ReviewError(f"{path}: entry {number}: task {entry.task} a second time; delete one")
        entries[entry.task] = entry
    return entries


def _entry(row: object, place: str) -> Entry:
    if not isinstance(row, Mapping):
        raise ReviewError(f"{place}: an entry has keys, such as `task` and `script`")
    for key, value in row.items():
        if key not in _KEYS:
            raise ReviewError(f"{place}: unknown key {key!r}; known: {', '.join(_KEYS)}")
        if not isinstance(value, bool if key == "outdated" else str):
            raise ReviewError(f"{place}: {key} is no {'yes or no' if key == 'outdated' else 'text'}; quote it")
    missing = [key for key in ("task", "state", "script", "instruction_sha256") if not row.get(key)]
    if missing:
        raise ReviewError(f"{place}: {missing[0]} is missing")
    if row["state"] not in STATES:
        raise ReviewError(f"{place}: state is {row['state']!r}; known: {', '.join(STATES)}")
    values = {"style": "", "rules": "", **row}
    values.setdefault("proposal", row["script"])
    entry = Entry(**values)
    # Whoever rewrote the script and not the state has read it all the same.
    edited = entry.state == "proposed" and entry.script != entry.proposal
    return replace(entry, state="edited") if edited else entry
