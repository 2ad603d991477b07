"""The text of a failed item."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.reporting.failure import BAR, bar, failure_text, headline
from pytest_talk2agent.results.record import ErrorRates, TaskResult
from pytest_talk2agent.results.verdict import Limits, Outcome
from tests.results.builders import (
    CHANGED,
    JUDGE,
    KEPT,
    OMITTED,
    OPEN,
    finding,
    interval,
    judgement,
    lossy,
    result,
    retention,
    transcript,
    undefined,
)

RERUN = ["pytest", "suites/tasks.yaml::files/set-port[a-b]", "--t2a-interface=command:asr {audio}"]


def text(row: TaskResult) -> list[str]:
    return failure_text(row, {"moved": "all(port, service)"}, RERUN).split("\n")


def test_the_first_line_alone_says_what_failed() -> None:
    assert text(lossy())[0] == "native 0.5 < 1; shapley 0.5 < 1; lost: port"


def test_the_headline_names_what_is_unresolved() -> None:
    row = result(reasons=("native [0, 1] may be < 1",), judged=judgement({"a": OPEN, "b": CHANGED, "c": OMITTED}))
    assert headline(row) == "native [0, 1] may be < 1; lost: b, c; unresolved: a"


def test_the_whole_text() -> None:
    row = result(
        outcome=Outcome.FAILED,
        reasons=("native 0.5 < 1",),
        heard=transcript("set the port to 8081"),
        judged=Judgement({"port": finding(CHANGED, "8081", "another number")}, JUDGE, flags=("inserted",)),
        kept=retention(interval("1/2"), interval("1/3", "1"), lost=1, lost_upper=2),
        rates=ErrorRates(2, 6, 11, 29),
    )
    assert text(row) == [
        "native 0.5 < 1; lost: port",
        "",
        "native   0.5              threshold 1",
        "shapley  [0.333, 1]       threshold 1",
        "flat     1                lost 1 to 2 of 1 intentions",
        "",
        "said   set the port to [eighty eighty]",
        "heard  set the port to [8081]",
        "flags  inserted",
        "",
        "port  changed     ████████········ 0.500  wanted '8080', heard '8081'",
        "      another number",
        "",
        "grader  0.5*port + 0.5*service",
        "        moved = all(port, service)",
        "errors  WER 33.3% (2/6 words), CER 37.9% (11/29 characters)",
        "rerun   pytest 'suites/tasks.yaml::files/set-port[a-b]' '--t2a-interface=command:asr {audio}'",
    ]


@pytest.mark.parametrize(
    ("tolerance", "shown"),
    [("0", "native   0.5              baseline 1"), ("1/10", "native   0.5              baseline 1 - 0.1")],
)
def test_a_baseline_stands_in_place_of_a_threshold(tolerance: str, shown: str) -> None:
    row = replace(lossy(), limits=Limits({}, {"native": interval("1")}, Fraction(tolerance)))
    assert text(row)[2] == shown
    assert text(row)[3] == "shapley  0.5"


def test_undefined_scores_and_shares_are_called_so() -> None:
    row = result(
        kept=undefined(),
        reasons=("critical intention port omitted",),
        judged=Judgement({"port": finding(OMITTED, None, "not there")}, JUDGE),
        weights={"port": Fraction(0)},
    )
    lines = text(row)
    assert lines[2:4] == ["native   undefined        threshold 1", "shapley  undefined        threshold 1"]
    assert f"port  omitted     {'·' * BAR} undefined  wanted '8080', nothing in its place" in lines


def test_intentions_stand_in_columns() -> None:
    labels = {"a": CHANGED, "kept": KEPT, "much_longer": OMITTED}
    lines = text(
        result(judged=judgement(labels), weights={"a": Fraction(1), "kept": Fraction(0), "much_longer": Fraction(1)})
    )
    assert len({line.index("wanted") for line in lines if "wanted" in line}) == 1
    assert not [line for line in lines if line.startswith("kept")]


def test_an_item_that_lost_nothing_says_so() -> None:
    assert "no intention was lost" in text(result(reasons=("native 0.5 < 1",)))


def test_an_empty_reference_has_no_rate() -> None:
    assert "errors  no reference words" in text(result(rates=ErrorRates(3, 0, 13, 0)))


def test_an_empty_transcript_is_called_nothing() -> None:
    assert "heard  (nothing)" in text(result(heard=transcript("")))


def test_a_transcript_cannot_add_lines_of_its_own() -> None:
    row = result(heard=transcript("set\nGATE PASSED\r\nthe\u2028port"))
    assert "GATE PASSED" not in text(row)
    assert len(text(row)) == len(text(result()))


@pytest.mark.parametrize(
    ("share", "filled"),
    [("0", 0), ("1/32", 0), ("1/16", 1), ("1/2", 8), ("1", BAR), ("-1/4", 0), ("5/4", BAR), (None, 0)],
)
def test_a_bar_is_clipped_to_its_length(share: str | None, filled: int) -> None:
    assert bar(None if share is None else Fraction(share)) == "█" * filled + "·" * (BAR - filled)


def test_a_share_beyond_its_bar_is_still_told_as_a_number() -> None:
    row = result(judged=judgement({"a": CHANGED, "b": CHANGED}), weights={"a": Fraction(5, 4), "b": Fraction(-1, 4)})
    shown = "\n".join(text(row))
    assert f"{'█' * BAR} 1.250" in shown
    assert f"{'·' * BAR} -0.250" in shown
