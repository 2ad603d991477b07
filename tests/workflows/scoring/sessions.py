"""Traces for tests: the expense toy as a session leaves it, and changes to it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.trace import Act, ArtifactState, Decision, DuplexEvent, ToolCall, Trace
from tests.workflows.toys import Toy, expense, load

RIGHT = {
    "employee_id": "E1042",
    "trip_purpose": "Client visit",
    "cost_center": "CC-330",
    "total_amount": 200,
    "approval_status": "submitted",
}


def changed(toy: Toy, file: str, **values: Any) -> Toy:
    """The toy with other top-level values in one of its files."""
    new = copy.deepcopy(toy)
    new[file] = {**new[file], **values}
    return new


def gold(folder: Path, **values: Any) -> Package:
    """The expense toy with other parts of its gold."""
    return load(changed(expense(), "grading/gold.yaml", **values), folder)


def decided(code: str, seq: int, *, target: str = "expense_1") -> ToolCall:
    """A call of the commit tool, and what the guard said to it."""
    return ToolCall(
        seq=seq,
        media_ms=100 * seq,
        call_id=f"c{seq}",
        tool="submit",
        args={"target_id": target},
        ok=code == "AUTHORIZED",
        decision=Decision(code=code, action_type="submit_expense", target_id=target),
    )


def finished(**changes: Any) -> Trace:
    """A session of the expense toy that succeeds, with changes."""
    values: dict[str, Any] = {
        "package": "toy_form_001",
        "agent": "oracle",
        "world": {"expense": {"status": "submitted"}},
        "artifacts": {
            "expense_1": ArtifactState(
                artifact_id="expense_1", artifact_type="STRUCTURED_FORM", lifecycle="COMMITTED", fields=RIGHT
            )
        },
        "acts": [Act(seq=3, media_ms=300, key="ASK:cost_center")],
        "calls": [decided("AUTHORIZED", 20)],
        "events": [DuplexEvent(seq=12, media_ms=1200, event_id="E1", type="MID_SPEECH_CORRECTION")],
    }
    return Trace(**{**values, **changes})


def form(fields: dict[str, Any], *, stale: tuple[str, ...] = (), lifecycle: str = "COMMITTED") -> dict[str, Any]:
    """The artifacts of a session, as a change to `finished`."""
    state = ArtifactState(
        artifact_id="expense_1", artifact_type="STRUCTURED_FORM", lifecycle=lifecycle, fields=fields, stale=stale
    )
    return {"artifacts": {"expense_1": state}}
