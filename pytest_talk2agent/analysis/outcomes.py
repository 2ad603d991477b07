"""Scores by task and condition from a file: of an execution, or of a metric computed elsewhere."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any, TextIO

from pytest_talk2agent.grading.grader_source import some

_NEEDED = ("task", "condition", "score")
# Short enough that an exact fraction of it stays small.
_DECIMAL = re.compile(r"[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][+-]?\d{1,2})?")


@dataclass(frozen=True)
class Outcomes:
    """``scores`` maps task and condition to the mean of their rows; ``types`` a task to its type, where it has one."""

    scores: Mapping[tuple[str, str], Fraction]
    types: Mapping[str, str]


def read_outcomes(*paths: Path, agent: str | None = None) -> Outcomes:
    """Read CSV with a heading, or JSON Lines where the name ends in ``.jsonl``: task, condition, score, maybe type.

    Several rows of one task and condition are rounds, of which the mean counts. Where rows name an agent, those of
    ``agent`` count, and it must be given where there are several. Other columns are not read. Scores are exact: a
    decimal is what it says. Raises ValueError with the line, OSError where a file cannot be read.
    """
    agents = dict.fromkeys(str(row.get("agent") or "") for path in paths for _, row in rows_of(path, _NEEDED))
    if agent is None and len(agents) > 1:
        raise ValueError(f"{paths[0]}: scores of several agents ({some(list(agents))}); choose one with --agent")
    if agent is not None and agent not in agents:
        raise ValueError(f"{paths[0]}: no scores of agent {agent!r}; it has {some(list(agents))}")
    return _read(paths, _NEEDED, agent)[""]


def read_metric_outcomes(path: Path) -> dict[str, Outcomes]:
    """Read such a file with an additional column ``metric``: the outcomes of each metric, in the order of the file."""
    return _read([path], ("metric", *_NEEDED))


def _read(paths: Sequence[Path], needed: Sequence[str], agent: str | None = None) -> dict[str, Outcomes]:
    rounds: dict[str, dict[tuple[str, str], list[Fraction]]] = {}
    types: dict[str, str] = {}
    every = [(f"{path}:{line}", row) for path in paths for line, row in rows_of(path, needed)]
    for where, row in every:
        if agent is not None and str(row.get("agent") or "") != agent:
            continue
        metric = str(row["metric"]) if "metric" in needed else ""
        task, condition = str(row["task"]), str(row["condition"])
        rounds.setdefault(metric, defaultdict(list))[task, condition].append(score_of(row["score"], where))
        kind = row.get("type")
        if kind not in (None, "") and types.setdefault(task, str(kind)) != str(kind):
            raise ValueError(f"{where}: task {task!r} has type {kind!r}, and {types[task]!r} before; give it one")
    if not rounds:
        raise ValueError(f"{paths[0]}: no rows; give one a task and condition")
    return {
        metric: Outcomes({pair: mean(found) for pair, found in cells.items()}, types)
        for metric, cells in rounds.items()
    }


def rows_of(path: Path, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Every row of such a file with its line, from 1; raises ValueError where one is malformed or lacks a value."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for line, row in _objects(stream, path) if path.suffix == ".jsonl" else _records(stream, path, needed):
            for name in needed:
                if row.get(name) in (None, ""):
                    raise ValueError(f"{path}:{line}: no {name}; every row needs {', '.join(needed)}")
            yield line, row


def _records(stream: TextIO, path: Path, needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(stream)
    if missing := [name for name in needed if name not in (reader.fieldnames or ())]:
        raise ValueError(f"{path}:1: no column {missing[0]}; the heading needs {', '.join(needed)}")
    for cells in reader:
        yield reader.line_num, cells


def _objects(stream: TextIO, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        try:
            # Decimals stay as they are written, also those that are no binary fraction.
            row = json.loads(line, parse_float=_Decimal, parse_constant=_Decimal)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise ValueError(f"{path}:{number}: no JSON object; write one on each line")
        yield number, row


class _Decimal(str):
    """The text of a number."""


def score_of(value: object, where: str) -> Fraction:
    """A score that is a decimal, exactly; raises ValueError that begins with ``where``."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{where}: score {value!r} is no number; write a decimal such as 0.75")
    return Fraction(text)
