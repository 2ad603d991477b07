"""Workflows on the page: failing sessions first, bounded, and everything from agents and packages as text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.reporting.html.workflow_section import MOST, Campaign, workflow_section
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules, decide_campaign
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from tests.reporting.test_html_markup import HOSTILE, read
from tests.workflows.campaign.records import items, session, sessions
from tests.workflows.toys import expense, load


@cache
def log() -> EventLog:
    return run_session(load(expense(), Path(mkdtemp())), make_agent("oracle"), "oracle", RunOptions())


def campaign(*records: SessionRecord, **changes: Any) -> Campaign:
    held, logs = items(list(records)), Path(mkdtemp()) / "a b"
    logs.mkdir()
    for record in records:
        log().write(logs / record.key.file)
    gate = decide_campaign(held, {}, held, CampaignRules())
    return replace(Campaign(gate, held, logs, {"x": "text:M"}), **changes)


def html(one: Campaign) -> str:
    return "".join(workflow_section(one))


def test_failing_sessions_come_first_and_the_first_is_open() -> None:
    seen = read(html(campaign(session("passed", "a"), session("failed", "b"), session("missing", "c"))))
    places = [seen.text.index(name) for name in ("b[x-1]", "c[x-1]", "a[x-1]")]
    assert places == sorted(places)
    opened = [("open" in attributes) for tag, attributes in seen.tags if attributes.get("class") == "trial session"]
    assert opened == [True, False, False]


def test_a_session_has_gates_timeline_artifacts_and_commands() -> None:
    seen = read(html(campaign(session("failed"))))
    for words in (
        "AV artifact validity",
        "artifact expense_1.total_amount",
        "'200' (numeric_tolerance)",
        "artifact expense_1: 1 of 5 wrong or unjudged",
        "the world, before and after",
        "expense.status",
        "What was said and done (",
        "/a b/",
        "talk2agent replay '",
        "pytest 'w[x-1]' --t2a-agent=x=text:M",
        "kinds of work, x",
        "FORM_FILL",
        "n/a (no events)",
    ):
        assert words in seen.text, words
    assert [attributes["role"] for tag, attributes in seen.tags if tag == "svg" and "timeline" in str(attributes)] == [
        "img"
    ]


def test_names_on_the_page_are_there_once() -> None:
    seen = read(html(campaign(*sessions({"a": "pf", "b": "up", "c": "m"}))))
    names = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(names) == len(set(names))
    labels = {label for _, one in seen.tags for label in str(one.get("aria-labelledby") or "").split()}
    assert labels <= set(names)


def test_a_log_that_cannot_be_read_leaves_the_gates() -> None:
    seen = read(html(campaign(session("failed"), logs=Path("no\x1bwhere"))))
    assert "its log cannot be read (No such file or directory): no timeline and no differences" in seen.text
    assert r"talk2agent replay $'no\x1bwhere/" in seen.text
    assert "artifact expense_1.total_amount" in seen.text


def test_what_is_left_out_is_counted_and_passed() -> None:
    rows = [session("passed", f"w{n:03}") for n in range(MOST + 3)] + [session("failed", "z")]
    seen = read(html(campaign(*rows)))
    assert f"{4} sessions more (4 passed) in workflows.json." in seen.text
    assert sum(one.get("class") == "trial session" for _, one in seen.tags) == MOST
    assert "z[x-1]" in seen.text


@pytest.mark.parametrize("text", [*HOSTILE, "\x1b[2J"])
def test_what_agents_and_packages_say_stays_text(text: str) -> None:
    one = session("failed")
    assert one.mended is not None
    problem = one.mended.problems[0].model_copy(update={"found": text, "wanted": text, "id": text})
    name = text.encode("utf-8", "replace").decode()  # half a character is in no name: a key has a digest
    key = one.key.model_copy(update={"package": name, "agent": name})
    mended = one.mended.model_copy(update={"problems": (problem,)})
    said = {"contracts": (text,), "end": text, "labels": {**one.labels, "industry": text}}
    one = one.model_copy(update={"key": key, "mended": mended, **said})
    made = html(campaign(one, logs=Path(text), agents={name: text}))
    plain = read(html(campaign(session("failed"))))
    seen = read(made)
    assert {tag for tag, _ in seen.tags} <= {tag for tag, _ in plain.tags} | {"p"}
    assert "\x1b" not in made
    assert "\udcff" not in made


def test_a_page_of_workflows_alone_says_what_was_held_and_hides_the_items(tmp_path: Path) -> None:
    one = campaign(session("passed"), session("failed", "v"))
    gate = decide_gate([], {}, (), inconclusive_passes=False).with_reasons(one.gate.reasons)
    write_page(tmp_path / "report.html", [], {}, gate, campaign=one)
    seen = read((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "2 sessions · 2 workflows · 1 agent" in seen.text
    assert "0 items" not in seen.text
    around = [one for (_, one), (_, inner) in pairwise(seen.tags) if inner.get("aria-labelledby") == "items"]
    assert around == [{"hidden": None}]
    assert ("a", {"href": "#sessions", "class": "skip"}) in seen.tags
