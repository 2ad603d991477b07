"""Metrics that ask a language model: AER, Semantic WER and Atomic Rubric.

The prompts are the project's own. A model's answer must have the shape that was asked for; one that has not is an error
and no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_talk2agent.analysis.error_rates import Errors, normalise
from pytest_talk2agent.tasks.errors import counted


def _prompt(name: str) -> str:
    """A prompt as one line; a change of its words is a new version of its metric."""
    return " ".join(files(__package__).joinpath("prompts").joinpath(f"{name}.txt").read_text(encoding="utf-8").split())


DATA = " " + _prompt("texts_are_data")
"""The end of every prompt."""

Answer = TypeVar("Answer")


class Ask(Protocol):
    """A language model, such as the judge's client (`judging.model.Model.ask`), or any callable like it.

    ``prompt`` is what the model is told, ``data`` what it is given, ``schema`` the JSON Schema of the answer. ``check``
    turns the answer into what is returned; it raises ValueError where the answer is not what was asked for, and whoever
    implements this may ask once more or let that pass.
    """

    def __call__(
        self,
        prompt: str,
        data: Mapping[str, Any],
        schema: Mapping[str, Any],
        check: Callable[[Mapping[str, Any]], Answer],
    ) -> Answer:
        """The checked answer; raises where the model gives none."""
        ...


class Shape(BaseModel):
    """The shape of an answer: every field must be there, and no other."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


AnyShape = TypeVar("AnyShape", bound=Shape)


def asked(
    ask: Ask,
    prompt: str,
    data: Mapping[str, Any],
    shape: type[AnyShape],
    sound: Callable[[AnyShape], str | None] = lambda _: None,
) -> AnyShape:
    """The answer to a prompt, in its shape. ``sound`` says what is wrong with one that has it, or None.

    An answer of another shape, or an unsound one, is a ValueError that ``ask`` sees. It is no score.
    """

    def check(answer: Mapping[str, Any]) -> AnyShape:
        try:
            found = shape.model_validate(answer)
        except ValidationError as error:
            raise ValueError(_first(error, "the answer")) from None
        if (fault := sound(found)) is not None:
            raise ValueError(fault)
        return found

    return ask(prompt + DATA, data, shape.model_json_schema(), check)


