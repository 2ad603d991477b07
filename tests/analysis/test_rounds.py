"""Execution scores by agent and condition over rounds: both file forms, and one clear line for what is wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.rounds import read_rounds
from pytest_talk2agent.analysis.spread import Spread

F = Fraction

HEAD = "task,condition,score,round,agent\n"
ROWS = (
    *("a,text,1,1,codex", "b,text,0.5,1,codex", "a,text,1,2,codex", "b,text,0.3,2,codex"),
    *("a,asr,0.5,1,codex", "b,asr,0.1,1,codex", "a,asr,0.25,1,claw"),
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_agent_and_condition_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", HEAD + "\n".join(ROWS) + "\n"))
    assert list(found) == [("codex", "text"), ("codex", "asr"), ("claw", "asr")]
    # Rounds of 3/4 and 13/20: they lie 1/20 from their mean, so the SD is sqrt(2/400).
    assert (found["codex", "text"].mean, found["codex", "text"].repetitions) == (F(7, 10), 2)
    assert found["codex", "text"].sd == pytest.approx(0.005**0.5)
    assert found["codex", "asr"] == Spread(F(3, 10), None, 1)
    assert found["claw", "asr"] == Spread(F(1, 4), None, 1)


def test_without_agents_there_is_one_without_a_name(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", "task,condition,score,round\na,x,1,1\na,x,0,2\n"))
    assert found == {("", "x"): Spread(F(1, 2), 0.5**0.5, 2)}


def test_json_lines_say_the_same(tmp_path: Path) -> None:
    text = '{"task": "a", "condition": "x", "score": 0.1, "round": 1}\n{"task": "a", "condition": "x", "score": 0.3, '
    found = read_rounds(write(tmp_path, "e.jsonl", text + '"round": 2, "agent": null, "seed": 7}\n'))
    assert found["", "x"].mean == F(1, 5)
    assert found["", "x"].repetitions == 2


def test_rows_of_one_round_are_averaged_within_it(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", "task,condition,score,round\na,x,1,1\na,x,0,1\na,x,1,2\n"))
    assert found["", "x"].mean == F(3, 4)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("e.csv", "task,condition,score\na,x,1\n", ":1: no column round; the heading needs task, condition, score, r"),
        ("e.csv", "task,condition,score,round\n", ": no rows; give one a task, condition and round"),
        (
            "e.csv",
            "task,condition,score,round\na,x,1,\n",
            ":2: no round; every row needs task, condition, score, round",
        ),
        ("e.csv", "task,condition,score,round\n,x,1,1\n", ":2: no task; every row needs"),
        ("e.csv", "task,condition,score,round\na,x,1,1\na,x,ok,2\n", ":3: score 'ok' is no number"),
        ("e.csv", "task,condition,score,round\na,x,1,1\nb,x,1,2\n", ": condition 'x': repetition '1' lacks b, which"),
        ("e.jsonl", '{"task": "a", "condition": "x", "score": 1}\n', ":1: no round; every row needs"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ValueError, match=f"^{path}{fault}"):
        read_rounds(path)


def test_rounds_of_one_agent_are_not_those_of_another(tmp_path: Path) -> None:
    path = write(tmp_path, "e.csv", f"{HEAD}a,x,1,1,one\na,x,1,1,two\nb,x,1,2,two\n")
    with pytest.raises(ValueError, match="condition 'x': repetition '1' lacks b"):
        read_rounds(path)
