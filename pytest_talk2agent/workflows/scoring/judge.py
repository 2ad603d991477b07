"""The judge of a field: do two values mean the same? Yes, no, or *unjudged*, which is never a failure in silence.

Published verdicts are found by the published key: MD5 of version, field, what was written and what is expected, joined
by ``|``. Neither model nor context is part of it, so such a file is believed only where somebody names it.
"""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.tasks.files import parse_json

APEX_VERSION = "artifact-aware-3"
SIBLINGS = 40
"""How many other fields of the artifact the judge is shown."""


@dataclass(frozen=True)
class Question:
    """What the judge is asked: whether ``pred`` is as good as ``gold`` for a field.

    ``claim`` asks instead whether the text ``pred`` states the proposition ``gold``. ``context`` are plain values of
    the artifact around it, ``note`` says what else counts, such as a tolerance.
    """

    field: str
    pred: object
    gold: object
    context: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    note: str = ""
    claim: bool = False


@dataclass(frozen=True)
class Verdict:
    """The answer; ``passed`` is None where nobody judged, and ``failed`` says that a judge was there and failed."""

    passed: bool | None
    reason: str = ""
    failed: bool = False


class FieldJudge:
    """No judge: everything that a rule leaves open stays unjudged. Others override `judge`."""

    fingerprint = "rules"

    def judge(self, question: Question) -> Verdict:
        """Answer one question. Never raises: a failure is an unjudged verdict that says why."""
        return Verdict(None, "no judge: name one with --t2a-judge=llm:MODEL")


def apex_key(name: str, pred: object, gold: object) -> str:
    """The published key of a verdict (32 hexadecimal digits)."""
    text = f"{APEX_VERSION}|{name}|{pred}|{gold}"
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


class VerdictFile:
    """A published cache of verdicts: one JSON object of keys and truth values.

    Any number of processes may add to it: under a lock the file is read again, what is new is added, and the whole is
    put in place in one step. Nobody's verdict is lost, and the first one of a key stays.

    Raises:
        ValueError: where the file is there and is no such object; one line with its path.
        OSError: where it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._read()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: str) -> bool | None:
        """The verdict under a key, or None."""
        return self._known.get(key)

    def add(self, key: str, passed: bool) -> bool:
        """Keep a verdict; returns the one that stands, which is another's where that was first."""
        lock = self._path.with_name(f".{self._path.name}.lock")
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            self._known = self._read()
            if key not in self._known:
                self._known[key] = passed
                write_whole(self._path, json.dumps(self._known, sort_keys=True, indent=0) + "\n")
        return self._known[key]

    def _read(self) -> dict[str, bool]:
        try:
            found = parse_json(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            raise ValueError(f"{self._path}: no JSON, so no file of verdicts") from None
        if not isinstance(found, dict) or not all(isinstance(value, bool) for value in found.values()):
            raise ValueError(f"{self._path}: no file of verdicts, which is one JSON object of keys and true or false")
        return found


class RecordedJudge(FieldJudge):
    """Verdicts of a file; what it lacks goes to the ``others``, whose verdicts are added to it."""

    def __init__(self, verdicts: VerdictFile, others: FieldJudge | None = None) -> None:
        self._verdicts = verdicts
        self._others = others
        self.fingerprint = "verdicts" if others is None else f"verdicts+{others.fingerprint}"

    def judge(self, question: Question) -> Verdict:
        """Look the question up, else pass it on."""
        key = apex_key(question.field, question.pred, question.gold)
        known = None if question.claim else self._verdicts.get(key)
        if known is not None:
            return Verdict(known, f"recorded verdict {key}")
        if self._others is None:
            return Verdict(None, f"no recorded verdict {key}")
        found = self._others.judge(question)
        if found.passed is not None and not question.claim:
            return Verdict(self._verdicts.add(key, found.passed), found.reason)
        return found


def context_of(artifact_id: str, artifact_type: str, fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What surrounds a field: the artifact, and as many of its other fields as the judge is shown, in order."""
    others = [key for key in fields if key != name][:SIBLINGS]
    return {"artifact_id": artifact_id, "artifact_type": artifact_type, "fields": {key: fields[key] for key in others}}
