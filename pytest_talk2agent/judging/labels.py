"""``labels:FILE[?else=JUDGE]``: labels that people gave, or another run, are given again; nothing is guessed.

A label is found by task, transcript and intention. Where there is none, the transcript is an error that names it, or a
question to the judge behind ``else=``. A label for another value than the task now asks for is always an error.

A labels file is JSON Lines, one label a line, and only ever grows: of two lines for one intention of one transcript
the later counts.

    {"schema": 1, "task": "...", "transcript": "...", "intention": "...", "expected": "...", "label": "changed"}

``take``, ``condition``, ``by``, ``at`` and ``note`` may be there, too. ``expected`` is the value that the task asks
for, several joined by "; ".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pytest_talk2agent.judging.hearing import hear
from pytest_talk2agent.judging.judge import Case, Judge, JudgeError, Records
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.files import numbered_lines, parse_json

SCHEMA = 1
LARGEST = 1 << 30
"""Bytes of a labels file: the results of a large run are some hundred megabytes."""

Key = tuple[str, str, str]


@dataclass(frozen=True)
class LabelRecord:
    """A label that a person gave to one intention of one transcript of a task."""

    task: str
    transcript: str
    intention: str
    expected: str
    label: Label
    take: str = ""
    condition: str = ""
    by: str = ""
    at: str = ""
    note: str = ""

    @property
    def key(self) -> Key:
        """What it labels: task, transcript, intention."""
        return self.task, self.transcript, self.intention

    @property
    def finding(self) -> Finding:
        """The label as a judge's finding."""
        whose = f"labelled by {self.by or 'a person'}{f' on {self.at}' if self.at else ''}"
        return Finding(self.label, f"{whose}: {self.note}" if self.note else whose, self.expected)

    def to_line(self) -> str:
        """One line of a labels file, without its end; what is empty is left out."""
        plain = {name: value for name, value in asdict(self).items() if value or name == "transcript"}
        return json.dumps({"schema": SCHEMA, **plain, "label": self.label.value}, ensure_ascii=False)


def append_label(path: Path, record: LabelRecord) -> None:
    """Append one label to a file, which is created if missing; existing lines never change. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as stream:
        stream.seek(0, 2)
        if stream.tell():
            stream.seek(-1, 2)
            broken = stream.read(1) != b"\n"
        else:
            broken = False
        stream.write(b"\n" * broken + record.to_line().encode("utf-8", errors="backslashreplace") + b"\n")


def read_labels(path: str | Path) -> dict[Key, Finding]:
    """Every label of a file by (task, transcript, intention), in the order of first appearance.

    The file is a labels file, the ``results.jsonl`` of a run (or the folder that holds it), or a case file, in which a
    case's id stands for its task. Raises JudgeError with file and line.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "results.jsonl"
    try:
        lines = list(numbered_lines(path, LARGEST, "the labels"))
    except ValueError as error:
        raise JudgeError(str(error)) from None
    found: dict[Key, Finding] = {}
    whole: set[Key] = set()
    for place, line in lines:
        try:
            for key, finding, is_whole in _labels_in(parse_json(line)):
                # A transcript that was refused or broken off may read like one that was not: the latter decides.
                if is_whole or key not in whole:
                    found[key] = finding
                if is_whole:
                    whole.add(key)
        except KeyError as error:
            raise JudgeError(f"{place}: no labels: {error} is missing") from None
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise JudgeError(f"{place}: no labels: {error}") from None
    if not found:
        raise JudgeError(f"{path}: no label in this file")
    return found


def _labels_in(line: Mapping[str, Any]) -> Iterator[tuple[Key, Finding, bool]]:
    if "judgement" in line:
        yield from _of_result(line)
    elif "labels" in line:
        for name, label in line["labels"].items():
            say = line["intentions"][name]["say"]
            expected = say if isinstance(say, str) else "; ".join(say)
            yield (
                (line["id"], line["transcript"], name),
                Finding(Label(label), line.get("why") or "labelled", expected),
                True,
            )
    else:
        record = _record(line)
        yield record.key, record.finding, True


def _of_result(line: Mapping[str, Any]) -> Iterator[tuple[Key, Finding, bool]]:
    transcript = line["transcript"]
    heard = [(transcript["text"], line["judgement"])]
    if line.get("raw") is not None:
        heard.append((transcript["raw"], line["raw"]))
    for text, judgement in heard:
        for name, plain in judgement["findings"].items():
            yield (line["task"], text, name), _finding(plain), transcript["state"] == "transcribed"


def _finding(plain: Mapping[str, Any]) -> Finding:
    found = Finding(**{**plain, "label": Label(plain["label"])})
    texts, places = (found.reason, found.expected), (found.start, found.end)
    if not all(isinstance(text, str) for text in texts) or not isinstance(found.heard, str | None):
        raise TypeError("reason, expected and heard are texts")
    if not all(isinstance(place, int | None) for place in places):
        raise TypeError("start and end are whole numbers")
    return found


def _record(line: Mapping[str, Any]) -> LabelRecord:
    if line["schema"] != SCHEMA:
        raise ValueError(f"a label of schema {line['schema']!r}; this version reads {SCHEMA}")
    values = {name: value for name, value in line.items() if name != "schema"}
    if odd := [name for name, value in values.items() if not isinstance(value, str)]:
        raise TypeError(f"{odd[0]} is no text")
    for name in ("task", "transcript", "intention", "expected", "label"):
        _ = values[name]
    return LabelRecord(**{**values, "label": Label(values["label"])})


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
