"""The tables of the Talk2Agent paper with the columns that they have there; scores are percentages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import mean, median

from pytest_talk2agent.analysis.correlation import Correlations
from pytest_talk2agent.analysis.metrics import LABELS
from pytest_talk2agent.analysis.paper import Collection, Diagnosis, Spread, Transfer
from pytest_talk2agent.reporting.visible import table

Rows = list[list[str]]


def collection_rows(collections: Sequence[Collection]) -> Rows:
    """Table 1: the heading, then a row for each collection."""
    head = ["collection", "tasks", "intentions", "speakers", "recordings", "hours", "median s", "IQR"]
    return [head, *map(_collection, collections)]


def execution_rows(spreads: Mapping[tuple[str, str], Spread]) -> Rows:
    """Tables 2 and 3: mean and SD of each agent and condition over its rounds."""
    rows = [
        [agent or "-", condition, _percent(one.mean), _sd(one), str(one.repetitions)]
        for (agent, condition), one in spreads.items()
    ]
    return [["agent", "condition", "execution", "SD", "rounds"], *rows]


def correlation_rows(found: Correlations) -> Rows:
    """Table 4: Pearson's correlation of each metric with execution, at each level."""
    levels, names = found.grid.levels, list(found.grid.metrics)
    points = {level: found.estimate(level, "pcc", names[0]).points for level in levels}
    rows = [
        [LABELS.get(name, name), *(_three(found.estimate(level, "pcc", name).value) for level in levels)]
        for name in names
    ]
    return [["metric", *(f"{level} ({points[level]})" for level in levels)], *rows]


def diagnosis_rows(parts: Mapping[str, Sequence[Diagnosis]]) -> Rows:
    """Table 5: Shapley, Native and execution of each condition, for each set of tasks."""
    rows = [
        [f"{name}, n={one.tasks}", one.condition, _percent(one.shapley), _percent(one.native), _percent(one.execution)]
        for name, found in parts.items()
        for one in found
    ]
    return [["tasks", "condition", "Shapley", "Native", "execution"], *rows]


def transfer_rows(found: Transfer) -> Rows:
    """Table 6: the metric before and after, and the paired gain."""
    rows = [
        [name, _percent(one.mean, sign), _sd(one), str(one.repetitions)]
        for name, one, sign in (("before", found.before, ""), ("after", found.after, ""), ("gain", found.gain, "+"))
    ]
    return [[f"{found.metric}, n={found.tasks}", "mean", "SD", "takes"], *rows]


def as_text(rows: Rows) -> list[str]:
    """The rows in columns."""
    return table(rows[0], rows[1:])


def as_markdown(rows: Rows) -> list[str]:
    """The rows as a Markdown table."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body)]


def _collection(one: Collection) -> list[str]:
    return [
        one.name,
        str(one.tasks),
        _intentions(one.intentions),
        str(one.speakers or "-"),
        f"{one.recordings}{f' ({one.missing} not here)' if one.missing else ''}",
        f"{one.seconds / 3600:.2f}",
        "-" if one.median is None else f"{one.median:.2f}",
        "-" if one.quartiles is None else f"{one.quartiles[0]:.2f} to {one.quartiles[1]:.2f}",
    ]


def _intentions(each: Sequence[int]) -> str:
    if len(each) < 2:
        return str(sum(each))
    middle = f"mean {mean(each):.2f}, median {median(each):g}"
    return f"{sum(each)} ({min(each)} to {max(each)}, {middle})"


def _percent(value: Fraction, sign: str = "") -> str:
    return f"{float(value * 100):{sign}.2f}"


def _sd(one: Spread) -> str:
    return "-" if one.sd is None else f"{one.sd * 100:.2f}"


def _three(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