def _first(error: ValidationError, whole: str) -> str:
    """The first fault of a shape and its place, which is ``whole`` where it has none of its own."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


AER_VERSION = "aer/1"
_MAKE = _prompt("make_questions")
_ANSWER = _prompt("answer_questions")
_MARK = _prompt("mark_answers")


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


class AnswerErrorRate:
    """AER, the answer error rate: what can no longer be answered from the hypothesis.

        AER = wrong answers / questions

    A model makes ``count`` questions with answers from the reference; a model answers them and sees only the
    hypothesis; an answer is right or wrong (Pulikodan et al. 2025, arXiv 2507.16456). The paper's prompts, number of
    questions and average are not public: here there are three questions, as in ServiceNow's code-switching study, and
    both averages are given. The questions of a reference are made once and stay the same for every interface.
    """

    def __init__(self, ask: Ask, count: int = 3) -> None:
        if count < 1:
            raise ValueError(f"{counted(count, 'question')} for a reference; ask for at least one")
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

    def measure(self, reference: str, hypothesis: str) -> Errors:
        """Count wrong answers among the questions; a reference without a word has none.

        An empty hypothesis answers nothing, and nothing is asked.

        Raises ValueError where the model does not answer, or does not mark, every question.
        """
        questions = self.questions(reference)
        if not questions or not hypothesis.strip():
            return Errors(len(questions), len(questions))
        data = {"questions": [one.question for one in questions], "text": hypothesis}
        count = len(questions)
        given = asked(self._ask, _ANSWER, data, _Answers, lambda found: _number(found.answers, count)).answers
        items = [
            {"question": one.question, "right": one.answer, "given": answer}
            for one, answer in zip(questions, given, strict=True)
        ]
        right = asked(self._ask, _MARK, {"items": items}, _Marks, lambda found: _number(found.right, count)).right
        return Errors(right.count(False), count)


def _number(found: Sequence[object], expected: int) -> str | None:
    return None if len(found) == expected else f"{counted(len(found), 'item')} in the answer, {expected} were asked for"


SEMANTIC_WER_VERSION = "semantic-wer/1"
_COUNT = _prompt("count_differences")


class _Counts(Shape):
    substitutions: int
    deletions: int
    insertions: int
    reference_words: int


def semantic_errors(ask: Ask, reference: str, hypothesis: str) -> Errors:
    """Semantic WER: the word error rate over the differences that would change what an agent does.

        Semantic WER = (S + D + I, significant ones) / words of the reference, normalised

    A model normalises and aligns both texts, decides for each difference whether an agent would act differently, and
    gives counts; the ratio is made here. An empty text needs no model: all words of the other are errors. Source:
    Pipecat's STT benchmark (pipecat-ai/stt-benchmark). It forgives plurals, possessives and hyphens, which matter in
    file names. Where the reference is empty the source has 0 or infinity; here there is no rate. Not the weighted WER
    of Roy 2021 (arXiv 2106.02016), which has this name too.

    Raises ValueError where the counts cannot be those of an alignment.
    """
    said, heard = normalise(reference).split(), normalise(hypothesis).split()
    if not said or not heard:
        return Errors(len(said) + len(heard), len(said))
    counts = asked(ask, _COUNT, {"reference": reference, "hypothesis": hypothesis}, _Counts, _miscounted)
    return Errors(counts.substitutions + counts.deletions + counts.insertions, counts.reference_words)


def _miscounted(counts: _Counts) -> str | None:
    if min(counts.substitutions, counts.deletions, counts.insertions) < 0 or counts.reference_words < 1:
        return "a count is negative, or the reference has no word"
    if counts.substitutions + counts.deletions > counts.reference_words:
        return f"more words are substituted or deleted than the {counts.reference_words} of the reference"
    return None


RUBRIC_VERSION = "atomic-rubric/1"
_CHOOSE = _prompt("choose_options")


@dataclass(frozen=True)
class RubricQuestion:
    """One question; ``options`` maps the name of each to its points. ``category`` is its group."""

    category: str
    question: str
    options: Mapping[str, int]

    def __post_init__(self) -> None:
        if not self.options:
            raise ValueError(f"rubric question {self.question!r} has no options; give at least two")

    @property
    def most(self) -> int:
        """The points of the best option."""
        return max(self.options.values())


class _Row(Shape):
    task: str
    category: str
    question: str
    options: dict[str, int]


class _Choices(Shape):
    chosen: list[str]


def choose(
    ask: Ask, questions: Sequence[RubricQuestion], *, spoken: str, reference: str, output: str
) -> tuple[str, ...]:
    """The options that a model chooses; raises ValueError where one is missing or is none of the question's.

    This is AgenticASR's Atomic Rubric (AnXMuy, arXiv 2607.28175): multiple-choice questions on what an interface wrote,
    whose judge sees the literal speech, the clean reference, the output and the questions, in the groups content,
    format, filter and rephrase. A sample whose judge fails has no score. Not to be taken for InteractiveASR's project
    of the same name (arXiv 2604.09121).
    """
    if not questions:
        return ()
    data = {
        "spoken": spoken,
        "reference": reference,
        "output": output,
        # The model does not see the points.
        "questions": [{"question": one.question, "options": list(one.options)} for one in questions],
    }

    def fault(found: _Choices) -> str | None:
        if len(found.chosen) != len(questions):
            return f"{counted(len(found.chosen), 'option')} chosen for {counted(len(questions), 'question')}"
        for option, question in zip(found.chosen, questions, strict=True):
            if option not in question.options:
                return f"{option!r} chosen, {question.question!r} has {', '.join(question.options)}"
        return None

    return tuple(asked(ask, _CHOOSE, data, _Choices, fault).chosen)


def rubric_score(questions: Sequence[RubricQuestion], chosen: Sequence[str]) -> Fraction | None:
    """The chosen options' points over each question's most points, clamped to 0 and 1.

    None where no point can be had, above all without a question.
    """
    points = sum(question.options[option] for question, option in zip(questions, chosen, strict=True))
    most = sum(question.most for question in questions)
    return max(Fraction(0), min(Fraction(1), Fraction(points, most))) if most > 0 else None


def read_rubrics(path: Path) -> dict[str, list[RubricQuestion]]:
    """The questions of each task, from JSON Lines: ``task``, ``category``, ``question``, ``options`` (name to points).

    Raises ValueError with the line, OSError where the file cannot be read.
    """
    rubrics: dict[str, list[RubricQuestion]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = _Row.model_validate_json(line)
        except ValidationError as error:
            raise ValueError(f"{path}:{number}: {_first(error, 'line')}") from None
        rubrics.setdefault(row.task, []).append(RubricQuestion(row.category, row.question, row.options))
    return rubrics
