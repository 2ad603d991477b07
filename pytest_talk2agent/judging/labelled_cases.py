"""Labelled cases for measuring a judge, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.tasks.files import numbered_lines, parse_json
from pytest_talk2agent.tasks.intention import Intention

LARGEST = 1 << 28
"""Bytes of a case file."""


class CaseFileError(ValueError):
    """A case file that cannot be used: `FILE:LINE: what is wrong; what to do`."""


@dataclass(frozen=True)
class LabelledCase:
    """A case and the labels that are right for it, by intention name; ``why`` is the labeller's remark."""

    id: str
    case: Case
    labels: Mapping[str, Label]
    why: str = ""


class _Context(BaseModel):
    files: tuple[str, ...] = ()


class _Line(BaseModel):
    """What a judge needs of a line; other fields are the labeller's own."""

    id: str
    instruction: str
    script: str | None = None
    context: _Context = _Context()
    intentions: dict[str, Intention]
    transcript: str
    labels: dict[str, Label]
    language: str = "en"
    why: str = ""


def read_cases(path: str | Path) -> list[LabelledCase]:
    """The cases of a JSON Lines file, in order; blank lines are skipped.

    A case without a script is spoken as its instruction. Raises CaseFileError with file and line: not readable, not
    JSON, a field missing or wrong, labels that do not fit the intentions, an id that stands twice, no case.
    """
    path = Path(path)
    try:
        lines = list(numbered_lines(path, LARGEST, "the case file"))
    except ValueError as error:
        raise CaseFileError(str(error)) from None
    cases: list[LabelledCase] = []
    seen: dict[str, str] = {}
    for place, line in lines:
        case = _case(place, line)
        if case.id in seen:
            raise CaseFileError(f"{place}: id {case.id!r} stands in line {seen[case.id]} already; ids are unique")
        seen[case.id] = place.rpartition(":")[2]
        cases.append(case)
    if not cases:
        raise CaseFileError(f"{path}: no case in this file; write one JSON object a line")
    return cases


def _case(place: str, line: str) -> LabelledCase:
    try:
        data: Any = parse_json(line)
    except json.JSONDecodeError as error:
        raise CaseFileError(f"{place}: no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a list in a list in a list ..
        raise CaseFileError(f"{place}: JSON that cannot be read: {error}") from None
    try:
        read = _Line.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the line"
        raise CaseFileError(f"{place}: {where}: {first['msg']}") from None
    if read.labels.keys() != read.intentions.keys():
        odd = sorted(read.labels.keys() ^ read.intentions.keys())
        raise CaseFileError(
            f"{place}: labels and intentions differ in {', '.join(odd)}; give every intention one label"
        )
    case = Case(
        instruction=read.instruction,
        script=read.instruction if read.script is None else read.script,
        intentions=read.intentions,
        transcript=read.transcript,
        files=read.context.files,
        task=read.id,
        language=read.language,
    )
    return LabelledCase(read.id, case, {name: read.labels[name] for name in read.intentions}, read.why)
