from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.wildclawbench import looks_like_task, read_checkout, read_task
from tests.tasks.importers.foreign import (
    GRADER,
    TOWERS,
    TOWERS_PROMPT,
    assert_one_line,
    markdown,
    sha256,
    write_markdown,
)


def read(folder: Path, text: str) -> Original:
    (original,) = read_task(write_markdown(folder, text))
    return original


def test_a_task_has_its_prompt_and_its_grader(tmp_path: Path) -> None:
    original = read(tmp_path, markdown())
    assert (original.benchmark, original.task) == ("wildclawbench", TOWERS)
    assert (original.prompt, original.grader) == (TOWERS_PROMPT, GRADER)
    assert original.tags == ("01_Lists", "english", "pure-text")
    assert original.path.read_text(encoding="utf-8").split("\n")[original.line - 1] == TOWERS_PROMPT.split("\n")[0]


def test_a_chinese_prompt_is_tagged_so_even_with_paths_in_it(tmp_path: Path) -> None:
    assert "chinese" in read(tmp_path, markdown(prompt="把报告存到 /tmp/a.md，并写明每座塔的名称与高度。")).tags
    assert "english" in read(tmp_path, markdown(prompt="Write the word 报告 into the file that is open.")).tags


def test_a_modality_that_is_not_there_is_no_tag(tmp_path: Path) -> None:
    assert read(tmp_path, markdown().replace("modality: pure-text\n", "")).tags == ("01_Lists", "english")


def test_headings_of_other_levels_belong_to_the_prompt(tmp_path: Path) -> None:
    prompt = "# One\n\nDo it.\n\n### Three\n\n#### Four\n\nTag it ##two."
    assert read(tmp_path, markdown(prompt=prompt)).prompt == prompt


@pytest.mark.parametrize(
    "grader",
    [
        f"## Prompt\n# the line above is a comment\n{GRADER}\n## Env",
        f'ASK = """\n```json\n{{}}\n```\nas JSON\n\n## Answer\n"""\n{GRADER}',
        f'ASK = """\n```\n"""\n{GRADER}',
        "",
    ],
    ids=["comments like headings", "a fence and a heading in a text", "half a fence", "empty"],
)
def test_what_stands_in_the_fence_is_the_grader(tmp_path: Path, grader: str) -> None:
    original = read(tmp_path, markdown(grader=grader))
    assert (original.prompt, original.grader) == (TOWERS_PROMPT, grader)


@pytest.mark.parametrize(
    "text",
    [
        markdown().partition("## Automated Checks")[0],
        markdown().replace("```python\n", "").replace(f"{GRADER}\n```", "(left out)"),
        markdown().partition("\n```\n\n## Workspace")[0],
    ],
    ids=["no section", "no fence", "no end of the fence"],
)
def test_a_checkout_without_graders_is_read(tmp_path: Path, text: str) -> None:
    original = read(tmp_path, text)
    assert (original.prompt, original.grader, original.grader_sha256) == (TOWERS_PROMPT, "", None)


