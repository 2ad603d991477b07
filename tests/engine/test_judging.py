"""Judging while transcripts arrive: each text once, several at a time where the judge takes them, faults kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.evaluation import Evaluation, Policy
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.engine.subject import Subject, subjects_of
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.judging.judge import Case, Judge, JudgeError
from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.tasks.loader import load_tasks
from tests.engine import fake
from tests.results import builders

TAKES = ("amy", "joe", "kal", "lee")
TASK = f"""\
id: files/set-port
instruction: Set the port to 8080.
recordings: [{", ".join(f"{{audio: port.wav, speaker: {take}}}" for take in TAKES)}]
intentions: {{port: {{say: "8080", kind: number}}}}
value: port
"""


class Meeting(Judge):
    """Judges two transcripts at a time, and none before there are two."""

    fingerprint = builders.JUDGE
    concurrency = 2

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._both = threading.Barrier(2, timeout=20)

    def judge(self, case: Case) -> Judgement:
        self.asked.append(case.transcript)
        self._both.wait()
        if case.transcript == "bad":
            raise JudgeError("the provider is down")
        return builders.judgement({"port": builders.KEPT})


@pytest.fixture
def subjects(tmp_path: Path) -> list[Subject]:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASK, encoding="utf-8")
    registry = Registry()
    registry.register("fake", fake.INTERFACES["fake"])
    return subjects_of(load_tasks(path), [Condition(parse_spec("fake"), registry)], None)


def evaluated(judge: Meeting, subjects: list[Subject], texts: list[str]) -> Evaluation:
    evaluation = Evaluation(judge, Policy())

    def begin(jobs: Sequence[Job], mailbox: Mailbox, *, again: bool) -> None:
        for job, text in zip(jobs, texts, strict=True):
            mailbox.deliver(job.key, builders.transcript(text))
        mailbox.close("no more")

    by_key = evaluation.start(subjects, begin)
    evaluation.judge_as_ready(by_key)
    return evaluation


def test_a_judge_that_takes_several_gets_them_and_each_text_once(subjects: list[Subject]) -> None:
    judge = Meeting()
    evaluation = evaluated(judge, subjects, ["one", "two", "one", "two"])
    assert sorted(judge.asked) == ["one", "two"]
    assert all(evaluation.judgement(subject).labels() == {"port": builders.KEPT} for subject in subjects)
    assert len(judge.asked) == 2


def test_a_fault_of_the_judge_is_met_again_by_its_items_and_not_paid_for_again(subjects: list[Subject]) -> None:
    judge = Meeting()
    evaluation = evaluated(judge, subjects, ["good", "bad", "good", "bad"])
    for subject in subjects[1::2]:
        with pytest.raises(JudgeError, match="the provider is down"):
            evaluation.judgement(subject)
    assert evaluation.judgement(subjects[0]).labels() == {"port": builders.KEPT}
    assert sorted(judge.asked) == ["bad", "good"]
