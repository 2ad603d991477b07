"""Workflows on the page: the tables of the run, each session with its timeline and what it left, and kinds of work.

It needs no script, but to jump in a recording. What agents, callers and packages said is text, with what cannot be seen
spelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.floor_tables import delta_tables
from pytest_talk2agent.reporting.html.markup import Markup, element
from pytest_talk2agent.reporting.html.recordings import Recordings
from pytest_talk2agent.reporting.html.session_sound import recording_beside, session_sound
from pytest_talk2agent.reporting.html.session_timeline import LONGEST, Told, timeline, told
from pytest_talk2agent.reporting.session_diff import cut, found_of, rows_headline
from pytest_talk2agent.reporting.visible import shell_word, visible_line
from pytest_talk2agent.reporting.workflows import Table, campaign_tables, other_rules, session_headline, session_name
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignGate
from pytest_talk2agent.workflows.campaign.condition_delta import condition_deltas
from pytest_talk2agent.workflows.campaign.diff import WORLD, ArtifactDiff, SessionDiff
from pytest_talk2agent.workflows.campaign.kept import KeptSession, kept_session
from pytest_talk2agent.workflows.campaign.record import Outcome, SessionRecord
from pytest_talk2agent.workflows.campaign.summary import slices
from pytest_talk2agent.workflows.scoring.gates import GATES, TITLES
from pytest_talk2agent.workflows.scoring.grade import Compat

MOST = 60
"""So many sessions are on the page, those that failed first; ``workflows.json`` has all."""
ENTRIES, FIELDS, ROWS, CELLS, PROBLEMS = 200, 40, 40, 12, 20
"""So many things that were said or done, fields of an artifact, rows, cells of a row, and problems of a gate are."""
_ORDER: Sequence[Outcome] = ("failed", "unjudged", "missing", "passed")
_STATES: Mapping[Outcome, str] = {
    "failed": "failed",
    "unjudged": "inconclusive",
    "missing": "failed",
    "passed": "passed",
}
_GATES = {True: ("pass", "passed"), False: ("FAIL", "failed"), None: ("unjudged", "inconclusive")}
_FIELDS = {"wrong": "failed", "unjudged": "inconclusive", "right": "passed", "optional": None}
_KEY = (
    ("clip s0", "M1 4h12v10h-12z", "words, of the user above and the agent below; a bar with ends: cut off"),
    ("overlap", "M1 3h12v12h-12z", "both speak"),
    ("onset", "M2 5h10l-5 9z", "the user's voice sets in over the agent's"),
    ("call s2", "M1 5h12v8h-12z", "a tool call; ✗ and dashes: without success"),
    ("dot s3", "M7 3l6 6l-6 6l-6 -6z", "an artifact is written"),
    ("dot s4", "M2 4h10v10h-10z", "the world changes"),
    ("dot s5", "M2 14h10l-5 -10z", "an approval"),
)


@dataclass(frozen=True)
class Campaign:
    """The sessions of a run by item, and its decision.

    ``comparisons`` are lines; ``beside`` are sessions of other runs, for what a condition of the line changes; ``logs``
    is the folder of the logs, ``agents`` the specs by their labels, ``started`` how
    the run was.
    """

    gate: CampaignGate
    records: Mapping[str, SessionRecord]
    logs: Path
    agents: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    comparisons: Sequence[str] = ()
    started: Rerun = field(default_factory=Rerun)
    compat: Compat | None = None
    beside: Sequence[SessionRecord] = ()

    @property
    def facts(self) -> list[str]:
        """What the run was made of."""
        keys = [record.key for record in self.records.values()]
        return [
            counted(len(keys), "session"),
            counted(len({key.package for key in keys}), "workflow"),
            counted(len({key.agent for key in keys}), "agent"),
        ]


def recorded_calls(campaign: Campaign) -> list[tuple[str, str]]:
    """The recordings of a run's calls, each with the SHA-256 that its session noted."""
    return [
        (str(recording_beside(campaign.logs / record.key.file)), record.call.recording_sha256)
        for record in campaign.records.values()
        if record.call is not None
    ]


def workflow_section(campaign: Campaign, recordings: Recordings | None = None) -> Iterator[Markup]:
    """The sections; without ``recordings`` no session has its sound."""
    sounds = recordings or Recordings("none", Path())
    gate, compat = campaign.gate, campaign.compat
    tables = campaign_tables(gate, {})
    deltas = delta_tables(condition_deltas([*campaign.records.values(), *campaign.beside], compat))
    yield element(
        "section",
        element("h2", "workflows", id="workflows"),
        *(_table(one) for one in (*tables, *deltas)),
        *(element("p", element("bdi", visible_line(line))) for line in campaign.comparisons),
        aria_labelledby="workflows",
        class_="workflows",
    )
    if campaign.records:
        yield _sessions(campaign, sounds)
    for summary in gate.summaries:
        records = [one for one in campaign.records.values() if one.key.agent == summary.agent]
        kinds = campaign_tables(gate, {summary.agent: slices(records, compat)})[len(tables) :]
        yield element("section", *(_table(one, heading="h2") for one in kinds), class_="workflows")


