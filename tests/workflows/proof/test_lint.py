from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.workflows.proof.lint import lint_package
from tests.workflows.scoring.sessions import changed
from tests.workflows.toys import Toy, expense, line, write


def remarks(toy: Toy, tmp_path: Path) -> list[str]:
    _, faults, objections = lint_package(write(toy, tmp_path))
    return [*faults, *(f"{one.level} {one.file}: {one.message}" for one in objections)]


def test_one_wording_a_plan_is_odd(tmp_path: Path) -> None:
    toy = expense()
    rows = toy["user/realization_bank.jsonl"]
    toy["user/realization_bank.jsonl"] = [line(rows[0]["user_plan_id"], rows[0]["speech_act"], "Hello."), *rows[1:]]
    assert any("has one wording" in text for text in remarks(toy, tmp_path))


def test_a_correction_that_corrects_nothing_is_an_error(tmp_path: Path) -> None:
    toy = expense()
    facts = [
        {**fact, "value": 240} if fact.get("supersedes") else fact for fact in toy["user/user_state.yaml"]["facts"]
    ]
    found = remarks(changed(toy, "user/user_state.yaml", facts=facts), tmp_path)
    assert any(text.startswith("error user/user_state.yaml") and "supersedes" in text for text in found)


def test_a_tool_of_a_state_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    toy = expense()
    tool = {"name": "look", "tool_class": "read_only", "handler": "sql:look"}
    tools = [*toy["tools/tool_spec.yaml"]["tools"], tool, {"name": "idle", "tool_class": "read_only"}]
    found = remarks(changed(toy, "tools/tool_spec.yaml", tools=tools), tmp_path)
    assert any("wants 'sql:look', and there is no state/state.yaml" in text for text in found)
    assert any("'idle' has no handler" in text for text in found)


def test_a_statement_that_the_database_does_not_take_is_named(tmp_path: Path) -> None:
    toy = expense()
    tools = [*toy["tools/tool_spec.yaml"]["tools"], {"name": "look", "tool_class": "read_only", "handler": "sql:look"}]
    toy = changed(toy, "tools/tool_spec.yaml", tools=tools)
    folder = write(toy, tmp_path)
    (folder / "state").mkdir()
    (folder / "state/schema.sql").write_text("CREATE TABLE a (id TEXT PRIMARY KEY)")
    (folder / "state/seed.sql").write_text("")
    spec = "clock: 2026-10-12T09:00:00Z\ntools: {look: {result: {x: {all: SELECT colour FROM a}}}}\n"
    (folder / "state/state.yaml").write_text(spec)
    _, faults, objections = lint_package(folder)
    assert faults == []
    assert any("tools.look.result.x" in one.message and "colour" in one.message for one in objections)
    (folder / "state/state.yaml").write_text(spec.replace("look:", "luck:"))
    _, faults, _ = lint_package(folder)
    assert any("state.yaml:2:" in fault and "no tool is called 'luck'" in fault for fault in faults)


def test_an_adapted_source_has_a_whole_provenance(tmp_path: Path) -> None:
    toy = expense()
    toy["assets/inputs/artifact_source_manifest.yaml"] = {
        "manifests": [{"artifact_id": "expense_1", "origin": "ADAPTED_OPEN_ASSET"}]
    }
    assert any("does not say its license, transformation, upstream" in text for text in remarks(toy, tmp_path))


def test_the_command_takes_packages_and_task_files_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(expense(), tmp_path / "suite" / "expense")
    assert main(["lint", str(tmp_path / "suite")]) == 0
    assert "1 package, 0 errors" in capsys.readouterr().out
    (tmp_path / "suite" / "tasks.yaml").write_text(
        "id: a/b\ninstruction: Set the port to 8080.\nintentions: {port: {say: '8080', kind: number}}\nvalue: port\n"
    )
    assert main(["lint", str(tmp_path / "suite"), "--prove"]) == 0
    out = capsys.readouterr().out
    assert "1 package, 0 errors" in out
    assert "proved in" in out
    assert "1 task, 0 errors" in out


def test_a_broken_package_is_one_line_for_each_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(changed(expense(), "user/flow.yaml", start="NOWHERE"), tmp_path / "expense")
    assert main(["lint", str(folder), "--prove"]) == 1
    out = capsys.readouterr().out
    assert "NOWHERE" in out
    assert "1 package, 1 error, 0 warnings" in out


def test_a_proof_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(tmp_path), "--prove"]) != 0
    assert "there is no package in these paths" in capsys.readouterr().err
