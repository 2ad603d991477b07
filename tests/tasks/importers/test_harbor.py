from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers import wildclawbench
from pytest_talk2agent.tasks.importers.harbor import read_checkout, read_task
from pytest_talk2agent.tasks.importers.original import Original
from tests.tasks.importers.foreign import (
    GRADER,
    HARBOR,
    TOWERS,
    TOWERS_PROMPT,
    write_harbor,
    write_markdown,
)

WILDCLAWBENCH = f"{HARBOR}\n".replace('author = "us"', f'wildclawbench_id = "{TOWERS}"')
PREAMBLE = "You are an expert in a restricted, offline environment.\nYou have a while."


def read(path: Path) -> Original:
    (original,) = read_task(path)
    return original


@pytest.mark.parametrize("place", ["instruction.md", "steps/run/instruction.md"])
def test_the_instruction_stands_beside_the_file_or_in_its_step(tmp_path: Path, place: str) -> None:
    original = read(write_harbor(tmp_path, place=place))
    assert (original.benchmark, original.task) == ("harbor", "fix-clock")
    assert (original.prompt, original.grader) == ("Set the clock to 09:30.", GRADER)
    assert (original.tags, original.path) == (("clock", "time"), tmp_path / place)


@pytest.mark.parametrize(
    ("toml", "name"),
    [
        ("[task]\nname = 'fix-clock'\n", "fix-clock"),
        ("[task]\nname = 'own/'\n", "own"),
        ("[task]\n", "folder"),
        ("", "folder"),
        ("task = 'text'\nmetadata = 3\n", "folder"),
    ],
)
def test_a_task_without_a_name_has_that_of_its_folder(tmp_path: Path, toml: str, name: str) -> None:
    original = read(write_harbor(tmp_path / "folder", toml))
    assert (original.task, original.tags) == (name, ())


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:
    assert read(write_harbor(tmp_path, f"{HARBOR}\n[agent]\nx = [1]\n")).task == "fix-clock"


def test_a_wildclawbench_task_is_the_one_of_the_markdown(tmp_path: Path) -> None:
    path = write_harbor(
        tmp_path / "harbor", WILDCLAWBENCH, f"{PREAMBLE}\n\n{TOWERS_PROMPT}", "steps/run/instruction.md"
    )
    original = read(path)
    (markdown,) = wildclawbench.read_task(write_markdown(tmp_path))
    assert (original.benchmark, original.task) == (markdown.benchmark, markdown.task)
    assert original.prompt_sha256 == markdown.prompt_sha256
    assert original.grader_sha256 == markdown.grader_sha256


def test_only_the_text_of_the_system_is_taken_away(tmp_path: Path) -> None:
    assert read(write_harbor(tmp_path / "a", WILDCLAWBENCH, "List it.\n\nSave it.")).prompt == "List it.\n\nSave it."
    assert read(write_harbor(tmp_path / "b", HARBOR, f"{PREAMBLE}\n\nList it.")).prompt == f"{PREAMBLE}\n\nList it."


def test_the_grader_is_the_python_file_that_grades_else_the_script(tmp_path: Path) -> None:
    path = write_harbor(tmp_path)
    (tmp_path / "tests" / "a_helper.py").write_text("# def grade(\nX = 1\n")
    (tmp_path / "tests" / "test.sh").write_text("#!/bin/sh\npython grade_source.py\n")
    assert read(path).grader == GRADER
    (tmp_path / "tests" / "grade_source.py").unlink()
    assert read(path).grader == "#!/bin/sh\npython grade_source.py"
    (tmp_path / "tests" / "test.sh").unlink()
    assert read(path).grader_sha256 is None


def refusal(path: Path) -> str:
    with pytest.raises(TaskFileError) as caught:
        list(read_task(path))
    assert str(caught.value).count("\n") == 0
    return str(caught.value)


def test_what_is_no_task_is_rejected_with_one_line(tmp_path: Path) -> None:
    path = write_harbor(tmp_path, "[task\n")
    assert refusal(path).startswith(f"{path}:1:1: not TOML: ")
    path.write_text(HARBOR)
    (tmp_path / "instruction.md").write_text(" \n")
    assert refusal(path) == f"{tmp_path}/instruction.md:1:1: the instruction is empty; write it"
    (tmp_path / "instruction.md").unlink()
    assert refusal(path).startswith(f"{path}:1:1: no instruction.md beside it or in a step;")


