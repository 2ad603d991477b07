"""``talk2agent dataset``: from two tasks and their recordings to tables, faults, a card, a folder and back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.conftest import PORT, REPORT
from tests.recording.dataset.conftest import ROOT, Small


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Small:
    monkeypatch.chdir(tmp_path)
    made = Small(tmp_path)
    made.add(REPORT, "a.flac", 0, speaker="amy")
    made.add(PORT, "b.flac", 1, speaker="amy")
    return made


def test_statistics_are_those_that_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "recording.md").read_text(encoding="utf-8")
    _, _, after = page.partition("talk2agent dataset stats suites/git suites/desktop\n```\n\n```text\n")
    suites = [str(ROOT / "suites" / name) for name in ("git", "desktop")]
    assert main(["dataset", "stats", *suites]) == 0
    out = capsys.readouterr().out
    assert out.startswith(after.partition("```")[0])
    assert "joe      -      5      5           1.6      8.86" in out
    assert main(["dataset", "stats", *suites, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["collections"][0]["recordings"] == 7


def test_a_manifest_that_names_another_task(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    small.rows[1]["task"] = "nobody"
    assert main(["dataset", "stats", "tasks.yaml", "--manifest", str(small.manifest)]) == 0
    out = capsys.readouterr().out
    assert f"without a recording: {PORT}" in out
    assert "in the manifest, and of no suite: nobody" in out


def test_faults_are_listed_and_make_the_status(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    (small.folder / "b.flac").write_bytes(b"x")
    arguments = ["dataset", "check", "tasks.yaml", "--manifest", str(small.manifest)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"fault: {PORT}[amy]: {small.folder / 'b.flac'}: its SHA-256 is ")
    assert out.endswith("2 recordings: 1 fault, 0 warnings\n")
    assert main([*arguments, "--json"]) == 1
    assert [row["code"] for row in json.loads(capsys.readouterr().out)] == ["unreadable"]


def test_a_real_recogniser_finds_recordings_that_were_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("faster_whisper", reason="hears the recordings")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "suites" / "git", tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "fixtures_audio" / "git", tmp_path / "audio" / "git")
    path = tmp_path / "tasks.yaml"
    text = path.read_text(encoding="utf-8")
    first, second = "git/hotfix-branch.joe.flac", "git/cut-release.joe.flac"
    lines = []
    for line in text.splitlines():
        one = line.partition(", sha256:")[0] + "}" if ", sha256:" in line else line
        swapped = {first: second, second: first}
        lines.append(next((one.replace(a, b) for a, b in swapped.items() if a in one), one))
    path.write_text("\n".join(lines).replace("../../fixtures_audio", "audio"), encoding="utf-8")
    (tmp_path / "pytest.ini").touch()
    assert main(["dataset", "check", "tasks.yaml", "--check", "whisper:tiny.en", "--json"]) == 1
    found = [row for row in json.loads(capsys.readouterr().out) if row["code"] == "mismatch"]
    assert [(row["severity"], row["where"]) for row in found] == [
        ("fault", "git/hotfix-branch[joe]"),
        ("fault", "git/cut-release[joe]"),
    ]
    assert "the script of `git/cut-release` fits better" in found[0]["text"]


def test_a_card(small: Small, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["dataset", "card", "tasks.yaml", "--manifest", str(small.manifest), "--licence", "cc0-1.0"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("---\nlanguage:\n- en\n")
    assert main([*arguments, "--out", "CARD.md", "--title", "Desk"]) == 0
    assert "# Desk" in Path("CARD.md").read_text(encoding="utf-8")
    assert main([*arguments, "--out", "CARD.md"]) == 2
    assert "CARD.md is there already" in capsys.readouterr().err


@pytest.mark.parametrize("layout", ["audiofolder", "paper"])
def test_export_and_import_give_what_pytest_reads(
    small: Small, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = str(small.manifest)
    assert main(["dataset", "export", "tasks.yaml", "--manifest", manifest, "--out", "hub", "--layout", layout]) == 0
    assert "hub: 2 recordings" in capsys.readouterr().out
    assert main(["dataset", "import", "hub", "--out", "again.jsonl"]) == 0
    assert capsys.readouterr().out == "again.jsonl: 2 recordings of 2 tasks\n"
    found = read_manifest(Path("again.jsonl")).recordings
    assert {name: [one.speaker for one in own] for name, own in found.items()} == {REPORT: ["amy"], PORT: ["amy"]}
    assert main(["dataset", "check", "tasks.yaml", "--manifest", "again.jsonl"]) == 0


def test_a_folder_elsewhere_is_to_be_named(
    small: Small, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path_factory.mktemp("elsewhere") / "hub"
    main(["dataset", "export", "tasks.yaml", "--manifest", str(small.manifest), "--out", str(out)])
    assert main(["dataset", "import", str(out), "--out", "again.jsonl"]) == 0
    assert f"t2a_audio = {out}" in capsys.readouterr().out
    assert len(read_manifest(Path("again.jsonl"), [out]).recordings) == 2


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["stats"], "name suites, a manifest with --manifest, or both"),
        (["stats", "nowhere"], "no such file or folder"),
        (["stats", "--manifest", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["check", "--manifest", "manifest.jsonl", "--check", "text"], "name the suites"),
        (["check", "tasks.yaml", "--manifest", "manifest.jsonl", "--check", "whispr"], "whispr"),
        (["import", "nowhere", "--out", "x.jsonl"], "no metadata.jsonl or metadata.csv in it"),
        (["import", ".", "--out", "tasks.yaml"], "tasks.yaml is there already"),
        (["import", ".", "--out", "x.jsonl", "--column", "age=years"], "write KEY=NAME with one of task, take"),
        (["export", "tasks.yaml", "--manifest", "manifest.jsonl", "--out", "."], ". is there already and not empty"),
    ],
)
def test_what_is_refused(small: Small, capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str) -> None:
    assert small.manifest.exists()
    assert main(["dataset", *arguments]) == 2
    assert fault in capsys.readouterr().err
