"""A finished run, read back from its report folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.release import Comparison


@dataclass(frozen=True)
class SavedRun:
    """The results of a run by condition and node, the items that could not be judged, and the verdict it was given.

    ``passed`` is None where the run did not come to its end, so that there is no verdict. All from ``missing`` on are
    those of its `Gate`; ``before`` is what it keeps of its baseline, ``rerun`` how it was started, as they stand there.
    """

    folder: Path
    results: tuple[TaskResult, ...]
    errors: dict[str, str]
    passed: bool | None
    reasons: tuple[str, ...]
    missing: tuple[str, ...] = ()
    failed_otherwise: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    before: Mapping[str, Any] | None = None
    rerun: Mapping[str, Any] | None = None


def read_run(folder: Path) -> SavedRun:
    """Read ``results.jsonl`` and ``run.json``.

    Raises ValueError with one line where the folder holds no run, or one that this version cannot read.
    """
    rows: dict[str, TaskResult] = {}
    for result in _results(folder / "results.jsonl"):
        rows[result.node] = result  # of an item that ran again the last line counts
    path = folder / "run.json"
    run: dict[str, Any] = {}
    if path.exists():
        try:
            run = json.loads(path.read_text(encoding="utf-8"))
            errors, passed, reasons = dict(run["errors"]), bool(run["passed"]), tuple(run["reasons"])
            comparisons = tuple(map(Comparison.from_json, run.get("comparisons", ())))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: cannot read it ({error}); make the run again with --t2a-report") from None
    else:
        errors, passed, reasons, comparisons = {}, None, (), ()
    place = {condition: index for index, condition in enumerate(run.get("conditions", {}))}
    ordered = sorted(rows.values(), key=lambda row: (place.get(row.condition, len(place)), row.condition, row.node))
    kept = {name: tuple(run.get(name, ())) for name in ("missing", "failed_otherwise", "added", "remarks")}
    return SavedRun(
        folder,
        tuple(ordered),
        errors,
        passed,
        reasons,
        comparisons=comparisons,
        before=run.get("before"),
        rerun=run.get("rerun"),
        **kept,
    )


def _results(path: Path) -> Iterator[TaskResult]:
    where = str(path)
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                where = f"{path}:{number}"
                if not line.endswith("\n"):
                    return  # the run was killed while it wrote this line: the item has no result
                yield TaskResult.from_json(json.loads(line))
    except OSError as error:
        raise ValueError(f"{path}: cannot read it ({error.strerror}); name the folder of a --t2a-report=DIR") from None
    except KeyError as error:
        raise ValueError(f"{where}: not a result (no {error}); make the run again") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{where}: not a result ({error}); make the run again") from None
