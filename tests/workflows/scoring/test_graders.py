from __future__ import annotations

import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.speech.days import month_names
from pytest_talk2agent.workflows.scoring.apex_graders import GRADERS
from pytest_talk2agent.workflows.scoring.graders import RULES, ends, items, rule_grade

OPEN = None


def score(grader: str, pred: object, gold: object, tolerance: float = 0) -> Fraction | int | None:
    grade = rule_grade(grader, pred, gold, tolerance)
    return None if grade is None else grade.score


@pytest.mark.parametrize(
    ("pred", "gold", "expected"),
    [
        ("July 9, 1988", "1988-07-09", 1),
        ("the 9th of July 1988", "1988-07-09", 1),
        ("ninth of july nineteen eighty eight", "1988-07-09", 1),
        ("Sept 3 2026", "2026-09-03", 1),
        ("7/9/88", "1988-07-09", 1),
        ("09/07/1988", "1988-09-07", 1),
        ("13/07/1988", "1988-07-13", 1),
        ("Friday, March 6, 2026", "2026-03-06", 1),
        ("2026-2-1T09:30", "2026-02-01", 1),
        ("March 6, 2026 at 3pm", "2026-03-06T15:00", 1),
        ("2 pm", "14:00", 1),
        ("Friday at 2 PM", "friday 2 pm", 1),
        ("2026-03-06 14:00", "Friday 2 pm", 1),
        ("Friday 2 pm", "Thursday 2 pm", 0),
        ("2026-03-05 14:00", "Friday 2 pm", 0),
        ("2026-02-01", "2026-02-01T09:30", 0),
        ("2026-02-01T10:30", "2026-02-01T09:30", 0),
        ("TBD", "2026-03-01", 0),
        ("unknown", "October 1", 0),
        ("October", "2026-10-01", 0),
        ("March 6", "2026-03-06", 0),
        ("February 30, 2026", "2026-03-02", 0),
        ("tomorrow", "2026-03-06", 0),
        ("", "2026-03-06", 0),
        ("not March 6, 2026", "2026-03-06", OPEN),
        ("Monday, March 6, 2026", "2026-03-06", OPEN),
        ("March 6, 2026 at 3", "2026-03-06T15:00", OPEN),
        ("next Friday", "Friday", OPEN),
        ("2026-03-06 or 2026-03-08", "2026-03-06", OPEN),
        ("something", "as soon as possible", OPEN),
    ],
)
def test_dates(pred: str, gold: str, expected: int | None) -> None:
    assert score("normalized_date", pred, gold) == expected


@given(st.dates(datetime.date(1950, 1, 1), datetime.date(2049, 12, 31)), st.integers(-400, 400))
def test_a_date_equals_its_spellings_and_no_other_day(day: datetime.date, shift: int) -> None:
    month = max((name for name, number in month_names().items() if number == day.month), key=len)
    spellings = [f"{day.day} {month} {day.year}", f"{month.title()} {day.day}, {day.year}", f"{day:%m/%d/%Y}"]
    assert [score("normalized_date", text, day.isoformat()) for text in spellings] == [1, 1, 1]
    other = day + datetime.timedelta(days=shift or 1)
    assert score("normalized_date", spellings[0], other.isoformat()) == 0


@pytest.mark.parametrize(
    ("pred", "gold", "tolerance", "expected"),
    [
        ("$480", "480", 0, 1),
        ("480 USD", "$480", 0, 1),
        ("about 20", 20, 0, 1),
        ("eight", 8, 0, 1),
        ("two hundred fifty", 250, 0, 1),
        (".5", 0.5, 0, 1),
        ("$4.5k", 4500, 0, 1),
        ("1,000,000.50", 1000000.5, 0, 1),
        ("2 hours", "120 minutes", 0, 1),
        (0.1 + 0.2, 0.3, 0, 1),
        (1.1, 1.0, 0.1, 1),
        ("480.01", 480, 0.01, 1),
        ("480.011", 480, 0.01, 0),
        ("5", ".5", 0, 0),
        ("481", 480, 0, 0),
        (True, 1, 0, 0),
        ("none", 3, 0, 0),
        ("E4471", 4471, 0, OPEN),
        ("CC-330", 330, 0, OPEN),
        ("10-20", 10, 0, OPEN),
        ("20 of 30", 20, 0, OPEN),
    ],
)
def test_numbers(pred: object, gold: object, tolerance: float, expected: int | None) -> None:
    assert score("numeric_tolerance", pred, gold, tolerance) == expected


@given(st.decimals(-(10**9), 10**9, places=2), st.decimals(0, 100, places=2), st.decimals(-100, 100, places=2))
def test_a_number_is_right_exactly_within_its_tolerance(gold: object, tolerance: object, away: object) -> None:
    wanted, shift, most = Fraction(str(gold)), Fraction(str(away)), Fraction(str(tolerance))
    pred = f"{float(wanted + shift):.2f}"
    inside = abs(Fraction(pred) - wanted) <= most
    grade = rule_grade("numeric_tolerance", pred, str(gold), most)
    assert grade is not None
    assert grade.score == inside


