"""The text of a failed item."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.reporting.failure import BAR, Rerun, bar, failure_text
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Limits, Outcome
from tests.results.builders import (
    CHANGED,
    JUDGE,
    KEPT,
    OMITTED,
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
    assert text(lossy())[0] == "port: wanted 8080, heard 8080; native 0.5 < 1; shapley 0.5 < 1"


def test_the_whole_text() -> None:
    row = result(
        outcome=Outcome.FAILED,
        reasons=("native 0.5 < 1",),
        heard=transcript("set the port to 8081"),
        judged=Judgement({"port": finding(CHANGED, "8081", "another number")}, JUDGE, flags=("inserted",)),
        kept=retention(interval("1/2"), interval("1/3", "1"), lost=1, lost_upper=2),
    )
    assert text(row) == [
        "port: wanted 8080, heard 8081; native 0.5 < 1",
        "",
        "native   0.5              threshold 1",
        "shapley  [0.333, 1]       threshold 1",
        "flat     1                lost 1 to 2 of 1 intention",
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
        "errors  WER 20.0% (1/5 words), verbatim 33.3% (2/6), CER 5.0% (1/20)",
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
    assert len({line.index("wanted") for line in lines[1:] if "wanted" in line}) == 1
    assert not [line for line in lines if line.startswith("kept")]


def test_an_item_that_lost_nothing_says_so() -> None:
    assert "no intention was lost" in text(result(reasons=("native 0.5 < 1",)))


def test_an_empty_reference_has_no_rate() -> None:
    assert "errors  no reference words" in text(replace(result(), said=""))


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


@pytest.mark.parametrize(
    ("root", "place"),
    [(".", "suites/tasks.yaml"), ("..", "../suites/tasks.yaml"), ("/srv/a b", "/srv/a b/suites/tasks.yaml")],
)
def test_an_item_runs_again_from_where_the_run_was_started(root: str, place: str) -> None:
    words = Rerun(root, ("--t2a-baseline=my base.json", "--t2a-min-native=0.5")).words(result())
    assert words == [
        "pytest",
        f"{place}::files/set-port[whisper-tiny.en-amy]",
        "--t2a-interface=whisper:tiny.en",
        "--t2a-baseline=my base.json",
        "--t2a-min-native=0.5",
    ]


def test_a_label_of_its_own_is_part_of_the_interface() -> None:
    assert Rerun().interface(result(condition="rc1")) == "--t2a-interface=rc1=whisper:tiny.en"
    biased = result(condition="whisper-tiny.en+bias", spec="whisper:tiny.en+bias")
    assert Rerun().interface(biased) == "--t2a-interface=whisper:tiny.en+bias"


def test_a_node_of_a_file_outside_the_root_stays_where_it_is() -> None:
    row = replace(result(), node="../other/tasks.yaml::t[x::y-amy]")
    assert Rerun("..").item(row) == "../../other/tasks.yaml::t[x::y-amy]"
    assert Rerun("sub").item(row) == "other/tasks.yaml::t[x::y-amy]"
