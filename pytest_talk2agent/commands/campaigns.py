"""``talk2agent apex``: results of APEX-Voice campaigns, published or your own, with intervals and tests beside them."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from pytest_talk2agent.commands.common import Commands, add_json, declared, write, write_json
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.results.verdict import share
from pytest_talk2agent.workflows.campaign.comparison import Metric, compare, ranked
from pytest_talk2agent.workflows.campaign.published import (
    PublishedRun,
    ToolUse,
    read_campaign,
    read_passes,
    read_tool_use,
)
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, percent, rate
from pytest_talk2agent.workflows.campaign.reliability import Reliability, reliability
from pytest_talk2agent.workflows.scoring.gates import GATES
from pytest_talk2agent.workflows.scoring.grade import Truth


def add_apex(commands: Commands) -> None:
    """Declare the command."""
    apex = declared(commands, "apex", run_apex, "reliability of APEX-Voice results, with intervals and paired tests")
    apex.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="per_task.csv, tooluse_by_task.csv, or the folder of a campaign (TASK/rep<k>/result.json)",
    )
    apex.add_argument("--repetitions", type=int, default=3, metavar="K", help="of each workflow (default: 3)")
    apex.add_argument("--against", metavar="MODEL", help="compare every other model with this one")
    apex.add_argument(
        "--margin", metavar="X", help="what Pass@1 may lose against it, 0 to 1; exit status 1 where one regressed"
    )
    add_json(apex)


@dataclass
class _Found:
    """What some paths hold, by model; ``failed`` counts sessions that the infrastructure lost."""

    passes: dict[str, Reliability] = field(default_factory=dict)
    tools: dict[str, ToolUse] = field(default_factory=dict)
    gates: dict[str, dict[str, Rate | NotApplicable]] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)


def run_apex(options: argparse.Namespace) -> int:
    """Read, compare, print."""
    if options.repetitions < 1:
        raise ValueError(f"--repetitions: {options.repetitions} is no number of repetitions; write 1 or more")
    if options.margin is not None and options.against is None:
        raise ValueError("--margin needs --against=MODEL: what the others are compared with")
    found = _read(options.paths, options.repetitions)
    order = [*ranked(found.passes), *sorted(found.tools.keys() - found.passes.keys())]
    comparisons = []
    if options.against is not None:
        if options.against not in found.passes:
            raise ValueError(
                f"--against: no passes of {options.against!r}; there are {', '.join(found.passes) or 'none'}"
            )
        margins: dict[Metric, Fraction] = {}
        if options.margin is not None:
            try:
                margins = {"pass": share(options.margin)}
            except ValueError as error:
                raise ValueError(f"--margin: {error}") from None
        reference = options.against, found.passes[options.against]
        comparisons = [
            compare(reference, (model, found.passes[model]), margins=margins)
            for model in order
            if model != options.against and model in found.passes
        ]
    reasons = [reason for one in comparisons for reason in one.reasons()]
    if options.json:
        models = {model: _plain(model, found) for model in order}
        write_json({"models": models, "comparisons": [one.lines for one in comparisons], "reasons": reasons})
    else:
        write(_lines(order, found))
        write([line for one in comparisons for line in one.lines])
        write(reasons)
    return 1 if reasons else 0


def _read(paths: Sequence[Path], repetitions: int) -> _Found:
    found = _Found()
    for path in paths:
        if path.is_dir():
            _take_campaign(path, repetitions, found)
        elif not path.exists():
            raise ValueError(f"{path}: no such file or folder; check the path")
        elif "_tool_ratio" in _head(path):
            found.tools |= read_tool_use(path, repetitions)
        else:
            found.passes |= read_passes(path)
    return found


def _head(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as stream:
        return stream.readline(1 << 16)


def _take_campaign(path: Path, repetitions: int, found: _Found) -> None:
    runs = read_campaign(path)
    if not runs:
        raise ValueError(f"{path}: no TASK/rep<k>/result.json in this folder")
    by_model: dict[str, list[PublishedRun]] = defaultdict(list)
    for run in runs:
        by_model[run.model].append(run)
    for model, some in by_model.items():
        outcomes: dict[str, dict[int, Truth]] = defaultdict(dict)
        done = [run for run in some if not run.failed]
        for run in done:
            outcomes[run.task][run.repetition] = run.success
        found.passes[model] = reliability(outcomes, repetitions)
        found.gates[model] = {
            gate: rate(sum(run.gates[gate] for run in done), len(done), "no sessions") for gate in GATES
        }
        found.failed[model] = len(some) - len(done)


def _lines(order: Sequence[str], found: _Found) -> list[str]:
    head = ["model", "n", "Pass@1", "Pass@k", "Reliable@k", "pass^2", "identical runs flip", "tool calls"]
    rows = [_row(model, found) for model in order]
    lines = table(head, rows)
    if found.gates:
        gates = [
            [model, *(str(found.gates[model][gate]) for gate in GATES), str(found.failed[model])]
            for model in found.gates
        ]
        lines += ["", *table(["model", *GATES, "lost"], gates)]
    return lines


def _row(model: str, found: _Found) -> list[str]:
    one, tools = found.passes.get(model), found.tools.get(model)
    use = "n/a" if tools is None else f"{float(tools.mean_ratio):.2f} of reference"
    if one is None or not one.n:
        return [model, "0", *["n/a"] * 5, use]
    ends = one.pass_1_interval
    span = "" if ends is None else f" [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"
    twice = percent(one.pass_hat(2)) if one.k >= 2 else "n/a"
    flips = "n/a" if one.flips is None else f"{float(100 * one.flips):.1f} %"
    return [model, str(one.n), f"{percent(one.pass_1)}{span}", str(one.pass_k), str(one.reliable_k), twice, flips, use]


def _plain(model: str, found: _Found) -> Mapping[str, object]:
    one, tools = found.passes.get(model), found.tools.get(model)
    data: dict[str, object] = {}
    if one is not None and one.n:
        data |= {
            "workflows": one.n,
            "repetitions": one.k,
            "passes": one.passes,
            "pass_1": str(one.pass_1.low),
            "pass_1_interval": one.pass_1_interval,
            "pass_k": one.pass_k.passed,
            "pass_k_interval": one.pass_k.interval,
            "reliable_k": one.reliable_k.passed,
            "reliable_k_interval": one.reliable_k.interval,
            "pass_hat": {str(j): str(one.pass_hat(j).low) for j in range(1, one.k + 1)},
            "histogram": {str(number): count for number, count in one.histogram.items()},
            "flips": None if one.flips is None else str(one.flips),
            "incomplete": dict(one.incomplete),
        }
    if tools is not None:
        data["tool_use"] = {
            "calls": tools.total,
            "calls_per_run": str(tools.per_run),
            "mean_ratio": str(tools.mean_ratio),
            "median_ratio": str(tools.median_ratio),
        }
    if model in found.gates:
        data["gates"] = {
            gate: None if isinstance(one, NotApplicable) else [one.passed, one.total]
            for gate, one in found.gates[model].items()
        }
        data["lost"] = found.failed[model]
    return data
