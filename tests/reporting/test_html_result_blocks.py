"""The blocks that the page reads: what stands in them, once and exactly."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import BeforeLimits, BeforeRun
from pytest_talk2agent.reporting.html.recordings import Recordings
from pytest_talk2agent.reporting.html.result_blocks import CHUNK, Rows, utf16
from pytest_talk2agent.results.task_result import TaskResult, Visible
from pytest_talk2agent.results.verdict import Limits, Outcome
from tests.results.builders import CHANGED, KEPT, OPEN, interval, judgement, lossy, result, retention, transcript

GRADER = GraderSource("0.5*port + 0.5*service", {"port": Fraction(0), "service": Fraction(0)})


RERUN = Rerun("..", ("--t2a-baseline=my base.json", "--t2a-tolerance=0.1"))


def blocks_of(*results: TaskResult, before: Any = None) -> dict[str, Any]:
    rows = Rows(Recordings("link", Path()), before or BeforeLimits(), RERUN)
    found = {}
    for block in rows.blocks(results):
        match = re.fullmatch(r'<script type="application/json" id="([\w-]+)">(.*)</script>\n', block, re.DOTALL)
        assert match is not None
        found[match[1]] = json.loads(match[2])
    return found


def test_the_index_has_a_column_for_each_field_and_shared_values_once() -> None:
    half = retention(interval("1/3"), interval("1/4", "3/4"), lost=1, lost_upper=2)
    open_ = result(judged=judgement({"port": OPEN, "service": CHANGED}), kept=half, outcome=Outcome.INCONCLUSIVE)
    wrong = result("b", take="joe", condition="rc1", heard=transcript("set the sport to 8080"))
    index = blocks_of(open_, wrong, replace(open_, take="joe"))["index"]
    assert [len(column) for column in index["rows"].values()] == [3] * len(index["rows"])
    assert index["tasks"] == [["files/set-port", 0, open_.said], ["b", 0, open_.said]]
    assert [one["label"] for one in index["conditions"]] == ["whisper-tiny.en", "rc1"]
    assert index["takes"] == ["amy", "joe"]
    rows = index["rows"]
    assert [rows[name] for name in ("task", "condition", "take", "lost", "open")] == [
        [0, 1, 0],
        [0, 1, 0],
        [0, 1, 1],
        [1, 0, 1],
        [1, 0, 1],
    ]
    assert [index["scores"][number] for number in rows["native"]] == [
        ["0.333", 0.3333, 0.3333],
        ["1", 1, 1],
        ["0.333", 0.3333, 0.3333],
    ]
    assert index["scores"][rows["shapley"][0]] == ["[0.25, 0.75]", 0.25, 0.75]
    assert [index["outcomes"][number] for number in rows["outcome"]] == ["inconclusive", "passed", "inconclusive"]
    assert rows["wer"] == [0, 0.2, 0]
    assert [[index["kinds"][kind] for kind in kinds] for kinds in rows["kinds"]] == [["number"], [], ["number"]]
    assert index["before"] is None


def test_an_item_runs_again_with_all_that_decided_quoted_for_a_shell() -> None:
    row = result("it's", condition="rc 1", spec="command:asr --beam 4 {audio}")
    found = blocks_of(row)
    index, (record,) = found["index"], found["chunk-0"]
    pieces = ["pytest", record["again"], index["conditions"][0]["option"], *index["rerun"]]
    assert shlex.split(" ".join(pieces)) == RERUN.words(row)
    assert RERUN.words(row)[3:] == ["--t2a-baseline=my base.json", "--t2a-tolerance=0.1"]


def test_a_score_just_below_one_is_not_shown_as_one() -> None:
    index = blocks_of(result(kept=retention(interval("9999/10000"), interval("1"))))["index"]
    assert [score[0] for score in index["scores"]] == ["1.000", "1"]


def test_an_item_has_its_own_record_in_its_chunk() -> None:
    found = blocks_of(*(result(f"t{number}") for number in range(CHUNK + 1)))
    assert [len(found[f"chunk-{number}"]) for number in (0, 1)] == [CHUNK, 1]
    assert found["chunk-1"][0]["again"] == f"'../suites/tasks.yaml::t{CHUNK}[whisper-tiny.en-amy]'"
    assert "chunk-2" not in found


def test_a_record_tells_what_was_lost_and_where_it_stands() -> None:
    heard = transcript("set the port to 8081")
    findings = {
        "port": Finding(Label.CHANGED, "another number", "8080", "8081", 16, 20),
        "service": Finding(Label.OMITTED, "nothing stands in its place", "nginx"),
    }
    row = replace(lossy(), transcript=heard, judgement=Judgement(findings, "lexical/1", ("inserted",)), grader=GRADER)
    found = blocks_of(row)
    (record,) = found["chunk-0"]
    labels = found["index"]["labels"]
    assert [[labels[label], *rest] for label, *rest in record["findings"]] == [
        ["changed", "another number", "8081", 16, 20],
        ["omitted", "nothing stands in its place", None],
    ]
    assert record["differs"] == [[16, 29, 16, 20]]  # eighty eighty, 8081
    assert record["tree"] == [
        [0, "lost", "0"],
        *([number, "lost", "0"] for number in (1, 2, 3, 4)),
    ]
    assert (record["flags"], record["reasons"]) == (["inserted"], ["native 0.5 < 1", "shapley 0.5 < 1"])
    assert record["limits"] == [["threshold 1"], ["threshold 1"]]
    (task,) = found["tasks"]
    assert task["intentions"] == [["port", "number", "8080", 0.5], ["service", "number", "nginx", 0.5]]
    assert task["tree"][0][0] == "value"


def test_a_record_without_its_grader_shows_its_text_only() -> None:
    found = blocks_of(lossy())
    assert found["tasks"][0]["tree"] is None
    assert "tree" not in found["chunk-0"][0]


def test_repair_and_terms_are_told_and_lists_stand_once() -> None:
    heard = replace(transcript("set 8080"), raw="set 8081", sent=("nginx", "8080"), repair={})
    row = result(
        heard=heard,
        judged=judgement({"port": KEPT}),
        weights={"port": Fraction(1)},
        raw=judgement({"port": CHANGED}),
        visible=Visible(("decoy",), ("decoy", "nginx"), None, True),
    )
    found = blocks_of(row, replace(row, take="joe"))
    assert found["terms"] == [["nginx", "8080"]]
    for record in found["chunk-0"]:
        assert record["sent"] == 0
        assert record["inserted"] == [["decoy", True], ["nginx", False]]
        assert record["raw"] == {"text": "set 8081", "differs": [[4, 8, 4, 8]], "labels": [1]}


def test_another_run_stands_beside_this_one(tmp_path: Path) -> None:
    before = BeforeRun(tmp_path, [replace(lossy(), transcript=transcript("set the port to 8081"))])
    found = blocks_of(result(), result("new"), before=before)
    index = found["index"]
    assert index["before"] == f"run {tmp_path.name}"
    assert [None if number is None else index["scores"][number][0] for number in index["rows"]["before"]] == [
        "0.5",
        None,
    ]
    earlier = found["chunk-0"][0]["earlier"]
    assert earlier["heard"] == "set the port to 8081"
    assert earlier["lost"] == ["port"]
    assert earlier["labels"] == {"port": "changed", "service": "retained"}
    assert "earlier" not in found["chunk-0"][1]


def test_the_baseline_that_a_result_was_held_to_is_shown_by_itself() -> None:
    held = result(held_to=Limits({}, baseline={"native": interval("1"), "shapley": interval("1/2")}))
    index = blocks_of(held)["index"]
    assert (index["before"], index["scores"][index["rows"]["before"][0]][0]) == ("baseline", "0.5")


@pytest.mark.parametrize(
    ("text", "offsets"),
    [("abc", [0, 1, 2, 3]), ("", [0]), ("a\U0001f600b", [0, 1, 3, 4]), ("\U0001f600\U0001f600", [0, 2, 4])],
)
def test_offsets_are_those_of_a_browser(text: str, offsets: list[int]) -> None:
    at = utf16(text)
    assert [at(offset) for offset in range(len(text) + 1)] == offsets
    assert [len(text[:offset].encode("utf-16-le")) // 2 for offset in range(len(text) + 1)] == offsets
    assert at(None) is None


def test_a_run_without_results_has_its_blocks_too() -> None:
    found = blocks_of()
    assert found["tasks"] == []
    assert found["index"]["rows"] == {}