def _table(one: Table, heading: str = "h3") -> Markup:
    title, head, rows = one
    top = [element("th", _words(name), scope="col", class_="n" if name == "n" else None) for name in head]
    body = []
    for row in rows:
        pairs = zip(head[1:], row[1:], strict=True)
        cells = [element("td", _words(cell), class_="n" if name == "n" else None) for name, cell in pairs]
        body.append(element("tr", element("th", _words(row[0]), scope="row"), *cells))
    return element(
        "div",
        element(heading, _words(title)) if title else Markup(),
        _scrolled(title or "workflows", top, body),
    )


def _scrolled(caption: str, top: Sequence[Markup], body: Sequence[Markup]) -> Markup:
    table = element(
        "table",
        element("caption", visible_line(caption), class_="hidden"),
        element("thead", element("tr", *top)),
        element("tbody", *body),
    )
    return element("div", table, class_="wide", tabindex=0, role="region", aria_label=visible_line(caption))


def _sessions(campaign: Campaign, recordings: Recordings) -> Markup:
    compat = campaign.compat
    ordered = sorted(campaign.records.items(), key=lambda one: (_ORDER.index(one[1].outcome(compat)), one[0]))
    shown = [
        _session(number, item, record, campaign, recordings) for number, (item, record) in enumerate(ordered[:MOST])
    ]
    left = [record.outcome(compat) for _, record in ordered[MOST:]]
    note: list[Markup] = []
    if left:
        kinds = ", ".join(f"{left.count(kind):,} {kind}" for kind in _ORDER if kind in left)
        note = [element("p", f"{counted(len(left), 'session')} more ({kinds}) in workflows.json.", class_="note")]
    legend = []
    for name, path, words in _KEY:
        shape = element("path", d=path, class_=name)
        mark = element("svg", shape, class_="key", viewBox="0 0 14 18", aria_hidden="true")
        legend.append(element("li", mark, words))
    return element(
        "section",
        element("h2", "sessions", id="sessions", tabindex=-1),
        element("ul", *legend, class_="legend"),
        *shown,
        *note,
        aria_labelledby="sessions",
        class_="trials",
    )


def _session(number: int, item: str, record: SessionRecord, campaign: Campaign, recordings: Recordings) -> Markup:
    compat = campaign.compat
    log = campaign.logs / record.key.file
    outcome, kept = record.outcome(compat), kept_session(log)
    why = session_headline(record, compat).removeprefix(f"{visible_line(session_name(record))}: ")
    head = element(
        "summary",
        element("span", outcome, class_=f"state {_STATES[outcome]}"),
        " ",
        element("b", _words(session_name(record))),
        " ",
        element("small", _words(why)) if outcome != "passed" else Markup(),
    )
    body = [element("p", _words(" · ".join(_facts(record, campaign))), class_="note")]
    if record.finished:
        body.append(_gates(record, kept, compat))
    body += [element("p", _words(f"contract broken: {contract}")) for contract in record.contracts]
    body += [element("p", _words(f"by other rules: {line}")) for line in other_rules(record, compat)]
    if isinstance(kept, str):
        body.append(element("p", _words(f"{kept}: no timeline and no differences"), class_="note"))
    else:
        label = f"timeline of {visible_line(session_name(record))}"
        sound = session_sound(record, log, recordings)
        drawing = timeline(kept.trace, f"timeline-{number}", sound.waves)
        body.append(element("div", drawing, class_="wide", tabindex=0, role="region", aria_label=label))
        body += [] if sound.player is None else [sound.player]
        body += [element("p", _words(sound.note), class_="note")] if sound.note else []
        body += _diff(kept.diff(record, compat))
        body.append(_told(told(kept.trace), jumps=sound.player is not None))
    agent = record.key.agent
    again = campaign.started.session(item, agent, campaign.agents.get(agent, agent))
    commands = [f"talk2agent replay {shell_word(str(log))}", " ".join(map(shell_word, again))]
    body += [element("p", element("code", command), class_="rerun") for command in commands]
    opened = number == 0 and outcome != "passed"
    return element("details", head, *body, class_="trial session", open=opened)


def _facts(record: SessionRecord, campaign: Campaign) -> Iterator[str]:
    yield f"agent {record.key.agent}, repetition {record.key.repetition + 1}"
    if not record.finished:
        yield f"no result after {counted(record.attempts, 'attempt')}: {record.reason}"
        return
    afa = record.score(campaign.compat).afa
    yield f"fields right {'unjudged' if afa is None else f'{float(100 * afa):.1f} %'}"
    calls = "" if record.oracle_calls is None else f" ({record.oracle_calls} in the reference)"
    yield f"{counted(record.turns, 'turn')}, {counted(record.calls, 'tool call')}{calls}"
    yield f"ended by {record.end or 'unknown'}"


