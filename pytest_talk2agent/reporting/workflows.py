"""Workflows in words: why a session failed, gate by gate, and what all sessions of a run come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.reporting.floor_tables import floor_figures, uptake_figures
from pytest_talk2agent.reporting.properties import PREFIX
from pytest_talk2agent.reporting.session_diff import diff_lines
from pytest_talk2agent.reporting.visible import encodable, shell_word, table, visible_line, visible_lines
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignGate
from pytest_talk2agent.workflows.campaign.kept import KeptSession
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, percent
from pytest_talk2agent.workflows.campaign.record import ProblemRecord, SessionRecord
from pytest_talk2agent.workflows.campaign.summary import AgentSummary, Slice
from pytest_talk2agent.workflows.scoring.gates import GATES, TITLES
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth

_WORDS: Mapping[Truth, str] = {True: "pass", False: "FAIL", None: "unjudged"}
_EVENTS = 3
_LONGEST = 160
_NONE = "n/a"
MEASURE = "measure"
"""The head of the first column where each row is a measure and each other column an agent."""
FAILED_HEAD = ("session", "outcome", "what is first against it")
WIDTH = 100
"""Characters of a line on the terminal into which tables of agents are fitted."""
_GAP = 2

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


def failed_rows(records: Mapping[str, SessionRecord], compat: Compat | None = None) -> list[list[str]]:
    """A row for each session that did not pass, those that failed first, under `FAILED_HEAD`."""
    order = ("failed", "unjudged", "missing")
    found = [(order.index(word), item, one) for item, one in records.items() if (word := one.outcome(compat)) in order]
    rows = []
    for place, _, one in sorted(found, key=lambda row: row[:2]):
        name = visible_line(session_name(one))
        rows.append([name, order[place], session_headline(one, compat).removeprefix(f"{name}: ")])
    return rows


def session_text(
    record: SessionRecord,
    kept: KeptSession | str,
    rerun: Sequence[str],
    *,
    compat: Compat | None = None,
    log: str = "",
) -> str:
    """The text of a failed session: each gate with its rules, what gold wanted, what stood there, and the log.

    Artifacts that differ from gold and the rows that changed come after the gates. ``kept`` is the log, or why it
    cannot be read.
    """
    score = record.score(compat)
    named = {seq for problem in score.problems for seq in problem.events}
    events = {} if isinstance(kept, str) else kept.lines(named)
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
    lines += ["", kept] if isinstance(kept, str) else diff_lines(kept.diff(record, compat))
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
    """Plain lines for the terminal: the measures of all agents, comparisons, then slices where they are asked for.

    As many agents stand side by side as `WIDTH` allows, but at least one.
    """
    lines: list[str] = []
    for title, head, rows in campaign_tables(gate, slices or {}):
        lines += ["", title] if title else []
        if head[0] != MEASURE:
            lines += table(head, rows)
            continue
        for number, columns in enumerate(_side_by_side(head, rows)):
            lines += [""] if number else []
            lines += table([head[one] for one in columns], [[row[one] for one in columns] for row in rows])
    for comparison in gate.comparisons:
        lines += comparison.lines
    return list(map(encodable, visible_lines(lines)))


def _side_by_side(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """Columns, each block with the first one, as blocks of at most `WIDTH` characters."""
    widths = [max(len(visible_line(row[column])) for row in (head, *rows)) for column in range(len(head))]
    blocks: list[list[int]] = []
    for column in range(1, len(head)):
        if blocks and sum(widths[one] + _GAP for one in blocks[-1]) + widths[column] <= WIDTH:
            blocks[-1].append(column)
        else:
            blocks.append([0, column])
    return blocks


def campaign_tables(gate: CampaignGate, slices: Mapping[str, Sequence[Slice]]) -> list[Table]:
    """All figures of a run as tables: a row for each measure and a column for each agent, then kinds of work."""
    if not gate.summaries:
        return []
    agents = [summary.agent for summary in gate.summaries]
    found = [
        _measures("", agents, [_figures(summary) for summary in gate.summaries]),
        _measures("the line", agents, [_line_figures(summary) for summary in gate.summaries]),
    ]
    if any(one.yields.asked or one.yields.kept_on or one.overlap for one in gate.summaries):
        found.append(_measures("floor control", agents, [floor_figures(summary) for summary in gate.summaries]))
    if any(one.uptake.counts.corrected for one in gate.summaries):
        found.append(_measures("correction uptake", agents, [uptake_figures(summary) for summary in gate.summaries]))
    if any(summary.handoffs or isinstance(summary.requests_done, Rate) for summary in gate.summaries):
        found.append(_measures("the callers", agents, [_callers_figures(summary) for summary in gate.summaries]))
    for agent, cells in slices.items():
        rows = [[c.axis, c.label, str(c.n), percent(c.success), _interval(c.interval), str(c.afa)] for c in cells]
        found.append((f"kinds of work, {agent}", ["axis", "kind", "n", "success", "95 %", "AFA"], rows))
    return found


def _measures(title: str, agents: list[str], figures: Sequence[Mapping[str, str]]) -> Table:
    return title, [MEASURE, *agents], [[name, *(one[name] for one in figures)] for name in figures[0]]


def _figures(one: AgentSummary) -> dict[str, str]:
    reliability, k = one.reliability, one.reliability.k
    lost = f", {one.missing} lost" if one.missing else ""
    lost += f", {counted(one.caller_faults, 'attempt')} spoilt by the caller" if one.caller_faults else ""
    found = {"held": f"{counted(one.sessions, 'session')}{lost}"}
    if reliability.n:
        interval = _interval(reliability.pass_1_interval)
        found["Pass@1"] = " ".join(filter(None, [percent(reliability.pass_1), interval, f"(n={reliability.n})"]))
    else:
        found["Pass@1"] = _NONE
    found[f"Pass@{k}" if k > 1 else "Pass@k"] = str(reliability.pass_k) if reliability.n else _NONE
    found[f"Reliable@{k}" if k > 1 else "Reliable@k"] = str(reliability.reliable_k) if reliability.n else _NONE
    found |= {f"{gate} {TITLES[gate]}": str(one.gates[gate]) for gate in GATES}
    use = one.tool_use
    tools = _NONE if isinstance(use, NotApplicable) else f"{float(use.mean_ratio):.2f} of reference"
    return {**found, "AFA fields right": str(one.afa), "corrected fields": _corrected(one), "tool calls": tools}


def _corrected(one: AgentSummary) -> str:
    uptake = one.uptake
    if uptake.corrected is None:
        return str(uptake.value_wrong)
    wrong = f"{uptake.counts.corrected_wrong} wrong, {uptake.counts.corrected_stale} not rewritten"
    return f"{wrong} of {uptake.counts.corrected}"


def _line_figures(one: AgentSummary) -> dict[str, str]:
    timing = one.timing
    called = {"timing": str(timing)} if timing.error_ms is not None else {}
    return {
        **called,
        "latency ms p50, p95": timing.beside(one.latency_ms) if timing.error_ms is not None else str(one.latency_ms),
        "time ms p50, p95": str(one.ttr_ms),
        "false acceptance": str(one.false_acceptance),
    }


def _callers_figures(one: AgentSummary) -> dict[str, str]:
    return {
        "requests done": str(one.requests_done),
        "containment": str(one.containment),
        "what became of the calls": ", ".join(f"{number} {kind}" for kind, number in one.handoffs.items()) or _NONE,
    }


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


def differing(records: Sequence[SessionRecord], compat: Compat | None = None) -> list[str]:
    """Sessions on which the two sets of rules differ in success, one line each."""
    found = []
    for record in records:
        if record.finished and record.success() != record.success("apex-1.0"):
            found.append(f"{session_name(record)}: {'; '.join(other_rules(record, compat))}")
    return found
