"""Results as APEX-Voice publishes them: the tables of its reference folder, and ``result.json`` of single sessions.

Gates go by two vocabularies: the paper's TS, PV, AC, AV and the code's GS, PC, RA, WA; success is WS or ``pts``. Both
are read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.campaign.reliability import Passes, Reliability

GATES = {"GS": "TS", "PC": "PV", "RA": "AC", "WA": "AV", "TS": "TS", "PV": "PV", "AC": "AC", "AV": "AV"}
_PASSES, _RATIO = "_passes_of_", "_tool_ratio"


def gates_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Values by gate under the paper's names; raises ValueError where a gate is missing, doubled or unknown."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name not in GATES or GATES[name] in found:
            raise ValueError(f"{name!r} is no gate, or one that is there under another name; known: {', '.join(GATES)}")
        found[GATES[name]] = value
    if missing := {"TS", "PV", "AC", "AV"} - found.keys():
        raise ValueError(f"gate {min(missing)} is missing")
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def read_passes(path: Path) -> dict[str, Reliability]:
    """``per_task.csv``: passes of each workflow, by model. Raises ValueError where a number is none."""
    rows = _rows(path)
    columns = [name for name in (rows[0] if rows else {}) if _PASSES in name]
    if not columns:
        raise ValueError(f"{path}: no column such as MODEL_passes_of_3")
    found = {}
    for column in columns:
        model, _, repetitions = column.partition(_PASSES)
        k = int(repetitions)
        counts = {row["task_id"]: int(row[column]) for row in rows}
        if odd := [task for task, count in counts.items() if not 0 <= count <= k]:
            raise ValueError(f"{path}: {odd[0]}: {counts[odd[0]]} passes of {k}")
        found[model] = Reliability(k, {task: Passes(count, 0, k) for task, count in sorted(counts.items())}, {})
    return found


@dataclass(frozen=True)
class ToolUse:
    """Tool calls of one agent: by workflow, all calls over ``k`` repetitions, and the calls of the reference."""

    k: int
    calls: Mapping[str, int]
    oracle: Mapping[str, int]

    @property
    def total(self) -> int:
        """All calls."""
        return sum(self.calls.values())

    @property
    def per_run(self) -> Fraction:
        """Mean calls a run."""
        return Fraction(self.total, self.k * len(self.calls))

    @property
    def ratios(self) -> dict[str, Fraction]:
        """Calls a run in units of the reference, by workflow."""
        return {task: Fraction(count, self.k * self.oracle[task]) for task, count in self.calls.items()}

    @property
    def mean_ratio(self) -> Fraction:
        """The published figure: the mean of ratios over workflows."""
        return sum(self.ratios.values(), Fraction(0)) / len(self.calls)

    @property
    def median_ratio(self) -> Fraction:
        """Their median."""
        ordered = sorted(self.ratios.values())
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def read_tool_use(path: Path, k: int = 3) -> dict[str, ToolUse]:
    """``tooluse_by_task.csv``: its ratios of three decimals are turned back into the counts that they came from.

    Raises ValueError where no whole number of calls rounds to a ratio.
    """
    rows = _rows(path)
    oracle = {row["task_id"]: int(row["oracle_tool_calls"]) for row in rows}
    found = {}
    for column in [name for name in (rows[0] if rows else {}) if name.endswith(_RATIO)]:
        calls = {}
        for row in rows:
            task, printed = row["task_id"], Fraction(row[column])
            count = round(printed * k * oracle[task])
            if abs(Fraction(count, k * oracle[task]) - printed) > Fraction(1, 2000):
                raise ValueError(f"{path}: {task}: no count of calls gives a ratio of {row[column]}")
            calls[task] = count
        found[column.removesuffix(_RATIO)] = ToolUse(k, calls, oracle)
    return found


@dataclass(frozen=True)
class SliceRow:
    """One cell of ``slices.csv``: mean success and pooled field accuracy of one model on one kind of work."""

    axis: str
    label: str
    n: int
    model: str
    success: Fraction
    afa: Fraction


def read_slices(path: Path) -> list[SliceRow]:
    """``slices.csv``, its shares exact from their four decimals."""
    return [
        SliceRow(row["axis"], row["label"], int(row["n"]), row["model"], Fraction(row["success"]), Fraction(row["afa"]))
        for row in _rows(path)
    ]


@dataclass(frozen=True)
class PublishedRun:
    """One ``result.json``: gates by the paper's names, success, and whether the infrastructure failed."""

    task: str
    repetition: int
    model: str
    gates: Mapping[str, bool]
    success: bool
    error: str

    @property
    def failed(self) -> bool:
        """Whether the session never came to an end of its own."""
        return bool(self.error)


def read_run(path: Path) -> PublishedRun:
    """Read a ``result.json``; raises ValueError, with the path, where it is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        error = str(data.get("error") or "")
        components = data.get("components") or {}
        gates = dict.fromkeys(("TS", "PV", "AC", "AV"), False) if error else gates_of(components)
        success = data["WS"] if "WS" in data else data["pts"]
        return PublishedRun(
            str(data["task_id"]),
            int(data["rep"]),
            str(data["model"]),
            {name: bool(value) for name, value in gates.items()},
            bool(success),
            error,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ValueError(f"{path}: no result of a session ({problem})") from None


def read_campaign(folder: Path) -> list[PublishedRun]:
    """All sessions below ``OUT``: ``TASK/rep<k>/result.json``, in order."""
    return [read_run(path) for path in sorted(folder.glob("*/rep*/result.json"))]