def _gates(record: SessionRecord, kept: KeptSession | str, compat: Compat | None) -> Markup:
    score = record.score(compat)
    named = {seq for problem in score.problems for seq in problem.events}
    lines = {} if isinstance(kept, str) else kept.lines(named)
    body = []
    for gate in GATES:
        word, state = _GATES[score.gates[gate]]
        found = [problem for problem in score.problems if problem.gate == gate]
        name = element("th", f"{gate} {TITLES[gate]}", scope="row")
        verdict = element("td", element("span", word, class_=f"state {state}"), class_="short")
        if not found:
            body.append(element("tr", name, verdict, *([element("td", colspan=4)] if score.problems else [])))
        for number, problem in enumerate(found[:PROBLEMS]):
            open_ = " (unjudged)" if problem.open else ""
            events = [element("div", _words(lines[seq])) for seq in problem.events[-3:] if seq in lines]
            cells = [f"{problem.rule} {problem.id}{open_}", problem.wanted, problem.found]
            first = [name, verdict] if number == 0 else [element("td"), element("td")]
            last = element("td", *events, class_="events")
            body.append(element("tr", *first, *(element("td", _words(cell)) for cell in cells), last))
        if len(found) > PROBLEMS:
            more = element("td", f"and {len(found) - PROBLEMS} more", colspan=4)
            body.append(element("tr", element("td"), element("td"), more))
    heads = ("gate", "", "rule", "wanted", "found", "in the log")
    shown = heads if score.problems else heads[:2]
    return _scrolled("gates", [element("th", head, scope="col") for head in shown], body)


def _diff(diff: SessionDiff) -> Iterator[Markup]:
    for artifact in diff.artifacts:
        yield from _artifact(artifact)
    rows = [row for row in diff.rows if row.table != WORLD]
    if diff.tables:
        yield element("h3", rows_headline(diff))
    elif diff.rows:
        yield element("h3", "the world, before and after")
    body = []
    for row in (*rows, *(row for row in diff.rows if row.table == WORLD))[:ROWS]:
        cells = row.cells[:CELLS]
        more = len(row.cells) - CELLS
        left = [element("div", f"and {more} more")] if more > 0 else []
        before = [_cell(cell.name, cell.before) for cell in cells]
        after = [_cell(cell.name, cell.after) for cell in cells]
        name = [element("th", _words(row.table), scope="row"), *(element("td", _words(t)) for t in (row.key, row.kind))]
        body.append(element("tr", *name, element("td", *before, *left), element("td", *after)))
    if body:
        heads = ("table", "row", "", "before", "after")
        yield _scrolled("rows before and after", [element("th", head, scope="col") for head in heads], body)
    if len(diff.rows) > ROWS:
        yield element("p", f"and {counted(len(diff.rows) - ROWS, 'row')} more", class_="note")


def _cell(name: str, value: str | None) -> Markup:
    return Markup() if value is None else element("div", _words(f"{name} {value}"))


def _artifact(one: ArtifactDiff) -> Iterator[Markup]:
    wrong = one.count("wrong", "unjudged")
    words = f"{wrong} of {len(one.fields)} wrong or unjudged" if wrong else "as gold wants it"
    yield element("h3", _words(f"artifact {one.artifact_id}: {words}"))
    body = []
    for each in one.fields[:FIELDS]:
        state = _FIELDS[each.mark]
        mark = element("span", each.mark, class_=None if state is None else f"state {state}")
        cells = [
            element("td", mark, class_="short"),
            element("td", _words(each.wanted)),
            element("td", _words(found_of(each))),
        ]
        body.append(element("tr", element("th", _words(each.field or "artifact"), scope="row"), *cells))
    heads = ("field", "", "gold wants", "stood there")
    yield _scrolled("artifact against gold", [element("th", head, scope="col") for head in heads], body)
    left = [f"and {counted(len(one.fields) - FIELDS, 'field')} more"] if len(one.fields) > FIELDS else []
    if one.unasked:
        more = f" and {len(one.unasked) - CELLS} more" if len(one.unasked) > CELLS else ""
        left.append(f"not in gold: {', '.join(one.unasked[:CELLS])}{more}")
    yield from (element("p", _words(line), class_="note") for line in left)


def _told(rows: Sequence[Told], *, jumps: bool) -> Markup:
    """What was said and done; where there is a recording each time is a button that plays it from there."""

    def when(ms: int) -> Markup:
        time = f"{ms / 1000:.1f} s"
        if not jumps:
            return element("td", time, class_="n")
        return element("td", element("button", time, type="button", data_at=ms, class_="at"), class_="n")

    body = [
        element(
            "tr",
            when(one.ms),
            element("th", one.who, scope="row"),
            element("td", _words(one.text)),
        )
        for one in rows[:ENTRIES]
    ]
    more = len(rows) - ENTRIES
    note = [element("p", f"{more:,} more in the log", class_="note")] if more > 0 else []
    heads = [element("th", head, scope="col", class_="n" if head == "at" else None) for head in ("at", "who", "")]
    summary = element("summary", f"What was said and done ({len(rows):,})")
    return element("details", summary, _scrolled("what was said and done", heads, body), *note)


def _words(text: str) -> Markup:
    """One bounded line of somebody's words, kept apart from the direction of what stands around them."""
    return element("bdi", visible_line(cut(text, LONGEST)))
