"""``labels:FILE[?else=JUDGE]``: labels that people gave, or another run, are given again; nothing is guessed.

A label is found by task, transcript and intention. Where there is none, the transcript is an error that names it, or a
question to the judge behind ``else=``. A label for another value than the task now asks for is always an error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.hearing import hear
from pytest_talk2agent.judging.judge import Judge, JudgeError, Records
from pytest_talk2agent.judging.judgement import Finding, Judgement
from pytest_talk2agent.judging.label_records import Key, read_labels
from pytest_talk2agent.speech.tokens import tokenise

NAME = "labels"
VERSION = "1"
_ELSE = "?else="


class LabelsJudge(Judge):
    """Replays the labels of a file; ``other`` judges what it lacks. Raises JudgeError where it cannot be read."""

    def __init__(self, path: Path, other: Judge | None = None) -> None:
        self._path = path
        self._labels: Mapping[Key, Finding] = read_labels(path)
        self._other = other
        self._known = {(task, name) for task, _, name in self._labels}
        if other is not None:
            self.concurrency, self.unlimited = other.concurrency, other.unlimited
        # Over the labels, not the bytes: whose they are, and on what they rest, changes none of them.
        said = "\n".join(
            sorted(f"{key}{finding.label.value}{finding.expected}" for key, finding in self._labels.items())
        )
        self.fingerprint = f"{NAME}/{VERSION}#{hashlib.sha256(said.encode(errors='backslashreplace')).hexdigest()[:16]}"
        if other is not None:
            self.fingerprint += f"?else={other.fingerprint}"

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """Pass it on to the other judge."""
        if self._other is not None:
            self._other.keep_in(records, frozen=frozen)

    def check(self) -> None:
        """Pass it on to the other judge; raises JudgeError."""
        if self._other is not None:
            self._other.check()

    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript; raises JudgeError for a label that is missing or stale."""
        flags = hear(tokenise(case.transcript), tokenise(case.script)).flags
        findings: dict[str, Finding] = {}
        missing = []
        for name, intention in case.intentions.items():
            found = self._labels.get((case.task, case.transcript, name))
            expected = "; ".join(intention.say)
            if found is None:
                missing.append(name)
            elif found.expected != expected:
                raise JudgeError(
                    f"{self._path}: {case.task} {name}: a label for {found.expected!r}, but the task now asks for"
                    f" {expected!r}; label it anew"
                )
            else:
                findings[name] = found
        if not missing:
            return Judgement(findings, self.fingerprint, flags)
        if self._other is None:
            raise JudgeError(self._lacks(case, missing))
        rest = self._other.judge(replace(case, intentions={name: case.intentions[name] for name in missing}))
        ordered = {name: findings.get(name) or rest.findings[name] for name in case.intentions}
        return Judgement(ordered, self.fingerprint, tuple(dict.fromkeys((*flags, *rest.flags))))

    def _lacks(self, case: Case, missing: list[str]) -> str:
        shown = " ".join(case.transcript.split())[:80]
        stale = [name for name in missing if (case.task, name) in self._known]
        which = f"{self._path}: {case.task or 'a case without a task'}"
        if stale:
            return (
                f"{which} {', '.join(stale)}: stale: labelled for other words than {shown!r}; label these, too, or add"
                f" {_ELSE}JUDGE"
            )
        return f"{which} {', '.join(missing)}: no label for {shown!r}; label it, or add {_ELSE}JUDGE"


def make_judge(argument: str | None) -> LabelsJudge:
    """The judge of the spec ``labels:FILE[?else=JUDGE]``; raises JudgeError."""
    path, marker, other = (argument or "").partition(_ELSE)
    if not path or (marker and not other):
        raise JudgeError(f"judge {NAME!r}: no {'judge' if path else 'file'} is named; write {NAME}:FILE[{_ELSE}JUDGE]")
    if not other:
        return LabelsJudge(Path(path))
    from pytest_talk2agent.judging.registry import make_judge as make_other

    return LabelsJudge(Path(path), make_other(other))
