"""Execution scores and metrics from elsewhere: CSV, JSON Lines, and one clear line for what is wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.outcomes import Outcomes, read_metric_outcomes, read_outcomes


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rounds_are_averaged_exactly(tmp_path: Path) -> None:
    path = write(
        tmp_path, "e.csv", "task,condition,score,type,seed\na,x,0.1,files,1\na,x,0.2,files,2\na,x,0.6,,3\nb,x,1,,1\n"
    )
    found = read_outcomes(path)
    assert found == Outcomes({("a", "x"): Fraction(3, 10), ("b", "x"): Fraction(1)}, {"a": "files"})


def test_json_lines_say_the_same(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "e.jsonl",
        '{"task": "a", "condition": "x", "score": 0.1}\n\n{"task": "a", "condition": "x", "score": 1, "type": "t"}\n',
    )
    assert read_outcomes(path) == Outcomes({("a", "x"): Fraction(11, 20)}, {"a": "t"})


def test_metrics_from_elsewhere_keep_their_order(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "task,condition,metric,score\na,x,bleu,0.5\na,x,aer,-1e-1\n")
    assert [(name, one.scores["a", "x"]) for name, one in read_metric_outcomes(path).items()] == [
        ("bleu", Fraction(1, 2)),
        ("aer", Fraction(-1, 10)),
    ]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("e.csv", "task,score\na,1\n", ":1: no column condition; the heading needs task, condition, score"),
        ("e.csv", "task,condition,score\n", ": no rows"),
        ("e.csv", "", ":1: no column task"),
        ("e.csv", "task,condition,score\na,x,\n", ":2: no score"),
        ("e.csv", "task,condition,score\na,x\n", ":2: no score"),
        ("e.csv", "task,condition,score\na,x,good\n", ":2: score 'good' is no number"),
        ("e.csv", "task,condition,score\na,x,nan\n", ":2: score 'nan' is no number"),
        ("e.csv", "task,condition,score\na,x,1e999999999\n", ":2: score '1e999999999' is no number"),
        ("e.csv", "task,condition,score,type\na,x,1,t\na,y,1,u\n", ":3: task 'a' has type 'u', and 't' before"),
        ("e.jsonl", "[1]\n", ":1: no JSON object"),
        ("e.jsonl", "{\n", ":1: no JSON object"),
        ("e.jsonl", '{"task": "a", "condition": "x", "score": true}\n', ":1: score True is no number"),
        ("e.jsonl", '{"task": "a", "condition": "x", "score": NaN}\n', ":1: score 'NaN' is no number"),
        ("e.jsonl", '{"task": "a", "condition": "x", "score": [1]}\n', r":1: score \[1\] is no number"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ValueError, match=f"^{path}{fault}"):
        read_outcomes(path)
