"""What agents did in a finished run, read back from its report folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.saved import TRIAL_BEGINS, end_of
from pytest_talk2agent.results.untrusted import (
    MOST_BYTES,
    fault_line,
    mapping,
    parse_plain,
    texts,
)
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import open_regular


def executed_json(executed: Executed, gate: Gate) -> dict[str, Any]:
    """What ``run.json`` says of executions besides their results."""
    return {
        "trials": len(executed.trials),
        "errors": dict(sorted(executed.errors.items())),
        "missing": list(executed.missing),
        "unseen": [list(one) for one in executed.unseen],
        "summaries": [summary.to_json() for summary in gate.executions],
    }


def read_executed(folder: Path) -> Executed:
    """The executions of a run; none where it had none. Those of a run that did not come to its end as far as they go.

    Raises:
        ValueError: with one line, where they cannot be read, or are less than the whole.
    """
    rows: dict[str, TrialResult] = {}
    where = str(folder / "results.jsonl")
    try:
        with open_regular(folder / "results.jsonl") as stream:
            for number, line in enumerate(iter(lambda: stream.readline(MOST_BYTES), b""), start=1):
                if line.startswith(TRIAL_BEGINS) and line.endswith(b"\n"):
                    where = f"{folder / 'results.jsonl'}:{number}"
                    row = TrialResult.from_json(mapping(parse_plain(line), "it"))
                    rows[row.node] = row  # of a trial that ran again the last line counts
        where = str(folder / "run.json")
        run = end_of(folder / "run.json")
        said = None if run is None else run.get("executed")
        if said is None:
            return Executed(tuple(rows.values()))
        return _whole(rows, mapping(said, "executed"))
    except OSError as error:
        raise ValueError(f"{where}: cannot read it ({error.strerror}); make the run again with --t2a-report") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{where}: not what a run wrote ({fault_line(error)}); make the run again") from None


def _whole(rows: Mapping[str, TrialResult], said: Mapping[str, Any]) -> Executed:
    if len(rows) < said["trials"]:
        raise ValueError(f"it counts {counted(said['trials'], 'trial')}, and results.jsonl has {len(rows)}")
    errors = {str(node): str(why) for node, why in mapping(said["errors"], "errors").items()}
    unseen = tuple(
        (condition, agent, key) for condition, agent, key in (texts(one, "unseen") for one in said["unseen"])
    )
    trials = tuple(sorted(rows.values(), key=lambda row: (row.node, row.round)))
    return Executed(trials, errors, texts(said["missing"], "missing"), unseen)
