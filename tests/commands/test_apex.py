"""`talk2agent apex`: published results and folders of campaigns, as text and as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.cli import main
from tests.workflows.apex_data import apex_path

PASSES = "task_id,oracle_tool_calls,old_passes_of_3,new_passes_of_3\n"


@pytest.fixture
def passes(tmp_path: Path) -> Path:
    path = tmp_path / "per_task.csv"
    rows = [f"t{number:02},10,{3 if number % 2 else 0},0" for number in range(40)]
    path.write_text(PASSES + "\n".join(rows) + "\n")
    return path


def run(folder: Path, task: str, rep: int, **values: Any) -> None:
    place = folder / task / f"rep{rep}"
    place.mkdir(parents=True)
    gates = {"GS": True, "PC": True, "RA": True, "WA": values.get("pts", 1) == 1}
    data = {"task_id": task, "rep": rep, "model": "m", "pts": 1, "components": gates, **values}
    (place / "result.json").write_text(json.dumps(data))


def test_the_published_files(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(apex_path(name)) for name in ("per_task.csv", "tooluse_by_task.csv")]
    assert main(["apex", *files, "--against", "gpt-realtime"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split("  ")[0] == "grok-voice"
    assert "23.1 % [17.4, 28.9]" in lines[1]
    assert "10.8 % [6.4, 17.7] (n=120)" in lines[2]
    assert "0.98 of reference" in lines[2]
    assert any("Reliable@3 13 -> 6: 12 workflows worse, 5 better (p = 0.14, McNemar)" in line for line in lines)


def test_the_published_files_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(apex_path(name)) for name in ("per_task.csv", "tooluse_by_task.csv")]
    assert main(["apex", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["models"]["gpt-realtime"]
    assert (found["pass_1"], found["reliable_k"], found["pass_hat"]["2"]) == ("17/72", 13, "3/20")
    assert found["tool_use"]["calls"] == 4584


def test_a_build_that_regressed_ends_with_1(passes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apex", str(passes), "--against", "old", "--margin", "0.05"]) == 1
    assert "new: regressed: Pass@1 by -50.0 points" in capsys.readouterr().out.splitlines()[-1]
    assert main(["apex", str(passes), "--against", "new", "--margin", "0.05"]) == 0


def test_a_campaign_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rep in range(2):
        run(tmp_path, "a", rep)
    run(tmp_path, "b", 0, pts=0)
    run(tmp_path, "b", 1, error="1011", pts=0)
    assert main(["apex", str(tmp_path), "--repetitions", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["models"]["m"]
    assert (found["workflows"], found["passes"], found["incomplete"]) == (1, 2, {"b": 1})
    assert (found["gates"]["AV"], found["lost"]) == ([2, 3], 1)
    assert main(["apex", str(tmp_path), "--repetitions", "2"]) == 0
    assert "2 of 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["none.csv"], "none.csv: no such file or folder"),
        (["."], "no TASK/rep<k>/result.json in this folder"),
        (["per_task.csv", "--against", "gpt"], "--against: no passes of 'gpt'; there are old, new"),
        (["per_task.csv", "--against", "old", "--margin", "much"], "--margin: 'much' is not a number from 0 to 1"),
        (["per_task.csv", "--margin", "0.1"], "--margin needs --against=MODEL"),
        (["per_task.csv", "--repetitions", "0"], "--repetitions: 0 is no number of repetitions"),
        (["other.csv"], "no column such as MODEL_passes_of_3"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str],
    problem: str,
    passes: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(passes.parent)
    (passes.parent / "other.csv").write_text("a,b\n1,2\n")
    assert main(["apex", *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert problem in line
