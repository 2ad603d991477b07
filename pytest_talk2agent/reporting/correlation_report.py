"""Correlations with execution as text (the analogue of the paper's table 4), JSON, CSV and a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from html import escape
from typing import Any

from pytest_talk2agent.analysis.correlation import STATISTICS, Correlations, Difference, Estimate
from pytest_talk2agent.analysis.error_rates import Averages
from pytest_talk2agent.analysis.metrics import LABELS
from pytest_talk2agent.grading.grader_source import some
from pytest_talk2agent.reporting.html.markup import asset
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.results.task_result import VERSION
from pytest_talk2agent.tasks.errors import counted

SCHEMA = 1
TITLES = {"pcc": "PCC", "spearman": "Spearman"}
_CSV = (*("level", "statistic", "metric", "against", "points", "value", "low", "high", "higher", "equal", "undefined"),)


@dataclass(frozen=True)
class CorrelationReport:
    """What was found, and what it rests on.

    ``forms`` says what a metric rests on (normal form, encoder, prompt and model); ``averages`` maps a condition and a
    metric that counts errors to its error rates; ``judges`` made the labels; ``errors`` items could not be judged.
    """

    found: Correlations
    forms: Mapping[str, str]
    averages: Mapping[tuple[str, str], Averages]
    judges: Sequence[str]
    errors: int

    def lines(self) -> list[str]:
        """The tables. Of the differences those of the last metric; the files hold all."""
        grid = self.found.grid
        kinds = "" if grid.types is None else f", {len(set(grid.types))} types"
        sizes = f"{counted(len(grid.tasks), 'task')} x {counted(len(grid.conditions), 'condition')}"
        lines = [f"{sizes}{kinds}; judged by {some(self.judges)}"]
        if self.errors:
            lines.append(f"not in it: {counted(self.errors, 'item')} that could not be judged")
        lines.extend(f"left out, {reason}: {len(names)} ({some(names)})" for reason, names in grid.left_out.items())
        if grid.types is None:
            lines.append("no level of types: not every task has a type in the execution file")
        for statistic in STATISTICS:
            lines.extend(["", *self._estimates(statistic)])
        for statistic in STATISTICS if len(grid.metrics) > 1 else ():
            lines.extend(["", *self._differences(statistic)])
        if self.averages:
            lines.extend(["", *self._error_rates()])
        lines.extend(["", *(f"{_label(name)}: {form}" for name, form in self.forms.items() if form), self._method()])
        lines.extend(self._undefined())
        lines.append(f"the level of interfaces has {len(grid.conditions)} points: gate nothing on it alone")
        return lines

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain values; correlations are floats, None where undefined."""
        found, grid = self.found, self.found.grid
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "tasks": list(grid.tasks),
            "conditions": list(grid.conditions),
            "types": None if grid.types is None else dict(zip(grid.tasks, grid.types, strict=True)),
            "metrics": {name: {"label": _label(name), "form": self.forms.get(name, "")} for name in grid.metrics},
            "judges": list(self.judges),
            "errors": self.errors,
            "left_out": {reason: list(names) for reason, names in grid.left_out.items()},
            "draws": found.draws,
            "seed": found.seed,
            "exhaustive": found.seed is None,
            "confidence": found.confidence,
            "estimates": [asdict(one) for one in found.estimates],
            "differences": [asdict(one) for one in found.differences],
            "error_rates": [
                {
                    "condition": condition,
                    "metric": name,
                    "pooled": None if one.pooled is None else str(one.pooled),
                    "mean": None if one.mean is None else str(one.mean),
                    "utterances": one.utterances,
                    "empty_references": one.empty,
                    "inserted_there": one.inserted,
                }
                for (condition, name), one in self.averages.items()
            ],
        }

    def to_csv(self) -> str:
        """A row for each estimate, and for each difference (``against`` is empty for an estimate)."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, _CSV, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for one in self.found.estimates)
        writer.writerows(asdict(one) for one in self.found.differences)
        return stream.getvalue()

    def to_svg(self) -> str:
        """A dot for each metric, statistic and level, with its interval."""
        found = self.found
        names = list(found.grid.metrics)
        panels = {
            f"{level} ({found.estimate(level, 'pcc', names[0]).points})": {
                _label(name): [_dot_of(found.estimate(level, statistic, name)) for statistic in STATISTICS]
                for name in names
            }
            for level in found.grid.levels
        }
        title = f"Correlation with execution, {found.confidence:.0%} intervals over resampled tasks"
        return dot_plot(title, [_label(name) for name in names], panels, (TITLES["pcc"], TITLES["spearman"]))

    def _estimates(self, statistic: str) -> list[str]:
        found = self.found
        names, levels = list(found.grid.metrics), found.grid.levels
        points = {level: found.estimate(level, statistic, names[0]).points for level in levels}
        head = [TITLES[statistic], *(f"{level} ({points[level]})" for level in levels)]
        rows = [[_label(name), *(_cell(found.estimate(level, statistic, name)) for level in levels)] for name in names]
        return table(head, rows)

    def _differences(self, statistic: str) -> list[str]:
        last = list(self.found.grid.metrics)[-1]
        cells: dict[str, list[str]] = {}
        for one in self.found.differences:
            if one.metric == last and one.statistic == statistic:
                cells.setdefault(one.against, []).append(_compared(one))
        what = f"{_label(last)} minus others, {TITLES[statistic]} (share of draws in which it is higher)"
        head = ["", *self.found.grid.levels]
        return [what, *table(head, [[_label(against), *row] for against, row in cells.items()])]

    def _error_rates(self) -> list[str]:
        rows = [
            [condition, name, _rate(one.pooled), _rate(one.mean), str(one.utterances), str(one.empty or "-")]
            for (condition, name), one in self.averages.items()
        ]
        return table(["condition", "errors of", "pooled", "mean", "utterances", "empty references"], rows)

    def _undefined(self) -> list[str]:
        """Draws in which a row is constant, by level; they are the same for both statistics."""
        groups: dict[tuple[str, int], list[str]] = {}
        for one in self.found.estimates:
            if one.undefined and one.statistic == STATISTICS[0]:
                groups.setdefault((one.level, one.undefined), []).append(_label(one.metric))
        everything = len(self.found.grid.metrics)
        return [
            f"undefined, for a row is constant: {count} of {self.found.draws} draws at level {level} "
            f"({'every metric' if len(found) == everything else ', '.join(found)})"
            for (level, count), found in groups.items()
        ]

    def _method(self) -> str:
        found = self.found
        how = f"all {found.draws} resamples of tasks"
        if found.seed is not None:
            how = f"{found.draws} resamples of tasks, seed {found.seed}"
        return f"[{found.confidence:.0%} interval]: percentiles over {how}; a task brings all its conditions"


def _label(name: str) -> str:
    return LABELS.get(name, name)


def _dot_of(one: Estimate) -> Dot:
    return one.value, one.low, one.high


def _cell(one: Estimate | Difference, sign: str = "") -> str:
    if one.value is None:
        return "undefined"
    between = "" if one.low is None else f" [{one.low:{sign}.3f}, {one.high:{sign}.3f}]"
    return f"{one.value:{sign}.3f}{between}"


def _compared(one: Difference) -> str:
    higher = "" if one.higher is None else f" {one.higher:.2%}"
    return f"{_cell(one, '+')}{higher}"


def _rate(rate: Fraction | None) -> str:
    return "-" if rate is None else f"{float(rate):.2%}"


_LABELS, _PANEL, _GAP, _ROW, _TOP = 210, 220, 36, 34, 64
Dot = tuple[float | None, float | None, float | None]
"""A number from -1 to 1 and the ends of its interval, each None where undefined."""


def dot_plot(
    title: str, names: Sequence[str], panels: Mapping[str, Mapping[str, Sequence[Dot]]], series: tuple[str, str]
) -> str:
    """An SVG document. ``panels`` maps the heading of each panel to names, and each name to a dot for each series."""
    style = "".join(asset("dot_plot.css").splitlines())
    width = _LABELS + len(panels) * (_PANEL + _GAP)
    bottom = _TOP + len(names) * _ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 34}" width="{width}" '
        f'height="{bottom + 34}" role="img" aria-label="{escape(title)}"><style>{style}</style>',
        f'<text class="t" x="8" y="20">{escape(title)}</text>',
        f'<circle class="a" cx="14" cy="38" r="4"/><text class="s" x="24" y="42">{escape(series[0])}</text>',
        f'<circle class="b i o" cx="94" cy="38" r="4"/><text class="s" x="104" y="42">{escape(series[1])}</text>',
    ]
    parts += [f'<text x="8" y="{_middle(row) + 4}">{escape(name)}</text>' for row, name in enumerate(names)]
    for place, (heading, dots) in enumerate(panels.items()):
        left = _LABELS + place * (_PANEL + _GAP)
        parts.append(f'<text class="t" x="{left}" y="{_TOP - 10}">{escape(heading)}</text>')
        for tick in (-1, -0.5, 0, 0.5, 1):
            x = _x(left, tick)
            parts.append(f'<line class="{"g" if tick else "z"}" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
            parts.append(f'<text class="s" x="{x}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
        for row, name in enumerate(names):
            if all(value is None for value, _, _ in dots[name]):
                parts.append(f'<text class="s" x="{_x(left, 0) + 6}" y="{_middle(row) + 4}">undefined</text>')
            for offset, kind, dot in zip((-5, 5), ("a", "b"), dots[name], strict=True):
                parts += _dot(dot, left, _middle(row) + offset, kind)
    return "".join([*parts, "</svg>\n"])


def _dot(dot: Dot, left: int, y: int, kind: str) -> list[str]:
    parts, (value, low, high) = [], dot
    if low is not None and high is not None:
        parts.append(f'<line class="{kind} i" x1="{_x(left, low)}" x2="{_x(left, high)}" y1="{y}" y2="{y}"/>')
    if value is not None:
        hollow = " i o" if kind == "b" else ""
        parts.append(f'<circle class="{kind}{hollow}" cx="{_x(left, value)}" cy="{y}" r="4"/>')
    return parts


def _x(left: int, value: float) -> float:
    return round(left + (value + 1) / 2 * _PANEL, 1)


def _middle(row: int) -> int:
    return _TOP + row * _ROW + _ROW // 2
