"""What a task file may lead to: its own folder, the project around it, and what an option names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.files import is_inside, project_of
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest

TASK = """\
id: a
instruction: Open it.
intentions: {it: {say: it}}
value: it
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A task file in ``work/suite``, beside a home with secrets and below no project."""
    (tmp_path / "home" / "deeper").mkdir(parents=True)
    (tmp_path / "home" / "payroll_2026.csv").touch()
    (tmp_path / "home" / "screen.png").touch()
    (tmp_path / "home" / "memo.wav").touch()
    suite = tmp_path / "work" / "suite"
    (suite / "inner").mkdir(parents=True)
    (suite / "inner" / "report.md").touch()
    (suite / "inner" / "amy.wav").touch()
    (suite / "linked").symlink_to(tmp_path / "home")
    (suite / "linked.png").symlink_to(tmp_path / "home" / "screen.png")
    (suite / "linked.wav").symlink_to(tmp_path / "home" / "memo.wav")
    (suite / "here").symlink_to("inner")

    def writes(more: str) -> Path:
        (suite / "tasks.yaml").write_text(f"{TASK}{more}\n", encoding="utf-8")
        return suite / "tasks.yaml"

    return writes


def refusal(path: Path, *roots: list[Path]) -> str:
    with pytest.raises(TaskFileError) as caught:
        load_tasks(path, *roots)
    (problem,) = caught.value.problems
    return f"{problem.line}:{problem.column}: {problem.message}"


CONTEXT = [
    "workspace: /etc",
    "workspace: ../../home",
    "workspace: inner/../../../home",
    "workspace: linked",
    "workspace: linked/deeper",
    "workspace: ..",
    "screenshots: [../../home/screen.png]",
    "screenshots: [linked.png]",
    "screenshots: [linked/screen.png]",
]


class TestContext:
    @pytest.mark.parametrize("context", CONTEXT)
    def test_what_leads_out_is_refused_at_its_place(self, write: Write, context: str) -> None:
        text = refusal(write(f"context: {{{context}}}"))
        assert text.startswith(f"5:{len('context: {') + context.index(': ') + 3 + context.count('[')}: ")
        assert "leads out of the task file's folder; name a folder around it in the ini key t2a_roots" in text

    @pytest.mark.parametrize("context", CONTEXT)
    def test_nothing_of_it_is_looked_at(self, write: Write, context: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def never(*arguments: object, **options: object) -> None:
            raise AssertionError("a folder was read")

        path = write(f"context: {{{context}}}")
        for name in ("scandir", "listdir"):
            monkeypatch.setattr(os, name, never)
        refusal(path)

    @pytest.mark.parametrize("context", CONTEXT[1:])
    def test_a_folder_that_an_option_names(self, write: Write, tmp_path: Path, context: str) -> None:
        assert load_tasks(write(f"context: {{{context}}}"), [], [tmp_path])

    def test_folders_of_recordings_are_none_of_context(self, write: Write, tmp_path: Path) -> None:
        assert "t2a_roots" in refusal(write("context: {workspace: ../../home}"), [tmp_path])

    def test_a_project_around_it_does_not_widen_it(self, write: Write, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").touch()
        assert "t2a_roots" in refusal(write("context: {workspace: ../../home}"))

    @pytest.mark.parametrize("workspace", ["inner", "./inner/", "here", "inner/../inner", "."])
    def test_what_stays_inside_is_read(self, write: Write, workspace: str) -> None:
        (task,) = load_tasks(write(f"context: {{workspace: {workspace}}}"))
        assert any(name.endswith("report.md") for name in task.files)


RECORDINGS = ["../../home/memo.wav", "linked.wav", "linked/memo.wav", "inner/../../../home/memo.wav", "ABSOLUTE"]


class TestRecordings:
    def named(self, audio: str, tmp_path: Path) -> str:
        return audio.replace("ABSOLUTE", str(tmp_path / "home" / "memo.wav"))

    @pytest.mark.parametrize("audio", RECORDINGS)
    def test_what_lies_outside_of_the_project_is_refused(self, write: Write, tmp_path: Path, audio: str) -> None:
        (tmp_path / "work" / "pyproject.toml").touch()
        text = refusal(write(f"recordings: [{{audio: {self.named(audio, tmp_path)}}}]"))
        assert text.startswith("5:22: ")
        assert text.endswith("lies outside of the project; name its folder in the ini key t2a_audio")

    @pytest.mark.parametrize("audio", RECORDINGS)
    def test_folders_that_options_name(self, write: Write, tmp_path: Path, audio: str) -> None:
        path = write(f"recordings: [{{audio: {self.named(audio, tmp_path)}}}]")
        assert load_tasks(path, [tmp_path / "home"])
        assert load_tasks(path, [], [tmp_path / "home"])

    @pytest.mark.parametrize("marker", ["pyproject.toml", "pytest.ini", ".git", "setup.cfg"])
    def test_a_project_holds_its_recordings(self, write: Write, tmp_path: Path, marker: str) -> None:
        (tmp_path / marker).touch()
        assert load_tasks(write("recordings: [{audio: ../../home/memo.wav}]"))

    def test_so_does_the_folder_that_the_command_is_run_in(
        self, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write("recordings: [{audio: ../../home/memo.wav}]")
        assert "t2a_audio" in refusal(path)
        monkeypatch.chdir(tmp_path)
        assert load_tasks(path)
        monkeypatch.chdir(tmp_path / "home")
        assert "t2a_audio" in refusal(path)

    def test_what_is_not_there_is_a_missing_recording(self, write: Write) -> None:
        assert load_tasks(write("recordings: [{audio: ../../home/gone.wav}]"))

    def test_a_manifest_is_held_to_the_same(self, tmp_path: Path, write: Write) -> None:
        write("")
        path = tmp_path / "work" / "suite" / "manifest.jsonl"
        path.write_text('{"task": "a", "audio": "inner/amy.wav"}\n{"task": "a", "audio": "linked.wav"}\n')
        with pytest.raises(TaskFileError, match=r"manifest\.jsonl:2:1: .*lies outside of the project"):
            read_manifest(path)
        assert len(read_manifest(path, [tmp_path / "home"]).recordings["a"]) == 2


def test_the_root_of_the_file_system_is_no_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir("/")
    assert Path("/") not in project_of(tmp_path)


def test_a_circle_of_links_is_inside_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "ring").symlink_to("ring")
    assert not is_inside(tmp_path / "ring" / "x", [tmp_path / "other"])
