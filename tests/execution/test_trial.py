"""Trials: records, retries, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.execution import trial
from pytest_talk2agent.execution.agents.agent import Assignment, Control
from pytest_talk2agent.execution.record import Ledger, TrialRecord
from pytest_talk2agent.execution.sandbox import SandboxError
from pytest_talk2agent.execution.session import Session, text_sha256
from pytest_talk2agent.execution.trial import Trials, refusal, task_sha256
from pytest_talk2agent.tasks.task import Task
from tests.execution.agents.conftest import TASK, load

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load(tmp_path)


def test_a_record_says_what_was_run(task: Task) -> None:
    record = Trials("oracle").run(task, "héard", 2)
    assert (record.key.task, record.key.round, record.key.task_sha256) == ("own/move", 2, task_sha256(task))
    assert record.key.transcript_sha256 == record.received_sha256 == text_sha256("héard")
    assert record.sandbox["kind"] == "bubblewrap"
    assert set(record.versions) == {"pytest-talk2agent", "python", "bubblewrap"}
    assert TrialRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


@pytest.mark.parametrize(
    ("killed", "attempts"), [((False,), 1), ((True, False), 2), ((True, True, False), 3), ((True, True, True), 3)]
)
def test_what_was_killed_is_tried_again_and_what_is_killed_each_time_counts(
    task: Task, monkeypatch: pytest.MonkeyPatch, killed: tuple[bool, ...], attempts: int
) -> None:
    record = Trials("nop").run(task, "x")
    left = list(killed)
    monkeypatch.setattr(trial, "_run", lambda *_: (record, left.pop(0)))
    assert Trials("nop").run(task, "x").attempts == attempts
    assert left == []


def test_an_agent_that_kills_itself_is_one_that_fails(task: Task) -> None:
    record = Trials("command:sh -c 'kill -9 $$'").run(task, "x")
    assert (record.state, record.attempts) == ("agent_failed", 3)
    assert record.reason == "the agent ended with status 137"


def test_what_is_in_the_ledger_is_not_run_again(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Trials("oracle", Ledger(tmp_path / "trials")).run(task, "x")
    monkeypatch.setattr(trial, "_run", lambda *_: pytest.fail("run again"))
    assert Trials("oracle", Ledger(tmp_path / "trials")).run(task, "x") == first
    for transcript, round_ in (("y", 1), ("x", 2)):
        with pytest.raises(pytest.fail.Exception, match="run again"):
            Trials("oracle", Ledger(tmp_path / "trials")).run(task, transcript, round_)


@pytest.mark.parametrize("change", [("hello}", "hallo}"), ("0.25", "0.15"), ("mv a.txt b.txt\n", "mv a.txt b.txt;\n")])
def test_another_task_is_another_key(task: Task, tmp_path: Path, change: tuple[str, str]) -> None:
    assert task_sha256(load(tmp_path, TASK.replace(*change))) != task_sha256(task)


def test_an_infrastructure_failure_is_tried_again_and_then_missing(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def broken(*_: object) -> None:
        calls.append(1)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(trial, "check_workspace", broken)
    ledger = Ledger(tmp_path / "trials")
    record = Trials("oracle", ledger).run(task, "x")
    assert (record.state, record.score, record.attempts, len(calls)) == ("infrastructure_failed", None, 3, 3)
    assert "No space left on device" in record.reason
    assert [found.state for found in ledger.records()] == ["infrastructure_failed"]
    monkeypatch.undo()
    assert Trials("oracle", ledger).run(task, "x").score == 1
    assert [found.state for found in ledger.records()] == ["scored"]


def test_a_set_up_that_fails_is_no_score(tmp_path: Path) -> None:
    record = Trials("nop").run(load(tmp_path, TASK.replace("  time_limit", "  setup: ls nowhere\n  time_limit")), "x")
    assert record.state == "infrastructure_failed"
    assert record.reason.startswith("the set-up ended with status 2: ls: cannot access 'nowhere'")


def test_an_agent_that_got_another_text_has_no_score(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf(Control):
        def identity(self) -> dict[str, str]:
            return {"name": "deaf"}

        def act(self, assignment: Assignment, transcript: str, session: Session) -> None:
            session.receive(transcript.strip())

    monkeypatch.setattr(trial, "make_agent", lambda *_: Deaf())
    assert Trials("deaf").run(task, "x").state == "scored"
    record = Trials("deaf").run(task, "x\n")
    assert (record.state, record.reason) == (
        "infrastructure_failed",
        "the agent received another text than the transcript",
    )


def test_without_a_sandbox_nothing_is_run(task: Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from pytest_talk2agent.execution import bubblewrap

    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap.form.cache_clear()
    try:
        with pytest.raises(SandboxError, match="bubblewrap \\(bwrap\\) is not installed"):
            Trials("nop").run(task, "x")
    finally:
        bubblewrap.form.cache_clear()


REFUSED = {
    "a solution that fails": (("mv a.txt b.txt\n", "false\n"), "reaches 0, not 1 (the solution ended with status 1"),
    "a solution that does too little": (("mv a.txt b.txt\n", "cp a.txt b.txt\n"), "reaches 3/4, not 1 (`source`: "),
    "nothing to do": (("{text: b.txt, equals: hello}", "{absent: b.txt}"), "target"),
    "doing nothing is enough": (
        (
            "    source: {absent: a.txt}\n    target: {text: b.txt, equals: hello}",
            "    source: {absent: z.txt}\n    target: {absent: y.txt}",
        ),
        "an agent that does nothing reaches 1",
    ),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_tasks_that_are_not_fit(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    found = refusal(load(tmp_path, TASK.replace(*change)))
    assert found is not None
    assert message in found


def test_a_task_that_is_fit(task: Task) -> None:
    assert refusal(task) is None


def test_a_task_without_execution(tmp_path: Path) -> None:
    text = TASK[: TASK.index("execution:")]
    with pytest.raises(ValueError, match=r"task\.yaml:1: own/move has no `execution`"):
        Trials("nop").run(load(tmp_path, text), "x")
