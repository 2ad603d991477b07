"""A result as properties of a test report: small scalars for JUnit, and the whole record for the controller.

Light to import: an idle run loads it for the names.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_talk2agent.reporting.visible import visible_line

if TYPE_CHECKING:
    from pytest_talk2agent.grading.retention import Interval
    from pytest_talk2agent.results.task_result import TaskResult

PREFIX = "t2a."

RECORD = "t2a.result"

ITEM = "t2a.item"
"""The user property by which the report of an item says what the item is."""

TRIAL, TRIAL_ITEM = "t2a.trial", "t2a.trial_item"
"""The same two for a trial: its result, and what it is."""

SESSION, SESSION_ITEM = "t2a.session", "t2a.session_item"
"""And for a session of a workflow."""


def set_properties(properties: list[tuple[str, object]], result: TaskResult, *, travels: bool, rates: bool) -> None:
    """Put a result into an item's properties, replacing that of an earlier try.

    The whole record goes with them, as text where it ``travels`` to another process; ``rates`` are what takes time to
    count.
    """
    kept = [pair for pair in properties if not pair[0].startswith(PREFIX) or pair[0] == ITEM]
    record = json.dumps(result.to_json()) if travels else result
    properties[:] = [*kept, *properties_of(result, rates=rates), (RECORD, record)]


def properties_of(result: TaskResult, *, rates: bool = True) -> list[tuple[str, str]]:
    """Plain text only: properties travel into XML, which has no control characters."""
    retention = result.retention
    properties = [
        ("t2a.task", result.task),
        ("t2a.take", result.take),
        ("t2a.condition", result.condition),
        ("t2a.interface", result.spec),
        ("t2a.fingerprint", result.transcript.fingerprint),
        ("t2a.judge", result.judgement.judge),
        ("t2a.outcome", result.verdict.outcome.value),
        *ends("t2a.native", retention.native),
        *ends("t2a.shapley", retention.shapley),
        *ends("t2a.flat", retention.flat),
        ("t2a.lost", str(retention.lost)),
        ("t2a.lost_intentions", " ".join(result.lost())),
        ("t2a.unresolved_intentions", " ".join(result.unresolved())),
        *(_rates(result) if rates else ()),
        *((f"t2a.min_{metric}", f"{float(limit):.4f}") for metric, limit in result.limits.thresholds.items()),
    ]
    return [(name, visible_line(value)) for name, value in properties]


def ends(name: str, interval: Interval | None) -> list[tuple[str, str]]:
    """A score as properties: one, or one for each end where it is open."""
    if interval is None:
        return [(name, "undefined")]
    if interval.is_point:
        return [(name, f"{float(interval.low):.4f}")]
    return [(f"{name}_low", f"{float(interval.low):.4f}"), (f"{name}_high", f"{float(interval.high):.4f}")]


def _rates(result: TaskResult) -> list[tuple[str, str]]:
    from pytest_talk2agent.analysis.error_rates import character_errors, verbatim_errors, word_errors

    found = {"wer": word_errors(result), "wer_verbatim": verbatim_errors(result), "cer": character_errors(result)}
    return [(f"t2a.{name}", "undefined" if e.rate is None else f"{e.rate:.4f}") for name, e in found.items()]
