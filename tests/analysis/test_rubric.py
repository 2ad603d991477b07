"""Atomic Rubric: points of chosen options over the most there are."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.rubric import RubricQuestion, category_scores, choose, read_rubrics, rubric_score
from tests.analysis.scripted import Scripted

ONE, TWO = {"no": 0, "yes": 1}, {"bad": 0, "fair": 1, "good": 2}
QUESTIONS = [
    RubricQuestion("content", "is the name there?", ONE),
    RubricQuestion("format", "is it a list?", ONE),
    RubricQuestion("filter", "are fillers gone?", TWO),
    RubricQuestion("rephrase", "is it smooth?", TWO),
]
CHOSEN = ("yes", "no", "good", "fair")


def test_points_over_the_most() -> None:
    assert rubric_score(QUESTIONS, CHOSEN) == Fraction(4, 6)


def test_categories_stand_by_themselves() -> None:
    expected = {"content": Fraction(1), "filter": Fraction(1), "format": Fraction(0), "rephrase": Fraction(1, 2)}
    assert category_scores(QUESTIONS, CHOSEN) == expected


def test_no_questions_are_undefined_and_not_perfect() -> None:
    assert rubric_score([], ()) is None
    assert rubric_score([RubricQuestion("content", "?", {"a": 0})], ("a",)) is None
    assert choose(Scripted(), [], spoken="a", reference="a", output="a") == ()


def test_scores_are_clamped() -> None:
    harsh = RubricQuestion("content", "is something made up?", {"yes": -2, "no": 1})
    assert rubric_score([harsh, QUESTIONS[0]], ("yes", "yes")) == 0


def test_the_model_sees_options_and_no_points() -> None:
    model = Scripted({"chosen": list(CHOSEN)})
    assert choose(model, QUESTIONS, spoken="s", reference="r", output="o") == CHOSEN
    _, data, _ = model.asked[0]
    assert data["questions"][2] == {"question": "are fillers gone?", "options": ["bad", "fair", "good"]}
    assert (data["spoken"], data["reference"], data["output"]) == ("s", "r", "o")


@pytest.mark.parametrize(
    ("chosen", "fault"),
    [
        (["yes"], "1 options chosen for 4 questions"),
        (["yes", "no", "good", "great"], "'great' chosen, 'is it smooth.' has bad, fair, good"),
    ],
)
def test_a_choice_that_is_none_gives_no_score(chosen: list[str], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        choose(Scripted({"chosen": chosen}), QUESTIONS, spoken="s", reference="r", output="o")


def test_a_question_needs_options() -> None:
    with pytest.raises(ValueError, match="has no options"):
        RubricQuestion("content", "?", {})


def test_rubrics_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    row = '{"task": "a", "category": "content", "question": "is the name there?", "options": {"no": 0, "yes": 1}}\n'
    path.write_text(f"{row}\n", encoding="utf-8")
    assert read_rubrics(path) == {"a": [QUESTIONS[0]]}
    path.write_text(f'{row}{{"task": "a"}}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"r\.jsonl:2: category: Field required"):
        read_rubrics(path)
