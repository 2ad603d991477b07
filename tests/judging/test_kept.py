"""Labels that are kept: the same as those that are given anew, and never those of something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pytest_talk2agent.judging import kept
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.judging.kept import KIND, KeptJudge
from pytest_talk2agent.judging.lexical import LexicalJudge
from pytest_talk2agent.tasks.intention import Intention

CASE = Case(
    instruction="Set the port to 8080 and restart nginx.",
    script="set the port to eighty eighty and restart nginx",
    intentions={"port": Intention(say="8080", kind="number"), "service": Intention(say="nginx", kind="term")},
    transcript="Set the port to 8081 and restart nginx.",
)


class Records:
    """A store in memory, and what was counted absent."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}
        self.rejected: list[str] = []

    def record(self, kind: str, key: str) -> Mapping[str, Any] | None:
        assert kind == KIND
        return self.kept.get(key)

    def why_absent(self, kind: str, key: str) -> str | None:
        return None

    def reject_record(self, kind: str, key: str, why: str) -> None:
        self.rejected.append(why)

    def keep_record(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        self.kept[key] = dict(data)


class Counting(LexicalJudge):
    """The lexical judge, and how often it was asked."""

    asked = 0

    def judge(self, case: Case) -> Judgement:
        self.asked += 1
        return super().judge(case)


def test_kept_labels_are_those_of_the_judge() -> None:
    records, judge = Records(), Counting()
    first = KeptJudge(judge, records).judge(CASE)
    assert first == LexicalJudge().judge(CASE)
    assert KeptJudge(judge, records).judge(CASE) == first
    assert judge.asked == 1
    assert KeptJudge(judge, records, anew=True).judge(CASE) == first
    assert judge.asked == 2
    assert KeptJudge(judge, records).fingerprint == judge.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, transcript="Set the port to 8080 and restart nginx."),
        replace(CASE, instruction="Set the port to 8080."),
        replace(CASE, script="set the port"),
        replace(CASE, files=("a.txt",)),
        replace(CASE, language="de"),
        replace(CASE, intentions={"port": CASE.intentions["port"]}),
        replace(CASE, intentions=dict(reversed(list(CASE.intentions.items())))),
        replace(CASE, intentions={**CASE.intentions, "port": Intention(say="8081", kind="number")}),
    ],
)
def test_another_case_has_labels_of_its_own(other: Case) -> None:
    records, judge = Records(), Counting()
    one = KeptJudge(judge, records)
    one.judge(CASE)
    assert one.judge(other) == LexicalJudge().judge(other)
    assert judge.asked == 2


def test_another_code_gives_labels_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    records, judge = Records(), Counting()
    KeptJudge(judge, records).judge(CASE)
    monkeypatch.setattr(kept, "_made_by", lambda: ("other code",))
    KeptJudge(judge, records).judge(CASE)
    assert judge.asked == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.pop("findings"),
        lambda data: data["findings"].pop("port"),
        lambda data: data["findings"]["port"].update(label="kept"),
        lambda data: data.update(judge="lexical/0"),
    ],
)
def test_what_is_no_judgement_of_the_case_is_made_anew(damage: Any) -> None:
    records, judge = Records(), Counting()
    first = KeptJudge(judge, records).judge(CASE)
    damage(next(iter(records.kept.values())))
    assert KeptJudge(judge, records).judge(CASE) == first
    assert judge.asked == 2
    assert len(records.rejected) == 1
