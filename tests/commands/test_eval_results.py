"""``talk2agent eval-results``: a file for each condition of a saved run."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.commands.conftest import Save, Say
from tests.results.builders import lossy, result


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
