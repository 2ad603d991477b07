from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.campaign.kept import KeptSession, kept_session
from pytest_talk2agent.workflows.session.log import EventLog, read_log
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from tests.workflows.campaign.records import session
from tests.workflows.toys import expense, load


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    run_session(load(expense(), tmp_path / "p"), make_agent("oracle"), "oracle", RunOptions()).write(path)
    return path


def test_a_log_that_holds_has_lines_a_trace_and_a_diff(log: Path) -> None:
    kept = kept_session(log)
    assert isinstance(kept, KeptSession)
    assert kept.lines([0])[0].startswith("at 0.0 s RUN_START ")
    assert kept.lines([10**6]) == {}
    assert len(kept.trace.calls) == 7
    [artifact] = kept.diff(session("failed")).artifacts
    assert artifact.differs
    assert kept.diff(session("missing")).artifacts == ()


def test_why_a_log_is_not_shown_is_a_line(log: Path, tmp_path: Path) -> None:
    assert kept_session(tmp_path / "none") == "its log cannot be read (No such file or directory)"
    assert kept_session(log, largest=10) == "its log has 0 MB, too many to be shown here"
    whole = log.read_bytes()
    kept = read_log(whole)
    hostile = EventLog(kept.label)
    for event in kept.events:  # a chain that holds, and an event that no session writes
        payload = {"act": 1} if event.type == "AGENT_ACT" else event.payload
        hostile.append(event.type, event.actor, event.media_time_ms, payload, parents=event.causal_parents)
    hostile.write(log)
    assert kept_session(log) == "its log holds what no session writes (KeyError)"
    log.write_bytes(whole.replace(b"expense", b"expanse", 1))
    assert str(kept_session(log)).startswith("its log is broken: line 1: ")