SAME: dict[str, Callable[[str], str]] = {
    "timeout": lambda text: text.replace("600", "1200"),
    "keys of the front matter": lambda text: text.replace("name: A task\n", "author: us\nnetwork: {on: true}\n"),
    "no modality": lambda text: text.replace("modality: pure-text\n", ""),
    "quoted id": lambda text: text.replace(f"id: {TOWERS}", f'id:   "{TOWERS}"  '),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "blanks behind the marks": lambda text: text.replace("---\n", "---  \n").replace("```\n", "```  \n"),
    "blanks behind the headings": lambda text: re.sub("^(## .*)$", "\\1\t ", text, flags=re.MULTILINE),
    "blank lines": lambda text: text.replace("\n## ", "\n\n\n## ").replace("```python\n", "```python\n\n"),
    "another name of the language": lambda text: text.replace("```python", "```py"),
    "no sections behind": lambda text: text.partition("## Workspace Path")[0],
    "another section": lambda text: text.replace("## Env", "## Author"),
    "Expected Behavior": lambda text: text.replace("The agent does it.", "It is done by the agent."),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_what_is_neither_prompt_nor_grader_changes_no_fingerprint(tmp_path: Path, change: Callable[[str], str]) -> None:
    text = markdown()
    assert change(text) != text
    path = write_markdown(tmp_path)
    path.write_bytes(change(text).encode())
    (original,) = read_task(path)
    assert original.task == TOWERS
    assert (original.prompt_sha256, original.grader_sha256) == (sha256(TOWERS_PROMPT), sha256(GRADER))


def test_the_first_section_of_a_name_counts(tmp_path: Path) -> None:
    assert read(tmp_path, f"{markdown()}\n## Prompt\n\nAnother.\n").prompt == TOWERS_PROMPT


def test_a_change_of_prompt_or_grader_changes_its_fingerprint_alone(tmp_path: Path) -> None:
    old = read(tmp_path, markdown())
    prompt = read(tmp_path, markdown(prompt=TOWERS_PROMPT.replace("Norway", "Sweden")))
    grader = read(tmp_path, markdown(grader=GRADER.replace("1.0", "0.5")))
    assert prompt.prompt_sha256 != old.prompt_sha256 == grader.prompt_sha256
    assert grader.grader_sha256 != old.grader_sha256 == prompt.grader_sha256


BAD = {
    "no front matter": (markdown().partition("## Prompt")[2], "1:1: no front matter; a task begins with lines between"),
    "front matter without an end": (markdown().replace("\n---\n", "\n", 1), "1:1: no front matter;"),
    "no id": (markdown().replace(f"id: {TOWERS}\n", ""), "1:1: the front matter has no `id:`; a task needs one"),
    "empty id": (markdown(task=""), "1:1: the front matter has no `id:`;"),
    "no prompt": (markdown().replace("## Prompt", "## Ask"), "1:1: no text under `## Prompt`; a task needs a prompt"),
    "empty prompt": (markdown(prompt="  "), "1:1: no text under `## Prompt`;"),
    "empty file": ("", "1:1: no front matter;"),
}


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_task_is_rejected_with_one_line(tmp_path: Path, text: str, expected: str) -> None:
    path = write_markdown(tmp_path, text)
    with pytest.raises(TaskFileError) as caught:
        list(read_task(path))
    assert_one_line(caught.value, f"{path}:{expected}")


class TestCheckout:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        write_markdown(tmp_path)
        write_markdown(tmp_path, task="11_Gardens_task_7_hedge", category="11_Gardens")
        write_markdown(tmp_path, markdown("task0_template"), task="task0_template", category=".")
        (tmp_path / "tasks" / "README.md").write_text("# How to write a task\n")
        return tmp_path

    @pytest.mark.parametrize("name", ["", "tasks"])
    def test_every_category_is_read_and_the_template_is_not(self, root: Path, name: str) -> None:
        checkout = read_checkout(root / name)
        assert list(checkout.originals) == [TOWERS, "11_Gardens_task_7_hedge"]
        assert checkout.rejected == ()

    def test_one_category_or_one_file_will_do(self, root: Path) -> None:
        for name in ("tasks/01_Lists", f"tasks/01_Lists/{TOWERS}.md"):
            assert list(read_checkout(root / name).originals) == [TOWERS]

    def test_a_broken_file_is_named_and_the_others_are_read(self, root: Path) -> None:
        path = write_markdown(root, "no task", task="01_Lists_task_0_broken")
        checkout = read_checkout(root)
        assert len(checkout.originals) == 2
        assert [problem.path for problem in checkout.rejected] == [path]

    def test_an_id_that_two_files_have_is_rejected(self, root: Path) -> None:
        write_markdown(root, markdown(TOWERS), task="11_Gardens_task_8_towers", category="11_Gardens")
        (problem,) = read_checkout(root).rejected
        assert f"the task `{TOWERS}` is in {root}/tasks/01_Lists/{TOWERS}.md too" in problem.message

    def test_a_folder_without_tasks_is_refused(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(TaskFileError) as caught:
                read_checkout(path)
            assert str(caught.value) == f"{path}: no WildClawBench task; name a checkout with tasks/<category>/<id>.md"


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        (markdown(), True),
        (markdown(prompt=""), True),  # a task that is broken is still one, and worth an error
        ("# Prompt\n", False),
        ("---\ntitle: a\n---\n\n## Prompt\n", False),
        ("---\nid: a\n---\n\n## Usage\n", False),
    ],
)
def test_a_task_is_known_by_its_front_matter_and_its_prompt(text: str, looks: bool) -> None:
    assert looks_like_task(text) is looks
