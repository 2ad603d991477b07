"""Floor control, correction uptake and what a condition changes, as tables; every figure has its n and interval."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_talk2agent.workflows.campaign.condition_delta import ConditionDelta, MeanDelta
from pytest_talk2agent.workflows.campaign.floor_control import Quantile, correction_uptake, floor_control
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate
from pytest_talk2agent.workflows.campaign.summary import AgentSummary

_NONE = "n/a"

Table = tuple[str, list[str], list[list[str]]]
"""A title, the heads of the columns, and the rows."""


def floor_figures(one: AgentSummary) -> dict[str, str]:
    """Who gave way, how fast, and when it should not have; as far as the host could tell, and by what error."""
    found = floor_control(one.yields)
    overlap = _NONE if one.overlap is None else f"{float(100 * one.overlap):.1f} % (n={one.sessions})"
    timing = one.timing

    def whether(given: Rate | NotApplicable) -> str:
        return timing.beside(given) if timing.refusal else str(given)

    def how_fast(given: Quantile | NotApplicable) -> str:
        return timing.beside(given) if one.yields.stops else str(given)

    return {
        "barge-ins yielded to": whether(found.yields),
        "stop ms p50": how_fast(found.stop_p50),
        "stop ms p95": how_fast(found.stop_p95),
        "never stopped": f"{found.censored} of {one.yields.asked}",
        "false yields at backchannels": whether(found.false),
        "overlap": overlap,
    }


def uptake_figures(one: AgentSummary) -> dict[str, str]:
    """What became of corrections, as published: a field that is right and was not written again is missed."""
    found = correction_uptake(one.uptake.counts)
    return {
        "AFA of corrected fields": str(found.corrected),
        "AFA of the others": str(found.other),
        "gap": str(found.gap),
        "corrected, value wrong": str(one.uptake.value_wrong),
        "corrected, not rewritten": str(one.uptake.not_rewritten),
        "AV failures with one of them": str(one.linked),
    }


def delta_tables(deltas: Sequence[ConditionDelta]) -> list[Table]:
    """A table for each condition of an agent against its reference."""
    return [_delta_table(one) for one in deltas]


def _delta_table(one: ConditionDelta) -> Table:
    unpaired = f", {one.unpaired} without a partner" if one.unpaired else ""
    title = f"what the condition changes, {one.agent} (n={one.sessions} pairs{unpaired})"
    gap = _NONE if one.yield_gap is None else str(one.yield_gap)
    rows = [
        ["success", *_mean(one.success)],
        ["AFA fields right", *_mean(one.afa)],
        ["barge-ins yielded to", *map(str, one.yields), gap],
        ["false yields at backchannels", *map(str, one.false_yields), ""],
        ["stop ms p50", *map(str, one.stops), ""],
    ]
    return title, ["", one.reference, one.condition, "difference"], rows


def _mean(one: MeanDelta | None) -> list[str]:
    if one is None:
        return [_NONE, _NONE, _NONE]
    span = "one workflow says nothing of others"
    if one.interval is not None:
        span = f"[{100 * one.interval[0]:+.1f}, {100 * one.interval[1]:+.1f}]"
    difference = f"{float(100 * one.difference):+.1f} points {span} (n={one.workflows})"
    return [f"{float(100 * one.before):.1f} %", f"{float(100 * one.after):.1f} %", difference]
