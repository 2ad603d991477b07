from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.workflows import (
    campaign_lines,
    campaign_tables,
    differing,
    failed_rows,
    other_rules,
    session_headline,
    session_properties,
    session_text,
)
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules, decide_campaign
from pytest_talk2agent.workflows.campaign.kept import kept_session
from pytest_talk2agent.workflows.campaign.summary import slices
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from tests.workflows.campaign.records import items, session, sessions
from tests.workflows.toys import expense, load


def test_the_headline_says_which_gate_and_why() -> None:
    assert session_headline(session("failed")) == (
        "w[x-1]: AV failed: artifact expense_1.total_amount: wanted '200' (numeric_tolerance), found '240'"
    )
    assert session_headline(session("unjudged")).startswith("w[x-1]: AV unjudged: artifact expense_1.trip_purpose")
    assert session_headline(session("missing")) == "w[x-1]: no result: the server went away"
    assert session_headline(session("passed")) == "w[x-1]: passed"
    raced = session("passed").model_copy(update={"contracts": ("write after revocation: twice",)})
    assert session_headline(raced) == "w[x-1]: broken contract: write after revocation: twice"


def test_the_text_goes_gate_by_gate_with_the_log_and_the_way_to_run_it_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    run_session(load(expense(), tmp_path / "p"), make_agent("oracle"), "oracle", RunOptions()).write(log)
    kept = kept_session(log)
    one = session("failed")
    assert one.mended is not None
    problem = one.mended.problems[0].model_copy(update={"events": (68,)})
    one = one.model_copy(update={"mended": one.mended.model_copy(update={"problems": (problem,)})})
    text = session_text(one, kept, ["pytest", "a b"], log="logs/x.jsonl")
    lines = text.splitlines()
    assert lines[2:9] == [
        "TS target state       pass",
        "PV process validity   pass",
        "AC action completion  pass",
        "AV artifact validity  FAIL",
        "   artifact expense_1.total_amount",
        "      wanted '200' (numeric_tolerance)",
        "      found  '240'",
    ]
    assert lines[9].startswith("      event 68: at ")
    assert "artifact expense_1 against gold: 1 wrong of 5" in lines
    assert "   !  total_amount     '200' (numeric_tolerance)  '240'" in lines
    assert "world, before -> after: expense.status 'open' -> 'submitted'" in lines
    assert lines[-2:] == ["log     logs/x.jsonl   (talk2agent replay logs/x.jsonl)", "rerun   pytest 'a b'"]


def test_what_an_agent_wrote_is_shown_and_never_obeyed() -> None:
    one = session("failed")
    assert one.mended is not None
    problem = one.mended.problems[0].model_copy(update={"found": "\x1b[2J" + "x" * 500})
    one = one.model_copy(update={"mended": one.mended.model_copy(update={"problems": (problem,)})})
    text = session_text(one, "its log\x1b cannot be read", [])
    assert "its log\\x1b cannot be read" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 400


def test_where_the_rules_differ_both_are_said() -> None:
    one = session("unjudged")
    assert other_rules(one) == ["AV unjudged, by apex-1.0 FAIL", "success unjudged, by apex-1.0 FAIL"]
    assert other_rules(one, "apex-1.0")[0] == "AV FAIL, by the mended rules unjudged"
    assert other_rules(session("passed")) == other_rules(session("missing")) == []
    assert differing([session("passed"), one, session("missing")]) == [
        "w[x-1]: AV unjudged, by apex-1.0 FAIL; success unjudged, by apex-1.0 FAIL"
    ]


@pytest.mark.parametrize("outcome", ["passed", "failed", "unjudged", "missing"])
def test_the_facts_of_a_session_for_junit(outcome: str) -> None:
    found = dict(session_properties(session(outcome)))
    assert (found["t2a.outcome"], found["t2a.package"], found["t2a.repetition"]) == (outcome, "w", "1")
    assert found["t2a.archetype"] == "FORM_FILL"
    if outcome == "missing":
        assert found["t2a.reason"] == "the server went away"
    else:
        assert found["t2a.AV"] == {"passed": "pass", "failed": "fail", "unjudged": "unjudged"}[outcome]


