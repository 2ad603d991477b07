"""``talk2agent new``: from written instructions to a suite that pytest runs."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.commands.new import instructions_in
from pytest_talk2agent.recording.review import Review
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.commands.test_speak import BEEP

WRITTEN = (
    "Copy report_final.docx to /srv/archive.\n\nSet the port to 8080\nand restart nginx.\n\n\nSet the port to 8081.\n"
)


def test_a_suite_is_made_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(WRITTEN))
    Path("beep.py").write_text(BEEP, encoding="utf-8")
    folder = tmp_path / "ports"
    assert main(["new", str(folder), "--voice", f"beep=command:{sys.executable} beep.py {{text}} {{out}}"]) == 0
    out = capsys.readouterr().out
    assert "3 tasks, proposed" in out
    assert "3 recordings" in out
    tasks = load_tasks(folder / "tasks.yaml")
    assert [task.id for task in tasks] == [
        "ports/copy-report-final-docx", "ports/set-the-port-to", "ports/set-the-port-to-3",
    ]  # fmt: skip
    assert {task.source.status for task in tasks} == {"proposed"}
    assert {one.kind for one in tasks[0].intentions.values()} == {"gist", "filename", "path"}
    entries = Review.beside(folder / "tasks.yaml").entries
    assert entries["ports/set-the-port-to-3"].script == "Set the port to eight thousand eighty one."
    manifest = read_manifest(folder / "recordings" / "manifest.jsonl")
    assert set(manifest.recordings) == {task.id for task in tasks}
    assert "t2a_manifest = recordings/manifest.jsonl" in (folder / "pytest.ini").read_text(encoding="utf-8")


def test_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "instructions.txt").write_text(WRITTEN, encoding="utf-8")
    (tmp_path / "tasks.yaml").write_text("mine", encoding="utf-8")
    assert main(["new", str(tmp_path), "--instructions", str(tmp_path / "instructions.txt")]) == 2
    assert "is there already; name another folder" in capsys.readouterr().err
    assert (tmp_path / "tasks.yaml").read_text(encoding="utf-8") == "mine"


def test_a_voice_that_is_missing_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "instructions.txt").write_text(WRITTEN, encoding="utf-8")
    folder = tmp_path / "suite"
    arguments = ["new", str(folder), "--instructions", str(tmp_path / "instructions.txt"), "--voice", "flyte"]
    assert main(arguments) == 2
    assert "did you mean 'flite'" in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize("text", ["", " \n\n ", "x" * 20_001])
def test_no_instruction_or_too_much_of_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"no instruction|at most 1000"):
        instructions_in(text)
