from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.reporting.questions import Question, question_lines, questions_of
from pytest_talk2agent.results.record import TaskResult
from tests.results import builders
from tests.results.builders import CHANGED, KEPT, OPEN

TASK, HEARD = "files/set-port", "set the port to 8080"


def keys(*results: TaskResult, **more: object) -> list[str]:
    return [question.intention for question in questions_of(results, [], {}, **more)]  # type: ignore[arg-type]


def test_what_is_unresolved_is_asked() -> None:
    result = builders.result(judged=builders.judgement({"port": OPEN, "service": KEPT, "keep": CHANGED}))
    [question] = questions_of([result], [], {})
    assert question.key == (TASK, HEARD, "port")
    assert (question.others, question.instruction) == ((), None)


def test_what_another_sees_otherwise_is_asked_and_shown() -> None:
    result = builders.result(judged=builders.judgement({"port": KEPT, "service": KEPT}))
    other = Finding(Label.CHANGED, "it says 80", "8080")
    labels = {(TASK, HEARD, "port"): other, (TASK, HEARD, "service"): Finding(Label.RETAINED, "", "nginx")}
    [question] = questions_of([result], [labels], {})
    assert (question.intention, question.others) == ("port", (other,))
    assert "  another: changed: it says 80" in question_lines(question, 1, 1)


def test_a_transcript_is_asked_about_once_and_an_answer_never_again() -> None:
    judged = builders.judgement({"port": OPEN})
    results = [builders.result(judged=judged, take=take) for take in ("amy", "kal")]
    assert keys(*results) == ["port"]
    assert keys(*results, answered={(TASK, HEARD, "port")}) == []
    heard = builders.transcript("set the port to 80")
    assert keys(*results, builders.result(judged=judged, heard=heard)) == ["port", "port"]


def test_a_transcript_that_is_none_is_not_asked_about() -> None:
    heard = replace(builders.transcript(""), state="refused")
    assert keys(builders.result(judged=builders.judgement({"port": OPEN}), heard=heard)) == []


def test_the_words_in_question_are_marked_and_nothing_obeys_the_transcript() -> None:
    text = "set\x1b[2J the port\nto 8080"
    finding = Finding(Label.UNRESOLVED, "in doubt", "8080", "8080", 20, 24)
    result = builders.result(heard=builders.transcript(text))
    question = Question(result, "port", finding, (), "Set the port.", result.share("port"))
    lines = question_lines(question, 2, 7)
    assert lines[0] == "2/7 files/set-port[amy] whisper-tiny.en"
    assert "  transcript set�[2J the port to [[8080]]" in lines
    assert "  share 50.0% of the task's value" in lines
    assert all(line.isprintable() for line in lines)


def test_an_answer_is_recorded_with_what_it_labels() -> None:
    [question] = questions_of([builders.result(judged=builders.judgement({"port": OPEN}))], [], {})
    record = question.answered(Label.CHANGED, by="amy", at="2026-10-02")
    assert (record.key, record.expected, record.label) == (question.key, "8080", Label.CHANGED)
    assert (record.take, record.condition, record.by, record.at) == ("amy", "whisper-tiny.en", "amy", "2026-10-02")