def test_a_run_in_tables() -> None:
    held = sessions({"a": "pf", "b": "pp"})
    gate = decide_campaign(items(held), {}, items(held), CampaignRules(2))
    [(_, head, rows), (title, _, line), (taken, _, uptake), (kinds, _, cells)] = campaign_tables(
        gate, {"x": slices(held)}
    )
    assert head == ["measure", "x"]
    assert dict(rows) == {
        "held": "4 sessions",
        "Pass@1": "75.0 % [0.0, 100.0] (n=2)",
        "Pass@2": "2 of 2",
        "Reliable@2": "1 of 2",
        "TS target state": "4 of 4",
        "PV process validity": "4 of 4",
        "AC action completion": "4 of 4",
        "AV artifact validity": "3 of 4",
        "AFA fields right": "95.0 % [76.4, 99.1] (n=20)",
        "corrected fields": "1 wrong, 0 not rewritten of 4",
        "tool calls": "0.14 of reference",
    }
    assert (title, taken, kinds) == ("the line", "correction uptake", "kinds of work, x")
    assert dict(line)["latency ms p50, p95"] == "n/a (no events)"
    assert dict(uptake)["AFA of corrected fields"] == "3 of 4"
    assert dict(uptake)["gap"].startswith("+25.0 points [")
    assert dict(uptake)["AV failures with one of them"] == "1 of 1"
    assert cells[0][:4] == ["archetype", "FORM_FILL", "2", "75.0 %"]
    assert any("1 of 2" in text for text in campaign_lines(gate))
    assert campaign_tables(decide_campaign({}, {}, [], CampaignRules()), {}) == []


def test_floor_control_has_a_table_where_there_was_something_to_control() -> None:
    one = session("passed")
    assert one.mended is not None
    score = one.mended.model_copy(update={"yields": (11, 12, (180,) * 11, 1, 2, 10), "overlap": Fraction(1, 20)})
    held = items([one.model_copy(update={"mended": score})])
    tables = {
        title: dict(rows) for title, _, rows in campaign_tables(decide_campaign(held, {}, held, CampaignRules()), {})
    }
    assert tables["floor control"] == {
        "barge-ins yielded to": "91.7 % [64.6, 98.5] (n=12)",
        "stop ms p50": "180 [180, 180] (n=11)",
        "stop ms p95": "180 (n=11)",
        "never stopped": "1 of 12",
        "false yields at backchannels": "20.0 % [5.7, 51.0] (n=10)",
        "overlap": "5.0 % (n=1)",
    }


def test_calls_that_were_kept_or_passed_on_have_a_table_of_their_own() -> None:
    kept = session("passed").model_copy(update={"handoff": "contained", "asserted_requests": 2, "done_requests": 2})
    lost = session("failed", "v").model_copy(
        update={"handoff": "wrong transfer", "asserted_requests": 2, "done_requests": 1}
    )
    gate = decide_campaign(items([kept, lost]), {}, items([kept, lost]), CampaignRules())
    tables = {title: (heads, rows) for title, heads, rows in campaign_tables(gate, {})}
    heads, rows = tables["the callers"]
    assert heads == ["measure", "x"]
    assert dict(rows) == {
        "requests done": "3 of 4",
        "containment": "1 of 2",
        "what became of the calls": "1 contained, 1 wrong transfer",
    }


def test_tables_fit_into_a_hundred_columns_however_many_agents_there_are() -> None:
    names = ["oracle", "a-model-with-a-long-name:32b", "x\x1b[2J", "flaky", "silent"]
    held = [one for name in names for one in sessions({f"w{n}": "p" for n in range(22)}, name)]
    found = {f"{one.key.agent}/{one.key.package}": one for one in held}
    lines = campaign_lines(decide_campaign(found, {}, found, CampaignRules()))
    assert max(map(len, lines)) <= 100
    assert sum(line.split()[:2] == ["Pass@1", "100.0"] for line in lines) == 3
    assert sum(line.count("100.0 % [85.1, 100.0] (n=22)") for line in lines if line.startswith("Pass@1")) == 5
    assert not any("[100.0, 100.0]" in line or "\x1b" in line for line in lines)


def test_sessions_that_did_not_pass_are_listed_the_failed_ones_first() -> None:
    held = items(sessions({"a": "pm", "b": "uf"}))
    rows = failed_rows(held)
    assert [row[:2] for row in rows] == [["b[x-2]", "failed"], ["b[x-1]", "unjudged"], ["a[x-2]", "missing"]]
    assert rows[0][2].startswith("AV failed: artifact expense_1.total_amount: wanted '200'")
    assert rows[2][2] == "no result: the server went away"


def test_one_session_agrees_in_number() -> None:
    held = items([session("passed")])
    assert "1 session" in campaign_lines(decide_campaign(held, {}, held, CampaignRules()))[1].split("  ")[-1]
