from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.workflows.scoring.apex_graders import GRADERS, JUDGED, date_key, first_number
from pytest_talk2agent.workflows.scoring.grade import ONE, ZERO
from pytest_talk2agent.workflows.scoring.graders import rule_grade
from tests.workflows.apex_data import apex_json

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("grader", "pred", "gold", "tolerance", "score"),
    [
        ("exact", 200.0, "200", None, ZERO),
        ("exact", " 200 ", 200, None, ONE),
        ("exact", "e1042", "E1042", None, ZERO),
        ("casefold_exact", "hdhp", "HDHP", None, ONE),
        ("enum", "Approved", "approved", None, ZERO),
        ("normalized_phone", "(415) 555-0134", "4155550134", None, ONE),
        ("normalized_phone", "+1 415 555 0134", "4155550134", None, ZERO),
        ("normalized_phone", "call me", "TBD", None, ONE),  # no digits on either side
        ("normalized_date", "July 9, 1988", "1988-07-09", None, ONE),
        ("normalized_date", "Friday 2 pm", "Thursday 2 pm", None, ONE),  # both keys are `a- 2 pm`
        ("normalized_date", "TBD", "October", None, ONE),  # both keys are empty
        ("normalized_date", "Sept 3 2026", "2026-09-03", None, ZERO),
        ("normalized_date", "2026-02-30", "February 30, 2026", None, ONE),  # no such day
        ("normalized_address", "12 Oak St.", "12 oak st", None, ONE),
        ("normalized_address", "12 Oak Street", "12 Oak St", None, ZERO),
        ("numeric_tolerance", "$480", 480, None, ONE),
        ("numeric_tolerance", "about 20", "20", None, ONE),
        ("numeric_tolerance", "10-20", 10, None, ONE),
        ("numeric_tolerance", "E4471", 4471, None, ONE),
        ("numeric_tolerance", "$4.5k", 4.5, None, ONE),
        ("numeric_tolerance", ".5", 5, None, ONE),
        ("numeric_tolerance", True, 1, None, ZERO),
        ("numeric_tolerance", "eight", 8, None, ZERO),
        ("numeric_tolerance", "480.01", 480, 0.01, ONE),
        ("numeric_tolerance", 1.1, 1.0, 0.1, ZERO),  # binary floats: 1.1 - 1.0 is above 0.1
        ("set_exact", ["a", "b"], ["B", "A"], None, ONE),
        ("set_exact", "a", ["a"], None, ONE),
        ("set_exact", "a, b", ["a", "b"], None, ZERO),
        ("set_precision", ["a", "x"], ["a", "b"], None, HALF),
        ("set_recall", ["a", "x"], ["a", "b"], None, HALF),
        ("set_f1", ["a", "x"], ["a", "b"], None, HALF),
        ("set_f1", [], [], None, ONE),
        ("set_recall", ["a"], [], None, ZERO),
        ("ordered_list", ["a", "b"], ["a", "b"], None, ONE),
        ("ordered_list", ["A"], ["a"], None, ZERO),
        ("ordered_list", "a", ["a"], None, ONE),
        ("interval_overlap", [0, 10], [5, 15], None, Fraction(1, 3)),
        ("interval_overlap", [3, 3], [3, 3], None, ZERO),
        ("interval_overlap", "0-10", [0, 10], None, ZERO),
        ("interval_overlap", [0, "inf"], [0, 10], None, ZERO),
        ("semantic", "vision basic", "Vision Basic", None, ONE),
        ("claim_atoms", ["a"], ["a"], None, ZERO),
    ],
)
def test_a_published_grader_scores_as_published(
    grader: str, pred: object, gold: object, tolerance: float | None, score: Fraction
) -> None:
    assert GRADERS[grader](pred, gold, tolerance) == score


def test_date_keys_and_first_numbers_are_the_published_ones() -> None:
    vectors = apex_json("unit_vectors.json")
    assert {text: date_key(text) for text in vectors["date_keys"]} == vectors["date_keys"]
    assert {text: first_number(text) for text in vectors["first_number"]} == vectors["first_number"]


def test_the_judge_sees_the_misses_of_five_graders_and_no_blank() -> None:
    missed = {name for name in GRADERS if rule_grade(name, "one", "other", compat="apex-1.0") is None}
    assert missed == JUDGED
    blank = [rule_grade(name, "  ", "other", compat="apex-1.0") for name in JUDGED]
    assert all(grade is not None and grade.score == 0 and grade.tier == "blank" for grade in blank)
