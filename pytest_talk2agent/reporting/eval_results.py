"""Results for the page of a model on the Hugging Face hub: one YAML document for each condition.

The hub reads the folder ``.eval_results/`` of a model repository: a list of entries with the dataset (a benchmark of
the hub), the value of a metric, and optionally a date, a source and notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.gate import ConditionSummary
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import METRICS


def eval_results(
    summary: ConditionSummary,
    results: Sequence[TaskResult],
    dataset: str,
    *,
    revision: str | None = None,
    date: str | None = None,
    source: str | None = None,
) -> list[dict[str, Any]]:
    """An entry for each metric of one condition, in percent; none where no item has a score.

    ``dataset`` is the id of the benchmark, whose tasks are called ``native`` and ``shapley``; where a mean is an
    interval the value is its lower end, and the notes say both. ``results`` are those of the condition.
    """
    entries = []
    for metric in METRICS:
        interval: Interval | None = getattr(summary, metric)
        if interval is None:
            continue
        entry: dict[str, Any] = {"dataset": {"id": dataset, "task_id": metric}, "value": _percent(interval.low)}
        if revision is not None:
            entry["dataset"]["revision"] = revision
        if date is not None:
            entry["date"] = date
        if source is not None:
            entry["source"] = {"url": source, "name": "report"}
        entry["notes"] = _notes(metric, interval, summary, results)
        entries.append(entry)
    return entries


def _notes(metric: str, interval: Interval, summary: ConditionSummary, results: Sequence[TaskResult]) -> str:
    first = results[0]
    scored = summary.items - summary.left_out
    parts = [f"mean {metric} retention of {scored} items", f"interface {first.spec}"]
    if not interval.is_point:
        parts.append(f"between {_percent(interval.low)} and {_percent(interval.high)}, as labels are unresolved")
    parts.append(f"fingerprint {first.transcript.fingerprint}")
    parts.append(f"judge {first.judgement.judge}")
    parts.append(f"pytest-talk2agent {first.version}")
    return "; ".join(parts)


def _percent(value: Fraction) -> float:
    return round(float(100 * value), 2)