@pytest.mark.parametrize(
    ("pred", "gold", "expected"),
    [
        ("+1 415 555 0134", "(415) 555-0134", 1),
        ("1-415-555-0134", "4155550134", 1),
        ("(415) 555-0134 (cell)", "4155550134", 1),
        ("+442079460958", "020 7946 0958", 1),
        ("415-555-0135", "415-555-0134", 0),
        ("555-0134", "415-555-0134", 0),
        ("415-555-0134 ext. 5", "415-555-0134", 0),
        ("415-555-0134 or 415-555-0199", "415-555-0134", 0),
        ("TBD", "unknown", 0),
    ],
)
def test_phones(pred: str, gold: str, expected: int) -> None:
    assert score("normalized_phone", pred, gold) == expected


@pytest.mark.parametrize(
    ("pred", "gold", "expected"),
    [
        ("12 Oak St.", "12 oak street", 1),
        ("400 N. Fifth Ave, Apt 3", "400 North 5th Avenue #3", 1),
        ("55 N.E. 2nd Ct", "55 northeast second court", 1),
        ("1 St. Mary's St", "1 st marys street", 1),
        ("12 Oak Rd", "12 Oak St", 0),
        ("21 Oak St", "12 Oak St", 0),
    ],
)
def test_addresses(pred: str, gold: str, expected: int) -> None:
    assert score("normalized_address", pred, gold) == expected


@pytest.mark.parametrize(
    ("pred", "known", "found"),
    [
        ("gloves, masks and wipes", (), ("gloves", "masks", "wipes")),
        ("gloves, masks, and wipes", (), ("gloves", "masks", "wipes")),
        ("- gloves\n- masks", (), ("gloves", "masks")),
        ("1. gloves\n2. masks", (), ("gloves", "masks")),
        ('["gloves", "masks"]', (), ("gloves", "masks")),
        ("Smith and Sons, Lee", ("smith and sons",), ("Smith and Sons", "Lee")),
        ("Smith, Lee and Co", ("smith, lee and co",), ("Smith, Lee and Co",)),
        ("", (), ()),
        (None, (), ()),
        (7, (), (7,)),
    ],
)
def test_a_list_is_read_however_it_was_written(pred: object, known: tuple[str, ...], found: tuple[object, ...]) -> None:
    assert items(pred, known) == found


def test_a_text_is_held_against_a_list_and_no_text_becomes_one_by_gold() -> None:
    assert score("set_exact", "b and a", ["a", "b"]) == 1
    assert score("ordered_list", "b and a", ["a", "b"]) == 0
    assert score("set_f1", "a, x", ["a", "b"]) == Fraction(1, 2)
    assert score("set_exact", ["a"], "a") == 1
    assert score("set_exact", "a", "a, b") == 0


@given(st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_f1_lies_between_precision_and_recall(found: set[str], wanted: set[str]) -> None:
    precision, recall, f1 = (
        RULES[name](sorted(found), sorted(wanted), Fraction(0)) for name in ("set_precision", "set_recall", "set_f1")
    )
    assert precision is not None
    assert recall is not None
    assert f1 is not None
    assert min(precision, recall) <= f1 <= max(precision, recall)
    assert (f1 == 1) == (found == wanted) == (score("set_exact", sorted(found), sorted(wanted)) == 1)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([0, 10], (0, 10)),
        ({"start": "9:00", "end": "17:00"}, (540, 1020)),
        ("9 am to 5 pm", (540, 1020)),
        ("10-20", (10, 20)),
        ("2026-03-01 to 2026-03-02", (739676 * 1440, 739677 * 1440)),
        ([10, 0], None),
        ("soon", None),
    ],
)
def test_the_ends_of_an_interval(value: object, found: tuple[int, int] | None) -> None:
    both = ends(value)
    assert (None if both is None else (int(both[0]), int(both[1]))) == found


def test_intervals_share_what_they_cover() -> None:
    assert score("interval_overlap", [0, 10], [5, 15]) == Fraction(1, 3)
    assert score("interval_overlap", [3, 3], [3, 3]) == 1
    assert score("interval_overlap", "later", [1, 2]) == 0


@pytest.mark.parametrize(
    ("grader", "pred", "gold", "expected"),
    [
        ("exact", 200.0, "200", 1),
        ("exact", "200", 200, 1),
        ("exact", "true", True, 1),
        ("exact", 1, True, OPEN),
        ("exact", "e1042", "E1042", OPEN),
        ("enum", "In progress", "in_progress", 1),
        ("enum", "approved", "denied", OPEN),
        ("casefold_exact", "Ｈdhp", "HDHP", 1),
        ("semantic", "the  Vision basic", "the vision Basic", 1),
        ("semantic", "", "x", 0),
        ("claim_atoms", "a", ["a"], OPEN),
    ],
)
def test_words(grader: str, pred: object, gold: object, expected: int | None) -> None:
    assert score(grader, pred, gold) == expected


@given(
    st.sampled_from(sorted(RULES)),
    st.one_of(
        st.text(max_size=40), st.integers(), st.floats(), st.booleans(), st.none(), st.lists(st.text(max_size=5))
    ),
    st.one_of(st.text(max_size=40), st.integers(), st.floats(allow_nan=False), st.lists(st.text(max_size=5))),
)
def test_whatever_an_agent_writes_gets_a_score_or_stays_open(grader: str, pred: object, gold: object) -> None:
    for grade in (rule_grade(grader, pred, gold), rule_grade(grader, pred, gold, compat="apex-1.0")):
        assert grade is None or (grade.score is not None and 0 <= grade.score <= 1)


def test_both_ways_know_the_same_graders() -> None:
    assert RULES.keys() == GRADERS.keys()
