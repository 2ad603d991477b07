"""Workflows in words: why a session failed, gate by gate, and what all sessions of a run come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.reporting.properties import PREFIX
from pytest_talk2agent.reporting.visible import encodable, shell_word, table, visible_line, visible_lines
from pytest_talk2agent.workflows.campaign.gate import CampaignGate
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, percent
from pytest_talk2agent.workflows.campaign.record import ProblemRecord, SessionRecord
from pytest_talk2agent.workflows.campaign.summary import AgentSummary, Slice
from pytest_talk2agent.workflows.scoring.gates import GATES, TITLES
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth

_WORDS: Mapping[Truth, str] = {True: "pass", False: "FAIL", None: "unjudged"}
_EVENTS = 3
_LONGEST = 160
_NONE = "n/a"

Table = tuple[str, list[str], list[list[str]]]
"""A title, the heads of the columns, and the rows."""


def session_name(record: SessionRecord) -> str:
    """What a session is, in short; repetitions count from 1."""
    return f"{record.key.package}[{record.key.agent}-{record.key.repetition + 1}]"


def session_headline(record: SessionRecord, compat: Compat | None = None) -> str:
    """One line: which gates failed or are open, and what is first against them."""
    if not record.finished:
        return visible_line(f"{session_name(record)}: no result: {record.reason}")
    score = record.score(compat)
    failed = [name for name in GATES if score.gates[name] is False]
    open_ = [name for name in GATES if score.gates[name] is None]
    if not failed and not open_ and record.contracts and compat is None:
        return visible_line(f"{session_name(record)}: broken contract: {record.contracts[0]}")
    said = [f"{', '.join(failed)} failed"] if failed else []
    said += [f"{', '.join(open_)} unjudged"] if open_ else []
    first = next((p for p in score.problems if p.gate in (failed or open_)), None)
    detail = f": {_problem(first)}" if first is not None else ""
    return visible_line(f"{session_name(record)}: {'; '.join(said) or 'passed'}{detail}")


def session_text(
    record: SessionRecord,
    events: Mapping[int, str],
    rerun: Sequence[str],
    *,
    compat: Compat | None = None,
    log: str = "",
) -> str:
    """The text of a failed session: each gate with its rules, what gold wanted, what stood there, and the log.

    ``events`` are lines of the log by their number, for those that a problem names.
    """
    score = record.score(compat)
    lines = [session_headline(record, compat), ""]
    for gate in GATES:
        lines.append(f"{gate} {TITLES[gate]:<18} {_WORDS[score.gates[gate]]}")
        for problem in score.problems:
            if problem.gate == gate:
                lines.append(f"   {problem.rule} {problem.id}{' (unjudged)' if problem.open else ''}")
                lines.append(f"      wanted {_cut(problem.wanted)}")
                lines.append(f"      found  {_cut(problem.found)}")
                lines += [f"      event {seq}: {events[seq]}" for seq in problem.events[-_EVENTS:] if seq in events]
    lines += [f"contract broken: {contract}" for contract in record.contracts]
    afa = "unjudged" if score.afa is None else f"{float(100 * score.afa):.1f} %"
    calls = "" if record.oracle_calls is None else f" ({record.oracle_calls} in the reference)"
    ended = f"{record.end or 'unknown'}{f' ({record.reason})' if record.reason else ''}"
    lines += ["", f"fields right {afa}, tool calls {record.calls}{calls}, ended by {ended}"]
    lines += [f"by other rules: {line}" for line in other_rules(record, compat)]
    if log:
        lines.append(f"log     {log}   (talk2agent replay {shell_word(log)})")
    lines.append(f"rerun   {' '.join(map(shell_word, rerun))}")
    return encodable("\n".join(visible_lines(lines)))


def other_rules(record: SessionRecord, compat: Compat | None = None) -> list[str]:
    """Where the two sets of rules differ on a session, one line each."""
    if record.mended is None or record.published is None:
        return []
    ours, theirs = record.mended, record.published
    rows: list[tuple[str, str, str]] = [(gate, _WORDS[ours.gates[gate]], _WORDS[theirs.gates[gate]]) for gate in GATES]
    rows.append(("success", _WORDS[record.success()], _WORDS[record.success("apex-1.0")]))
    if compat is None:
        return [f"{name} {one}, by apex-1.0 {two}" for name, one, two in rows if one != two]
    return [f"{name} {two}, by the mended rules {one}" for name, one, two in rows if one != two]


def _problem(problem: ProblemRecord) -> str:
    return f"{problem.rule} {problem.id}: wanted {_cut(problem.wanted)}, found {_cut(problem.found)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}.."


def session_properties(record: SessionRecord, compat: Compat | None = None) -> list[tuple[str, str]]:
    """Facts for JUnit."""
    key = record.key
    found = {
        "package": key.package,
        "agent": key.agent,
        "repetition": str(key.repetition + 1),
        "outcome": record.outcome(compat),
        "attempts": str(record.attempts),
        "log": record.log,
        "log_sha256": record.log_sha256,
        **record.labels,
    }
    if record.finished:
        score = record.score(compat)
        found |= {gate: _WORDS[score.gates[gate]].lower() for gate in GATES}
        found["afa"] = "unjudged" if score.afa is None else f"{float(score.afa):.4f}"
        found["tool_calls"] = str(record.calls)
        differences = other_rules(record, compat)
        found |= {"other_rules": "; ".join(differences)} if differences else {}
        found |= {"problems": "; ".join(map(_problem, score.problems))} if score.problems else {}
    else:
        found["reason"] = record.reason
    return [(f"{PREFIX}{name}", visible_line(value)) for name, value in found.items()]


def campaign_lines(gate: CampaignGate, *, slices: Mapping[str, Sequence[Slice]] | None = None) -> list[str]:
    """Plain lines for the terminal: one table for all agents, comparisons, then slices where they are asked for."""
    lines: list[str] = []
    for number, (title, head, rows) in enumerate(campaign_tables(gate, slices or {})):
        lines += ["", title] if number else []
        lines += table(head, rows)
    for comparison in gate.comparisons:
        lines += comparison.lines
    return list(map(encodable, visible_lines(lines)))


def campaign_tables(gate: CampaignGate, slices: Mapping[str, Sequence[Slice]]) -> list[Table]:
    """All figures of a run as tables."""
    if not gate.summaries:
        return []
    head = ["agent", "sessions", "Pass@1", "Pass@k", "Reliable@k", *GATES, "AFA", "corrected", "tool calls"]
    found: list[Table] = [("", head, [_row(summary) for summary in gate.summaries])]
    names = [
        "agent",
        "yield",
        "stop ms p50, p95",
        "overlap",
        "latency ms p50, p95",
        "time ms p50, p95",
        "false acceptance",
    ]
    found.append(("the line", names, [_line_row(summary) for summary in gate.summaries]))
    if served := [summary for summary in gate.summaries if summary.handoffs or isinstance(summary.requests_done, Rate)]:
        heads = ["agent", "requests done", "containment", "what became of the calls", "false acceptance"]
        found.append(("the callers", heads, [_callers_row(summary) for summary in served]))
    for agent, cells in slices.items():
        rows = [[c.axis, c.label, str(c.n), percent(c.success), _interval(c.interval), str(c.afa)] for c in cells]
        found.append((f"kinds of work, {agent}", ["axis", "kind", "n", "success", "95 %", "AFA"], rows))
    return found


def _row(one: AgentSummary) -> list[str]:
    reliability = one.reliability
    lost = f", {one.missing} lost" if one.missing else ""
    shares = [_NONE] * 3
    if reliability.n:
        shares = [
            f"{percent(reliability.pass_1)} {_interval(reliability.pass_1_interval)}".strip(),
            str(reliability.pass_k),
            str(reliability.reliable_k),
        ]
    gates = [str(one.gates[gate]) for gate in GATES]
    tools = _NONE if isinstance(one.tool_use, NotApplicable) else f"{float(one.tool_use.mean_ratio):.2f} of reference"
    return [one.agent, f"{one.sessions}{lost}", *shares, *gates, str(one.afa), _corrected(one), tools]


def _corrected(one: AgentSummary) -> str:
    uptake = one.uptake
    if uptake.corrected is None:
        return str(uptake.value_wrong)
    wrong = f"{uptake.counts.corrected_wrong} wrong, {uptake.counts.corrected_stale} not rewritten"
    return f"{wrong} of {uptake.counts.corrected}"


def _line_row(one: AgentSummary) -> list[str]:
    yields = one.yields
    rate = f"{yields.given} of {yields.asked}" if yields.asked else _NONE
    false = f", {yields.false} of {yields.kept_on} false" if yields.kept_on else ""
    overlap = _NONE if one.overlap is None else f"{float(100 * one.overlap):.1f} %"
    figures = [str(one.latency_ms), str(one.ttr_ms), str(one.false_acceptance)]
    return [one.agent, f"{rate}{false}", str(one.stop_ms), overlap, *figures]


def _callers_row(one: AgentSummary) -> list[str]:
    became = ", ".join(f"{number} {kind}" for kind, number in one.handoffs.items()) or _NONE
    return [one.agent, str(one.requests_done), str(one.containment), became, str(one.false_acceptance)]


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


def differing(records: Sequence[SessionRecord], compat: Compat | None = None) -> list[str]:
    """Sessions on which the two sets of rules differ in success, one line each."""
    found = []
    for record in records:
        if record.finished and record.success() != record.success("apex-1.0"):
            found.append(f"{session_name(record)}: {'; '.join(other_rules(record, compat))}")
    return found
