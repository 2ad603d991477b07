"""``talk2agent eval-results``: entries of each condition, and the files that hold them."""

from __future__ import annotations

from pathlib import Path

import yaml

from pytest_talk2agent.commands.publishing import eval_results
from pytest_talk2agent.results.condition_summary import summarise
from tests.commands.conftest import Save, Say
from tests.results.builders import interval, lossy, result, retention, undefined


def test_an_entry_for_each_metric_in_percent() -> None:
    rows = [result("a"), lossy("b")]
    native, shapley = eval_results(summarise(rows)[0], rows, "org/bench", date="2026-11-30", source="https://x.org/r")
    assert native["dataset"] == {"id": "org/bench", "task_id": "native"}
    assert (native["value"], shapley["value"]) == (75.0, 75.0)
    assert native["date"] == "2026-11-30"
    assert native["source"] == {"url": "https://x.org/r", "name": "report"}
    assert native["notes"] == (
        "mean native retention of 2 items; interface whisper:tiny.en; fingerprint f00d; judge lexical/1;"
        " pytest-talk2agent 0.1.0"
    )


def test_an_interval_gives_its_lower_end_and_says_both() -> None:
    rows = [result(kept=retention(interval("1/3", "2/3")))]
    native, _ = eval_results(summarise(rows)[0], rows, "org/bench", revision="abc")
    assert native["value"] == 33.33
    assert native["dataset"]["revision"] == "abc"
    assert "between 33.33 and 66.67" in native["notes"]


def test_nothing_is_said_where_nothing_has_a_score() -> None:
    rows = [result(kept=undefined())]
    assert eval_results(summarise(rows)[0], rows, "org/bench") == []


def test_each_condition_gets_a_file(say: Say, save: Save, tmp_path: Path) -> None:
    run = save("run", [result("a", condition="old"), lossy("a", condition="new+bias")])
    out = tmp_path / "out"
    printed = say("eval-results", run, "--dataset=org/bench", "--date=2026-11-30", f"--out={out}")
    assert sorted(printed.splitlines()) == sorted(str(path) for path in out.iterdir())
    assert sorted(path.name for path in out.iterdir()) == ["new+bias.yaml", "old.yaml"]
    entries = yaml.safe_load((out / "new+bias.yaml").read_text(encoding="utf-8"))
    assert [(entry["dataset"]["task_id"], entry["value"]) for entry in entries] == [("native", 50.0), ("shapley", 50.0)]


def test_a_dataset_is_named_in_full(complain: Say, save: Save) -> None:
    run = save("run", [result("a")])
    assert (
        complain("eval-results", run, "--dataset=bench") == "--dataset: 'bench' is no id of a dataset; write ORG/NAME"
    )


def test_a_folder_without_a_run_is_one_line(complain: Say, tmp_path: Path) -> None:
    assert str(tmp_path) in complain("eval-results", tmp_path, "--dataset=org/bench")
