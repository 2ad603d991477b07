from __future__ import annotations

import pytest

from tests.judging.policy import label_of, labels_of

DAY = "book it for the fourth of october twenty twenty seven and go on"


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("4 October 2027", "retained"),
        ("October 4th, 2027", "retained"),
        ("the fourth of october two thousand twenty seven", "retained"),
        ("2027-10-04", "retained"),
        ("monday the fourth of october 2027", "retained"),
        ("4/10/2027", "unresolved"),
        ("10/4/2027", "unresolved"),
        ("4 October", "unresolved"),
        ("5 October 2027", "changed"),
        ("4 November 2027", "changed"),
        ("4 October 2028", "changed"),
        ("", "omitted"),
    ],
)
def test_date(heard: str, label: str) -> None:
    assert label_of("2027-10-04", "date", DAY, f"book it for {heard} and go on") == label


def test_a_number_above_twelve_or_a_day_equal_to_the_month_is_clear() -> None:
    script = "book it for the nineteenth of july twenty twenty seven and go on"
    assert label_of("2027-07-19", "date", script, "book it for 7/19/2027 and go on") == "retained"
    script = "book it for the seventh of july twenty twenty seven and go on"
    assert label_of("2027-07-07", "date", script, "book it for 7/7/2027 and go on") == "retained"


def test_one_clear_date_settles_the_order_of_the_others() -> None:
    wanted = {"a": {"say": "2027-08-05", "kind": "date"}, "b": {"say": "2027-08-27", "kind": "date"}}
    script = "block it from the fifth of august twenty twenty seven to the twenty seventh of august twenty twenty seven"
    assert labels_of(wanted, script, "block it from 5/8/2027 to 27/8/2027") == {"a": "retained", "b": "retained"}
    assert labels_of(wanted, script, "block it from 8/5/2027 to 8/27/2027") == {"a": "retained", "b": "retained"}
    assert labels_of(wanted, script, "block it from 8/5/2027 to 27/8/2027") == {"a": "changed", "b": "retained"}


def test_a_year_said_once_nearby_counts() -> None:
    wanted = {"a": {"say": "2027-06-03", "kind": "date"}, "b": {"say": "2027-06-09", "kind": "date"}}
    script = "book it on the third of june twenty twenty seven and on the ninth of june twenty twenty seven"
    assert labels_of(wanted, script, "book it on June 3rd and on June 9th, 2027") == {"a": "retained", "b": "retained"}
    assert labels_of(wanted, script, "book it on June 3rd and on June 9th") == {"a": "unresolved", "b": "unresolved"}


@pytest.mark.parametrize(
    ("say", "heard", "label"),
    [
        ("Tuesday", "tuesday", "retained"),
        ("Tuesday", "Thursday", "changed"),
        ("next Friday", "next Friday", "retained"),
        ("tomorrow", "today", "changed"),
        ("28 February", "February 28th", "retained"),
        ("28 February", "the 26th of February", "changed"),
    ],
)
def test_days_by_name(say: str, heard: str, label: str) -> None:
    assert label_of(say, "date", f"do it on {say} and go on", f"do it on {heard} and go on") == label


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("17:00", "retained"),
        ("5 PM", "retained"),
        ("5 p.m.", "retained"),
        ("five p m", "retained"),
        ("five in the afternoon", "retained"),
        ("five", "unresolved"),
        ("five o'clock", "unresolved"),
        ("5:00", "unresolved"),
        ("five a m", "changed"),
        ("17:10", "changed"),
        ("1:00 PM", "changed"),
        ("", "omitted"),
    ],
)
def test_time(heard: str, label: str) -> None:
    assert label_of("17:00", "time", "call them by five p m and go on", f"call them by {heard} and go on") == label


@pytest.mark.parametrize(
    ("say", "spoken", "heard", "label"),
    [
        ("10:00", "ten a m", "10:00 AM", "retained"),
        ("10:00", "ten a m", "ten o'clock in the morning", "retained"),
        ("10:00", "ten a m", "1:00", "changed"),
        ("10:00", "ten a m", "10:10", "changed"),
        ("9:50", "nine fifty", "9.50", "retained"),
        ("9:50", "nine fifty", "nine fifteen", "changed"),
        ("12:00", "noon", "midday", "retained"),
        ("00:00", "midnight", "twelve midnight", "retained"),
        ("02:30", "half past two at night", "2:30 a.m.", "retained"),
        ("23:00", "eleven at night", "11 pm", "retained"),
        ("16:45", "quarter to five in the afternoon", "quarter past five in the afternoon", "changed"),
        ("14:05", "five past two in the afternoon", "2:05 PM", "retained"),
    ],
)
def test_time_notations(say: str, spoken: str, heard: str, label: str) -> None:
    assert label_of(say, "time", f"start it at {spoken} and go on", f"start it at {heard} and go on") == label


def test_pm_at_the_end_of_a_range_counts_for_both() -> None:
    wanted = {"a": {"say": "19:00", "kind": "time"}, "b": {"say": "22:00", "kind": "time"}}
    script = "book it from seven p m to ten p m"
    assert labels_of(wanted, script, "book it from 7 to 10 PM") == {"a": "retained", "b": "retained"}
