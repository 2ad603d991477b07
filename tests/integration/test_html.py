"""The page that a run leaves in its report folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import LOSSY, PERFECT, PORT, REPORT, Run, Transcripts


def block(page: str, name: str) -> object:
    start = page.index(f'id="{name}">') + len(f'id="{name}">')
    found: object = json.loads(page[start : page.index("</script>", start)])
    return found


def test_a_run_leaves_its_page(run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    lossy, perfect = transcripts(LOSSY, "lossy.jsonl"), transcripts(PERFECT, "perfect.jsonl")
    interfaces = [f"--t2a-interface=rc1=transcripts:{lossy}", f"--t2a-interface=rc0=transcripts:{perfect}"]
    run(tasks, *interfaces, "--t2a-report=out")
    page = (pytester.path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Gate failed" in page
    lost = page[page.index('<table class="lost">') :].partition("</table>")[0]
    assert [word in lost for word in ("8080", "8081", PORT, "tasks.yaml")] == [True] * 4
    index = block(page, "index")
    assert isinstance(index, dict)
    assert [one["label"] for one in index["conditions"]] == ["rc1", "rc0"]
    assert {task for task, *_ in index["tasks"]} == {REPORT, PORT}
    described = block(page, "tasks")
    assert isinstance(described, list)
    assert all(task["tree"] for task in described)


def test_the_saved_run_gives_the_same_page(
    alone: Run, pytester: pytest.Pytester, heard_tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pytest_talk2agent.cli import main

    alone(heard_tasks, "--t2a-interface=python:fake_asr:Recogniser", "--t2a-report=out")
    path = pytester.path / "out" / "report.html"
    written = path.read_bytes()
    assert b'"sources":["../audio/' in written
    path.unlink()
    assert main(["report", "out"]) == 0
    assert path.read_bytes() == written
    assert "recordings are not" not in capsys.readouterr().out
