from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.judging.judge import JudgeError
from pytest_talk2agent.judging.model import KIND
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.workflows.scoring.judge import (
    APEX_VERSION,
    FieldJudge,
    Question,
    RecordedJudge,
    VerdictFile,
    apex_key,
    context_of,
)
from pytest_talk2agent.workflows.scoring.model_judge import ModelJudge, make_field_judge
from tests.judging.scripted import Scripted, says, scripted_server
from tests.workflows.apex_data import apex_json

pytest.importorskip("httpx")

QUESTION = Question("vision_plan", "Basic", "Vision Basic", {"artifact_id": "form_1"})


@pytest.fixture
def server() -> Iterator[Scripted]:
    with scripted_server(says({"reason": "the same plan", "verdict": "pass"})) as scripted:
        yield scripted


def test_keys_are_the_published_ones() -> None:
    vectors = apex_json("unit_vectors.json")
    assert vectors["judge_version"] == APEX_VERSION
    rows = vectors["judge_cache_key"]
    assert [apex_key(row["field"], row["pred"], row["gold"]) for row in rows] == [row["key"] for row in rows]


def test_without_a_judge_nothing_is_judged_and_nothing_fails() -> None:
    verdict = FieldJudge().judge(QUESTION)
    assert (verdict.passed, verdict.failed) == (None, False)


def test_a_model_is_shown_the_values_as_data_and_its_verdict_counts(server: Scripted, tmp_path: Path) -> None:
    judge = ModelJudge(f"llm:tidy?base_url={server.url}")
    judge.keep_in(Store(tmp_path))
    assert judge.judge(QUESTION).passed is True
    assert judge.judge(QUESTION).reason == "the same plan"
    [request] = server.asked  # the second answer was kept
    shown = json.loads(request["messages"][1]["content"])
    assert (shown["written"], shown["expected"], shown["question"]) == ("Basic", "Vision Basic", "same_value")
    assert request["temperature"] == 0
    [kept] = list((tmp_path / KIND).rglob("*.json"))
    assert "the same plan" in kept.read_text()


def test_another_context_is_another_question(server: Scripted, tmp_path: Path) -> None:
    judge = ModelJudge(f"llm:tidy?base_url={server.url}")
    judge.keep_in(Store(tmp_path))
    judge.judge(QUESTION)
    judge.judge(Question("vision_plan", "Basic", "Vision Basic", {"artifact_id": "form_2"}))
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("answer", "reason", "failed"),
    [
        (says({"reason": "both could be meant", "verdict": "unsure"}), "both could be meant", False),
        (says({"verdict": "pass"}), "the judge failed", True),
        (lambda body: (400, {"error": {"message": "no such model"}}), "no such model", True),
    ],
)
def test_what_is_no_clear_answer_is_unjudged(server: Scripted, answer: object, reason: str, failed: bool) -> None:
    server.answers = [answer]  # type: ignore[list-item]
    judge = ModelJudge(f"llm:tidy?base_url={server.url}&attempts=1")
    verdict = judge.judge(QUESTION)
    assert verdict.passed is None
    assert verdict.failed is failed
    assert reason in verdict.reason
    assert len(judge.errors) == failed


def test_votes_that_differ_leave_a_value_unjudged(server: Scripted) -> None:
    server.answers = [says({"reason": "", "verdict": "pass"}), says({"reason": "", "verdict": "fail"})]
    verdict = ModelJudge(f"llm:tidy?base_url={server.url}&votes=2").judge(QUESTION)
    assert (verdict.passed, verdict.reason) == (None, "the votes of the judge differ")


def test_published_verdicts_answer_and_what_they_lack_goes_on(server: Scripted, tmp_path: Path) -> None:
    path = tmp_path / "judge_cache.json"
    path.write_text(json.dumps({apex_key("legal_name", "Morgan Ray", "Morgan Reyes"): False}))
    recorded = RecordedJudge(VerdictFile(path))
    assert recorded.judge(Question("legal_name", "Morgan Ray", "Morgan Reyes")).passed is False
    assert recorded.judge(QUESTION).passed is None
    judge = make_field_judge(f"verdicts:{path}+llm:tidy?base_url={server.url}")
    assert judge.judge(QUESTION).passed is True
    assert VerdictFile(path).get(apex_key("vision_plan", "Basic", "Vision Basic")) is True
    assert len(server.asked) == 1


def test_a_claim_is_never_answered_by_a_verdict_on_a_field(server: Scripted, tmp_path: Path) -> None:
    path = tmp_path / "judge_cache.json"
    judge = make_field_judge(f"verdicts:{path}+llm:tidy?base_url={server.url}")
    claim = Question("body", "We open at nine.", "The clinic opens at 9.", claim=True)
    assert judge.judge(claim).passed is True
    assert json.loads(server.asked[0]["messages"][1]["content"])["question"] == "states_claim"
    assert len(VerdictFile(path)) == 0


def _add(path: Path, start: int) -> None:
    verdicts = VerdictFile(path)
    for number in range(start, start + 20):
        verdicts.add(f"key {number}", number % 2 == 0)


def test_no_verdict_is_lost_where_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "judge_cache.json"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add, args=(path, start)) for start in (0, 10, 40)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = json.loads(path.read_text())
    assert found == {f"key {number}": number % 2 == 0 for number in (*range(30), *range(40, 60))}


@pytest.mark.parametrize("text", ["[]", '{"key": 1}', "no JSON"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "judge_cache.json"
    path.write_text(text)
    with pytest.raises(JudgeError, match=r"judge_cache\.json"):
        make_field_judge(f"verdicts:{path}")


def test_a_spec_that_judges_no_fields_is_refused() -> None:
    assert make_field_judge(None).fingerprint == make_field_judge("lexical").fingerprint == "rules"
    with pytest.raises(JudgeError, match="'labels:x' judges no fields; write llm:MODEL"):
        make_field_judge("labels:x")


def test_the_judge_is_shown_forty_other_fields() -> None:
    fields = {f"f{number}": number for number in range(60)}
    shown = context_of("form_1", "FORM", fields, "f0")["fields"]
    assert list(shown) == [f"f{number}" for number in range(1, 41)]
