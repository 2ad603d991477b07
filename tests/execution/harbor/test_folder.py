from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pytest_talk2agent.execution.harbor.folder import HarborTask, HarborTasks
from pytest_talk2agent.execution.session import InfrastructureError
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.task import Task
from tests.execution.harbor.conftest import FILES, PROMPT, write_compiled, write_task

PREAMBLE = "You are an expert in a restricted, offline environment.\nYou have a while."


def found(root: Path, task: Task) -> HarborTask:
    folder = HarborTasks(root).of(task)
    assert folder is not None
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_copy_differs_in_the_instruction_alone(folder: Path, compiled: Task, tmp_path: Path) -> None:
    (folder / "tests" / "empty").mkdir()
    found(folder.parent, compiled).copy(tmp_path / "copy", "héard\nso ")
    copied, original = contents(tmp_path / "copy"), contents(folder)
    assert copied.pop("instruction.md") == "héard\nso ".encode()
    original.pop("instruction.md")
    assert copied == original
    assert os.access(tmp_path / "copy" / "tests" / "test.sh", os.X_OK)
    assert (tmp_path / "copy" / "tests" / "empty").is_dir()


def test_the_text_of_the_system_stays_before_it(compiled: Task, tmp_path: Path) -> None:
    toml = f"{FILES['task.toml']}[metadata]\nwildclawbench_id = '09_Own_task_1_word'\n"
    write_task(tmp_path / "wcb", {"task.toml": toml, "instruction.md": f"{PREAMBLE}\n\n{PROMPT}\n"})
    source = compiled.source.model_copy(update={"benchmark": "wildclawbench", "task": "09_Own_task_1_word"})
    task = compiled.replaced(source=source)
    folder = found(tmp_path / "wcb", task)
    assert folder.preamble == f"{PREAMBLE}\n\n"
    folder.copy(tmp_path / "copy", "heard")
    assert (tmp_path / "copy" / "instruction.md").read_text() == f"{PREAMBLE}\n\nheard"
    unbound = task.replaced(instruction="")
    assert HarborTasks(tmp_path / "wcb").bind(unbound).instruction == PROMPT


@pytest.mark.parametrize("name", [name for name in FILES if name != "instruction.md"])
def test_the_digest_covers_every_other_file(folder: Path, compiled: Task, name: str) -> None:
    before = found(folder.parent, compiled).digest
    path = folder / name
    path.write_text(path.read_text().replace(path.read_text()[:1], "#", 1) + "\n")
    assert found(folder.parent, compiled).digest != before


def test_the_digest_covers_names_and_what_may_be_executed(folder: Path, compiled: Task) -> None:
    digests = [found(folder.parent, compiled).digest]
    (folder / "tests" / "test.sh").chmod(0o644)
    digests.append(found(folder.parent, compiled).digest)
    (folder / "environment" / "notes.txt").rename(folder / "environment" / "note.txt")
    digests.append(found(folder.parent, compiled).digest)
    assert len(set(digests)) == 3


def test_a_folder_that_changes_meanwhile_is_not_run(
    folder: Path, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = found(folder.parent, compiled)
    assert task.digest
    (folder / "tests" / "test.sh").write_text("echo 1 > /logs/verifier/reward.txt\n")
    with pytest.raises(InfrastructureError, match="changed while it was copied"):
        task.copy(tmp_path / "copy", "x")


def test_halves_of_characters(folder: Path, compiled: Task, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="halves of characters"):
        found(folder.parent, compiled).copy(tmp_path / "copy", "\ud800")


def test_links_within_the_checkout_are_followed_and_others_refused(
    folder: Path, compiled: Task, tmp_path: Path
) -> None:
    (folder.parent / "shared.txt").write_text("shared")
    (folder / "environment" / "shared.txt").symlink_to(folder.parent / "shared.txt")
    found(folder.parent, compiled).copy(tmp_path / "copy", "x")
    copied = tmp_path / "copy" / "environment" / "shared.txt"
    assert copied.read_text() == "shared"
    assert not copied.is_symlink()
    (tmp_path / "secret").write_text("x")
    (folder / "environment" / "secret").symlink_to(tmp_path / "secret")
    with pytest.raises(TaskFileError, match="leads out of"):
        found(folder.parent, compiled).copy(tmp_path / "again", "x")


@pytest.mark.parametrize("kind", ["pipe", "ring"])
def test_what_is_no_file(folder: Path, compiled: Task, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(folder / "tests" / "pipe")
    else:
        (folder / "tests" / "ring").symlink_to(folder)
    with pytest.raises(TaskFileError, match="take it away"):
        assert found(folder.parent, compiled).digest


def test_the_time_of_its_phases(compiled: Task, tmp_path: Path) -> None:
    write_task(tmp_path / "a" / "word")
    task = found(tmp_path / "a", compiled)
    assert (task.agent_seconds, task.seconds) == (20, 600 + 600 + 20 + 20)
    write_task(tmp_path / "b" / "word", {"task.toml": '[task]\nname = "own/word"\n[agent]\ntimeout_sec = "x"\n'})
    assert found(tmp_path / "b", compiled).agent_seconds == 600


def test_another_prompt_or_grader_is_refused(folder: Path, compiled: Task, tmp_path: Path) -> None:
    other = write_compiled(tmp_path / "other.yaml", "Write it.")
    with pytest.raises(ValueError, match=r"other\.yaml:1: own/word: the prompt of .* is another one"):
        HarborTasks(folder.parent).of(other)
    source = compiled.source.model_copy(update={"grader_sha256": "0" * 64})
    with pytest.raises(ValueError, match=r"the grader of .* is another one"):
        HarborTasks(folder.parent).of(compiled.replaced(source=source))


def test_a_task_that_is_not_there(folder: Path, compiled: Task) -> None:
    tasks = HarborTasks(folder.parent)
    source = compiled.source.model_copy(update={"task": "words"})
    with pytest.raises(ValueError, match="has no Harbor task 'words'"):
        tasks.of(compiled.replaced(source=source))
    assert tasks.of(compiled.replaced(source=source.model_copy(update={"benchmark": "osworld"}))) is None
    shutil.rmtree(folder)
    with pytest.raises(TaskFileError, match="no Harbor task"):
        HarborTasks(folder.parent)