def test_a_task_of_several_steps_is_rejected_by_their_names(tmp_path: Path) -> None:
    for place in ("steps/a/instruction.md", "steps/b/instruction.md"):
        path = write_harbor(tmp_path, place=place)
    message = "several instructions (steps/a/instruction.md, steps/b/instruction.md); a task of several steps"
    assert refusal(path).startswith(f"{path}:1:1: {message}")


def test_a_wildclawbench_task_of_nothing_but_its_preamble_is_empty(tmp_path: Path) -> None:
    assert "the instruction is empty" in refusal(write_harbor(tmp_path, WILDCLAWBENCH, PREAMBLE))


def test_a_folder_of_tasks_one_folder_or_one_file(tmp_path: Path) -> None:
    write_harbor(tmp_path / "a")
    write_harbor(tmp_path / "b", HARBOR.replace("fix-clock", "set-alarm"))
    broken = write_harbor(tmp_path / "c", "[")
    checkout = read_checkout(tmp_path)
    assert list(checkout.originals) == ["fix-clock", "set-alarm"]
    assert [problem.path for problem in checkout.rejected] == [broken]
    assert list(read_checkout(tmp_path / "b").originals) == ["set-alarm"]
    assert list(read_checkout(tmp_path / "b" / "task.toml").originals) == ["set-alarm"]


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match=r"no Harbor task; name a folder of folders with task\.toml"):
        read_checkout(tmp_path)


class TestLinks:
    """A checkout comes from a stranger: what its links lead to is read only where it is a part of it."""

    @pytest.fixture
    def secret(self, tmp_path: Path) -> Path:
        path = tmp_path / "etc" / "shadow"
        path.parent.mkdir()
        path.write_text("root:$6$secret:19000::", encoding="utf-8")
        return path

    @pytest.mark.parametrize("name", ["instruction.md", "tests/grade_source.py", "tests/test.sh", "task.toml"])
    def test_one_that_leads_out_of_the_checkout_is_refused(self, tmp_path: Path, secret: Path, name: str) -> None:
        root = tmp_path / "checkout"
        place = write_harbor(root / "clock").parent / name
        if name == "tests/test.sh":
            (place.parent / "grade_source.py").unlink()
        place.unlink(missing_ok=True)
        place.symlink_to(secret)
        checkout = read_checkout(root)
        assert checkout.originals == {}
        (problem,) = checkout.rejected
        assert str(problem) == f"{place}: leads out of {root}; put the file itself there"

    def test_so_is_a_linked_folder(self, tmp_path: Path, secret: Path) -> None:
        folder = write_harbor(tmp_path / "checkout").parent
        (folder / "instruction.md").unlink()
        (secret.parent / "instruction.md").write_text("secret")
        (folder / "steps").mkdir()
        (folder / "steps" / "one").symlink_to(secret.parent)
        assert read_checkout(folder).originals == {}

    def test_one_task_is_held_to_its_own_folder(self, tmp_path: Path, secret: Path) -> None:
        toml = write_harbor(tmp_path / "clock")
        (toml.parent / "instruction.md").unlink()
        (toml.parent / "instruction.md").symlink_to(secret)
        with pytest.raises(TaskFileError, match="leads out of"):
            read(toml)

    def test_what_is_shared_inside_the_checkout_is_read(self, tmp_path: Path) -> None:
        folder = write_harbor(tmp_path / "tasks" / "clock").parent
        (tmp_path / "shared.md").write_text("Set it.")
        (folder / "instruction.md").unlink()
        (folder / "instruction.md").symlink_to(tmp_path / "shared.md")
        (original,) = read_checkout(tmp_path).originals.values()
        assert original.prompt == "Set it."


def test_toml_nested_without_end_is_one_line(tmp_path: Path) -> None:
    path = write_harbor(tmp_path, "a = " + "[" * 100_000)
    with pytest.raises(TaskFileError, match=r"task\.toml:1:1: not TOML: .*; restore the file$"):
        read(path)
