"""AER, the answer error rate: what can no longer be answered from the hypothesis.

    AER = wrong answers / questions

A model makes questions with answers from the reference; a model answers them and sees only the hypothesis; an answer is
right or wrong (Pulikodan et al. 2025, arXiv 2507.16456). The paper's prompts, number of questions and average are not
public: here a model makes ``count`` questions (three by default, as in ServiceNow's code-switching study), and both
averages are given. The questions of a reference are made once and stay the same for every interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_talk2agent.analysis.asking import Ask, Shape, asked

VERSION = "aer/1"
_MAKE = (
    "Make {count} questions that can be answered from the text under `text` alone, each with its short answer. Ask for"
    " what somebody who must act on the text needs to know: names, numbers, places, conditions, what is not to be done."
    " Let every question be on something else, let none give away the answer of another, and let none need the text to"
    " be understood."
)
_ANSWER = (
    "Answer each of the questions under `questions` in a few words, in their order, from the text under `text` alone."
    " The text was written by a speech recogniser; where it does not say the answer, answer: not said. Do not guess."
)
_MARK = (
    "Each item under `items` holds a question, its right answer, and an answer that was given. Say for each, in their"
    " order, whether the given answer means the same as the right one. Notation does not matter (20 and twenty); any"
    " difference in a name, number, place or condition does. An answer that says less is wrong."
)


class Question(Shape):
    """A question on a reference, and its answer."""

    question: str
    answer: str


class _Questions(Shape):
    questions: list[Question]


class _Answers(Shape):
    answers: list[str]


class _Marks(Shape):
    right: list[bool]


@dataclass(frozen=True)
class Answered:
    """How many questions on one utterance were answered wrongly; there is none where its reference has no word."""

    wrong: int
    questions: int


class AnswerErrorRate:
    """Measures utterances with a model, with ``count`` questions for a reference."""

    def __init__(self, ask: Ask, count: int = 3) -> None:
        if count < 1:
            raise ValueError(f"{count} questions for a reference; ask for at least one")
        self._ask = ask
        self._count = count
        self._made: dict[str, tuple[Question, ...]] = {}

    def questions(self, reference: str) -> tuple[Question, ...]:
        """The questions on a reference; raises ValueError where the model makes another number of them."""
        if not reference.strip():
            return ()
        if reference not in self._made:
            prompt = _MAKE.format(count=self._count)
            made = asked(
                self._ask, prompt, {"text": reference}, _Questions, lambda found: _number(found.questions, self._count)
            )
            self._made[reference] = tuple(made.questions)
        return self._made[reference]

    def measure(self, reference: str, hypothesis: str) -> Answered:
        """Count wrong answers. An empty hypothesis answers nothing, and nothing is asked.

        Raises ValueError where the model does not answer, or does not mark, every question.
        """
        questions = self.questions(reference)
        if not questions or not hypothesis.strip():
            return Answered(wrong=len(questions), questions=len(questions))
        data = {"questions": [one.question for one in questions], "text": hypothesis}
        count = len(questions)
        given = asked(self._ask, _ANSWER, data, _Answers, lambda found: _number(found.answers, count)).answers
        items = [
            {"question": one.question, "right": one.answer, "given": answer}
            for one, answer in zip(questions, given, strict=True)
        ]
        right = asked(self._ask, _MARK, {"items": items}, _Marks, lambda found: _number(found.right, count)).right
        return Answered(wrong=right.count(False), questions=count)


def _number(found: Sequence[object], expected: int) -> str | None:
    return None if len(found) == expected else f"{len(found)} items in the answer, {expected} were asked for"
