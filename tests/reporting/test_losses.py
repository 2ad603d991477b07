"""What items lost, most valuable first, and how what was heard differs from what was said."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.judging.judgement import Finding, Judgement
from pytest_talk2agent.reporting.losses import (
    LONGEST,
    aligned,
    headline,
    losses_of,
    lost_in_short,
    worst_first,
    wrapped,
)
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.results.builders import CHANGED, JUDGE, KEPT, OMITTED, OPEN, finding, lossy, result


def row(*findings: tuple[str, Finding, str], reasons: tuple[str, ...] = ("native 0 < 1",)) -> TaskResult:
    """An item with these findings, each with its Shapley value."""
    judged = Judgement({name: found for name, found, _ in findings}, JUDGE)
    weights = {name: Fraction(weight) for name, _, weight in findings}
    return result(outcome=Outcome.FAILED, judged=judged, weights=weights, reasons=reasons)


def test_the_value_that_was_wanted_and_the_one_that_was_heard() -> None:
    assert lost_in_short(row(("port", finding(CHANGED, "8081"), "1"))) == "port: wanted 8080, heard 8081"


def test_the_most_valuable_stands_for_all() -> None:
    found = row(
        ("host", finding(CHANGED, "db2"), "1/10"),
        ("kept", finding(KEPT), "3/5"),
        ("port", finding(OMITTED, None), "3/10"),
        ("who", finding(OPEN, "Hannah"), "5/10"),
    )
    assert [name for name, _, _ in losses_of(found)] == ["port", "host", "who"]
    assert lost_in_short(found) == "port: wanted 8080, heard nothing +2 more"


def test_what_is_unresolved_is_called_so() -> None:
    assert lost_in_short(row(("port", finding(OPEN, "80 80"), "1"))) == "port: wanted 8080, unresolved, heard 80 80"


def test_without_a_loss_the_reasons_are_told() -> None:
    nothing = row(("port", finding(KEPT), "1"), reasons=("the transcript is refused", "native 0 < 1"))
    assert lost_in_short(nothing) == headline(nothing) == "the transcript is refused; native 0 < 1"


def test_a_headline_goes_on_with_the_reasons() -> None:
    assert headline(lossy()) == "port: wanted 8080, heard 8080; native 0.5 < 1; shapley 0.5 < 1"


def test_eighty_columns_show_the_value() -> None:
    line = f"FAILED suites/tasks.yaml::t[amy] - {lost_in_short(row(('port', finding(CHANGED, '8081'), '1')))}"
    assert "wanted 8080, heard 8081" in line[:80]


@pytest.mark.parametrize("heard", ["a" * 500, "one\ntwo\r\nthree\u2028four", "word " * 100])
def test_a_long_value_stays_one_line(heard: str) -> None:
    text = lost_in_short(row(("port", finding(CHANGED, heard), "1")))
    assert len(text.splitlines()) == 1
    assert len(text) <= len("port: wanted 8080, heard ") + LONGEST


def test_negative_shares_stand_behind_positive_ones() -> None:
    found = row(("a", finding(CHANGED), "-1/4"), ("b", finding(CHANGED), "5/4"), ("c", finding(CHANGED), "0"))
    assert [name for name, _, _ in losses_of(found)] == ["b", "c", "a"]


def test_failed_items_come_first() -> None:
    outcomes = [Outcome.PASSED, Outcome.UNDEFINED, Outcome.INCONCLUSIVE, Outcome.FAILED, Outcome.INCONCLUSIVE]
    rows = [result(f"t{number}", outcome=outcome) for number, outcome in enumerate(outcomes)]
    assert [one.task for one in worst_first(rows)] == ["t3", "t2", "t4", "t0", "t1"]


@pytest.mark.parametrize(
    ("said", "heard", "left", "right"),
    [
        ("set the port", "set the port", "set the port", "set the port"),
        ("Set the port.", "set, the PORT", "Set the port.", "set, the PORT"),
        ("port to 8080 now", "port to 8081 now", "port to [8080] now", "port to [8081] now"),
        ("restart nginx now", "restart engine x now", "restart [nginx] now", "restart [engine x] now"),
        ("a b c", "a c", "a [b] c", "a c"),
        ("a c", "a b c", "a c", "a [b] c"),
        ("a b", "", "[a b]", ""),
        ("", "a b", "", "[a b]"),
        ("", "", "", ""),
    ],
)
def test_every_stretch_that_differs_stands_in_brackets(said: str, heard: str, left: str, right: str) -> None:
    assert aligned(said, heard) == (left, right)


def test_deletions_on_both_sides_of_a_match_are_shown_where_they_are() -> None:
    # case C08: only words 5 and 6 of 21 were heard
    words = [f"w{number}" for number in range(21)]
    left, right = aligned(" ".join(words), "w5 w6")
    assert left == f"[{' '.join(words[:5])}] w5 w6 [{' '.join(words[7:])}]"
    assert right == "w5 w6"


def test_no_word_is_lost_and_none_is_new() -> None:
    said, heard = "move every pdf to the the archive", "the move pdf every archive the"
    left, right = (text.replace("[", "").replace("]", "") for text in aligned(said, heard))
    assert (left, right) == (said, heard)


def test_a_paragraph_hangs_from_its_label() -> None:
    lines = wrapped("said", "word " * 40, width=60)
    assert lines[0].startswith("said  word word")
    assert all(line.startswith("      word") for line in lines[1:])
    assert max(map(len, lines)) <= 60


def test_a_paragraph_without_words_says_so() -> None:
    assert wrapped("heard", " \n") == ["heard  (nothing)"]
