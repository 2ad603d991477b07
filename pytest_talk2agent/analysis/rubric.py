"""Atomic Rubric: multiple-choice questions on what an interface wrote, each option worth some points.

    score = sum of the chosen options' points / sum of each question's most points, clamped to 0 and 1

Source: AgenticASR (AnXMuy, arXiv 2607.28175), whose judge sees the literal speech, the clean reference, the output and
the questions, in the groups content, format, filter and rephrase. A sample whose judge fails has no score. Not to be
taken for InteractiveASR's project of the same name (arXiv 2604.09121).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pydantic import ValidationError

from pytest_talk2agent.analysis.asking import Ask, Shape, asked

VERSION = "atomic-rubric/1"
_CHOOSE = (
    "Somebody spoke the text under `spoken`; the text under `reference` is how it should be written; the text under"
    " `output` is what a voice interface wrote. For each of the questions under `questions` choose the one option that"
    " is true of the output. Give the name of the chosen option for each question, in their order."
)


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
    """The options that a model chooses; raises ValueError where one is missing or is none of the question's."""
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
            return f"{len(found.chosen)} options chosen for {len(questions)} questions"
        for option, question in zip(found.chosen, questions, strict=True):
            if option not in question.options:
                return f"{option!r} chosen, {question.question!r} has {', '.join(question.options)}"
        return None

    return tuple(asked(ask, _CHOOSE, data, _Choices, fault).chosen)


def rubric_score(questions: Sequence[RubricQuestion], chosen: Sequence[str]) -> Fraction | None:
    """The score of chosen options, 0 to 1; None where no point can be had, above all without a question."""
    points = sum(question.options[option] for question, option in zip(questions, chosen, strict=True))
    most = sum(question.most for question in questions)
    return max(Fraction(0), min(Fraction(1), Fraction(points, most))) if most > 0 else None


def category_scores(questions: Sequence[RubricQuestion], chosen: Sequence[str]) -> dict[str, Fraction | None]:
    """The score of each category by itself, sorted by its name."""
    groups: dict[str, list[tuple[RubricQuestion, str]]] = defaultdict(list)
    for question, option in zip(questions, chosen, strict=True):
        groups[question.category].append((question, option))
    return {
        category: rubric_score([question for question, _ in group], [option for _, option in group])
        for category, group in sorted(groups.items())
    }


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
            fault = error.errors()[0]
            place = ".".join(str(step) for step in fault["loc"]) or "line"
            raise ValueError(f"{path}:{number}: {place}: {fault['msg']}") from None
        rubrics.setdefault(row.task, []).append(RubricQuestion(row.category, row.question, row.options))
    return rubrics
