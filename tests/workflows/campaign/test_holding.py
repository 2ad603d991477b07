from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.policy import Oracle, Silent
from pytest_talk2agent.workflows.agents.protocol import (
    AgentFailedError,
    Briefing,
    InfrastructureError,
    PoliteTalker,
    Reply,
    Talker,
    View,
)
from pytest_talk2agent.workflows.agents.voice import Abilities, Line
from pytest_talk2agent.workflows.audio.ports import SoundOptions
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.campaign.holding import Holder, NamedAgent
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.replay import replay
from tests.workflows.toys import expense, load

ORACLE = NamedAgent("oracle", "oracle", Oracle())
SILENT = NamedAgent("silent", "silent", Silent())


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path / "package")


class Unsteady(PoliteTalker):
    """An agent whose server goes away in its first sessions, and then is the oracle."""

    control = True

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.started = 0

    def identity(self) -> Mapping[str, str]:
        return {"name": "unsteady"}

    def start(self, briefing: Briefing) -> Talker:
        self.started += 1
        return self if self.started <= self.failures else Oracle().start(briefing)

    def reply(self, view: View) -> Reply:
        raise InfrastructureError("the server went away")


class Elsewhere:
    """An agent that is deployed somewhere, where nobody answers."""

    control = False
    abilities = Abilities(
        virtual=True, yields="agent", truncates=False, words=True, calls="session", ends=True, kept=False
    )

    def __init__(self) -> None:
        self.dialled = 0

    def identity(self) -> Mapping[str, str]:
        return {"name": "elsewhere"}

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        self.dialled += 1
        raise AgentFailedError("not today")


def test_an_agent_that_may_have_changed_is_called_again(package: Package, tmp_path: Path) -> None:
    agent, sound = Elsewhere(), SoundOptions(clips=lambda package, condition: StandIn())
    named = NamedAgent("elsewhere", "elsewhere", agent)
    for _ in range(2):
        _, stored = Holder(tmp_path / "kept", sound=sound).hold(package, named, 0)
        assert not stored
    assert agent.dialled == 2
    _, stored = Holder(tmp_path / "kept", sound=sound, frozen=True).hold(package, named, 0)
    assert stored
    assert agent.dialled == 2


def test_the_oracle_succeeds_and_silence_fails(package: Package, tmp_path: Path) -> None:
    holder = Holder(tmp_path / "kept")
    good, stored = holder.hold(package, ORACLE, 0)
    assert (good.outcome(), good.outcome("apex-1.0"), stored) == ("passed", "passed", False)
    assert (good.calls, good.oracle_calls, good.attempts) == (7, 7, 1)
    bad, _ = holder.hold(package, SILENT, 0)
    assert bad.outcome() == "failed"


def test_a_session_is_held_once_whoever_asks(package: Package, tmp_path: Path) -> None:
    first, _ = Holder(tmp_path / "kept").hold(package, ORACLE, 0)
    again, stored = Holder(tmp_path / "kept").hold(package, ORACLE, 0)
    assert (again, stored) == (first, True)
    other, stored = Holder(tmp_path / "kept").hold(package, ORACLE, 1)
    assert (other.key.repetition, stored) == (1, False)
    anew, stored = Holder(tmp_path / "kept", refresh=True).hold(package, ORACLE, 0)
    assert (anew, stored) == (first, False)


def test_the_log_that_is_kept_proves_the_session(package: Package, tmp_path: Path) -> None:
    holder = Holder(tmp_path / "kept")
    record, _ = holder.hold(package, ORACLE, 0)
    data = (tmp_path / "kept" / record.log).read_bytes()
    assert replay(data).log.head == record.log_sha256


def test_what_the_infrastructure_lost_is_tried_again(package: Package, tmp_path: Path) -> None:
    pauses: list[float] = []
    agent = Unsteady(2)
    holder = Holder(tmp_path / "kept", pause=pauses.append)
    record, _ = holder.hold(package, NamedAgent("u", "u", agent), 0)
    assert (record.outcome(), record.attempts, pauses) == ("passed", 3, [1.0, 2.0])


def test_what_stays_lost_is_missing_and_the_next_run_tries_it_anew(package: Package, tmp_path: Path) -> None:
    agent = Unsteady(4)
    for outcome, attempts in (("missing", 3), ("passed", 2)):
        holder = Holder(tmp_path / "kept", pause=lambda seconds: None)
        record, stored = holder.hold(package, NamedAgent("u", "u", agent), 0)
        assert (record.outcome(), record.attempts, stored) == (outcome, attempts, False)


def test_a_torn_record_is_held_again(package: Package, tmp_path: Path) -> None:
    Holder(tmp_path / "kept").hold(package, ORACLE, 0)
    [path] = (tmp_path / "kept").glob("sessions-*.jsonl")
    path.write_bytes(path.read_bytes()[:-40])
    _, stored = Holder(tmp_path / "kept").hold(package, ORACLE, 0)
    assert not stored


def test_an_edited_record_is_not_believed(package: Package, tmp_path: Path) -> None:
    Holder(tmp_path / "kept").hold(package, SILENT, 0)
    [path] = (tmp_path / "kept").glob("sessions-*.jsonl")
    path.write_text(path.read_text().replace('"TS": false', '"TS": true'))
    holder = Holder(tmp_path / "kept")
    record, stored = holder.hold(package, SILENT, 0)
    assert (record.outcome(), stored) == ("failed", False)
    assert "does not match its digest" in holder.rejected[0]


def test_frozen_holds_nothing(package: Package, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="toy_form_001 by oracle, repetition 1, was never held"):
        Holder(tmp_path / "kept", frozen=True).hold(package, ORACLE, 0)
    Holder(tmp_path / "kept").hold(package, ORACLE, 0)
    assert Holder(tmp_path / "kept", frozen=True).hold(package, ORACLE, 0)[1]


def test_a_changed_package_or_judge_is_another_session(package: Package, tmp_path: Path) -> None:
    holder = Holder(tmp_path / "kept")
    key = holder.key(package, ORACLE, 0)
    toy = expense()
    toy["initial_state.json"] = {"expense": {"status": "draft"}}
    other = load(toy, tmp_path / "other")
    assert holder.key(other, ORACLE, 0).digest != key.digest
    assert holder.key(package, SILENT, 0).digest != key.digest


def test_the_same_session_has_the_same_record_twice(package: Package, tmp_path: Path) -> None:
    records = [Holder(tmp_path / name).hold(package, ORACLE, 2)[0] for name in ("one", "two")]
    assert json.dumps(records[0].to_json()) == json.dumps(records[1].to_json())
