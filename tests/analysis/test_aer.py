"""AER with a scripted model: who sees what, what is made once, and the vectors."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.analysis.aer import Answered, AnswerErrorRate
from pytest_talk2agent.analysis.averages import averages
from tests.analysis.scripted import Scripted

REFERENCE, HEARD = "copy report.txt to the archive", "copy the port to the archive"
MADE = {"questions": [{"question": f"q{n}", "answer": f"a{n}"} for n in range(3)]}


def given(*answers: str) -> dict[str, list[str]]:
    return {"answers": list(answers)}


def marked(*right: bool) -> dict[str, list[bool]]:
    return {"right": list(right)}


def test_wrong_answers_are_counted() -> None:
    model = Scripted(MADE, given("a0", "x", "a2"), marked(True, False, True))
    assert AnswerErrorRate(model).measure(REFERENCE, HEARD) == Answered(wrong=1, questions=3)


def test_each_call_sees_no_more_than_it_must() -> None:
    model = Scripted(MADE, given("a0", "x", "a2"), marked(True, False, True))
    AnswerErrorRate(model).measure(REFERENCE, HEARD)
    (made, first, _), (_, second, _), (_, third, schema) = model.asked
    assert "Make 3 questions" in made
    assert first == {"text": REFERENCE}
    assert second == {"questions": ["q0", "q1", "q2"], "text": HEARD}
    assert third["items"][1] == {"question": "q1", "right": "a1", "given": "x"}
    assert schema["required"] == ["right"]
    assert schema["additionalProperties"] is False


def test_the_questions_of_a_reference_are_made_once() -> None:
    model = Scripted(MADE, given("", "", ""), marked(False, False, False), given("", "", ""), marked(True, True, True))
    rate = AnswerErrorRate(model)
    assert rate.measure(REFERENCE, HEARD).wrong == 3
    assert rate.measure(REFERENCE, REFERENCE).wrong == 0
    assert model.answers == []


def test_an_empty_hypothesis_answers_nothing() -> None:
    model = Scripted(MADE)
    assert AnswerErrorRate(model).measure(REFERENCE, " ") == Answered(wrong=3, questions=3)


def test_an_empty_reference_has_no_questions() -> None:
    assert AnswerErrorRate(Scripted()).measure("", HEARD) == Answered(wrong=0, questions=0)


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ([{"questions": MADE["questions"][:2]}], "2 items in the answer, 3 were asked for"),
        ([MADE, given("a")], "1 items in the answer, 3"),
        ([MADE, given("a", "b", "c"), marked(True)], "1 items in the answer, 3"),
        ([{"questions": [{"question": "q"}]}], r"questions\.0\.answer: Field required"),
        ([MADE, given("a", "b", "c"), {"right": ["yes", "no", "no"]}], r"right\.0: Input should be a valid boolean"),
        ([["no object"]], "the answer: Input should be"),
    ],
)
def test_an_answer_of_another_form_is_no_score(answers: list[object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        AnswerErrorRate(Scripted(*answers)).measure(REFERENCE, HEARD)


def test_there_must_be_a_question() -> None:
    with pytest.raises(ValueError, match="at least one"):
        AnswerErrorRate(Scripted(), count=0)


@pytest.mark.parametrize(
    ("wrong", "questions", "pooled", "mean"),
    [([0, 1, 3], [3, 3, 3], Fraction(4, 9), Fraction(4, 9)), ([1, 0, 3], [1, 3, 6], Fraction(2, 5), Fraction(1, 2))],
)
def test_rates_over_utterances(wrong: list[int], questions: list[int], pooled: Fraction, mean: Fraction) -> None:
    found = averages(zip(wrong, questions, strict=True))
    assert (found.pooled, found.mean) == (pooled, mean)
