from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.draft import proposed_tasks
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.osworld import canonical, in_subset, read_checkout, read_task
from pytest_talk2agent.tasks.importers.registry import format_of
from tests.tasks.importers.foreign import (
    FONT,
    FONT_PROMPT,
    ICONS,
    RULES,
    assert_one_line,
    settings,
    sha256,
    write_json,
    write_markdown,
)


def read(folder: Path, task: dict[str, Any]) -> Original:
    (original,) = read_task(write_json(folder, task))
    return original


def test_a_task_has_its_instruction_and_its_evaluator(tmp_path: Path) -> None:
    original = read(tmp_path, settings())
    assert (original.benchmark, original.task) == ("osworld", f"vs_code/{FONT}")
    assert original.prompt == FONT_PROMPT
    assert json.loads(original.grader) == RULES
    assert original.extra == {"evaluator": RULES}
    assert original.tags == ("vs_code", "os", "paper-subset")
    assert '"instruction"' in original.path.read_text(encoding="utf-8").split("\n")[original.line - 1]


def test_the_instruction_is_stripped_and_has_line_feeds(tmp_path: Path) -> None:
    original = read(tmp_path, settings(instruction=" Do this.\r\nThen\u2028that.\n"))
    assert original.prompt == "Do this.\nThen\u2028that."
    assert original.prompt_sha256 == sha256(original.prompt)


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:
    old, new = read(tmp_path, settings()), read(tmp_path, settings(hint="x", env_may_change=[1], trajectory=None))
    assert (old.prompt_sha256, old.grader_sha256, old.tags) == (new.prompt_sha256, new.grader_sha256, new.tags)


def test_the_fingerprint_of_an_evaluator_does_not_depend_on_the_order_of_its_keys(tmp_path: Path) -> None:
    turned = dict(reversed(RULES.items())) | {"result": {"path": "/home/user/settings.json", "type": "vm_file"}}
    assert list(turned) != list(RULES)
    old, new = read(tmp_path, settings()), read(tmp_path, settings(turned))
    assert old.grader_sha256 == new.grader_sha256 == sha256(canonical(RULES))


@pytest.mark.parametrize(
    "other", [{**RULES, "func": "check_json"}, {**RULES, "options": {}}, {**RULES, "conj": "or"}], ids=str
)
def test_another_evaluator_has_another_fingerprint(tmp_path: Path, other: dict[str, Any]) -> None:
    assert read(tmp_path, settings(other)).grader_sha256 != read(tmp_path, settings()).grader_sha256


def test_the_order_of_a_list_counts() -> None:
    assert canonical({"func": ["a", "b"]}) != canonical({"func": ["b", "a"]})


def test_the_canonical_form_is_one_line_without_blanks_and_keeps_its_characters() -> None:
    assert canonical({"b": [1, 0.5, None], "a": {"ü": "x y"}}) == '{"a":{"ü":"x y"},"b":[1,0.5,null]}'


def test_byte_order_mark_and_line_ends_change_nothing(tmp_path: Path) -> None:
    path = write_json(tmp_path)
    (old,) = read_task(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    (new,) = read_task(path)
    assert (new.prompt_sha256, new.grader_sha256, new.line) == (old.prompt_sha256, old.grader_sha256, old.line)


class TestThePapersSubset:
    @pytest.mark.parametrize(
        ("more", "tag"),
        [
            ({}, "paper-subset"),
            ({"config": []}, "paper-subset"),
            ({"config": None}, "paper-subset"),
            ({"config": 3}, "paper-subset"),
            ({"config": [{"type": "googledrive", "parameters": {}}]}, "outside-paper-subset"),
            ({"instruction": "Set the font to “Minutes”."}, "outside-paper-subset"),
            ({"instruction": "Set the font to Minutes.\u00a0"}, "paper-subset"),  # it is stripped
        ],
        ids=str,
    )
    def test_ascii_words_and_no_drive(self, tmp_path: Path, more: dict[str, Any], tag: str) -> None:
        assert read(tmp_path, settings(**more)).tags[-1] == tag

    @pytest.mark.parametrize(("text", "inside"), [(FONT_PROMPT, True), (f"{FONT_PROMPT} Ü", False)])
    def test_a_task_is_in_it_by_its_tag(self, tmp_path: Path, text: str, inside: bool) -> None:
        path = write_json(tmp_path, settings(instruction=text))
        known = format_of(path)
        assert known is not None
        assert [in_subset(task) for task in proposed_tasks(path, known)] == [inside]

    def test_tasks_of_other_benchmarks_are_not_left_out(self, tmp_path: Path) -> None:
        path = write_markdown(tmp_path)
        known = format_of(path)
        assert known is not None
        assert [in_subset(task) for task in proposed_tasks(path, known)] == [True]


DEEP = f'{{"instruction": "a", "evaluator": {"[" * 200_000}'
BAD = {
    "no JSON": ('{\n "id": "a",\n "instruction" "b"}', "3:1: not JSON: Expecting ':' delimiter; restore the file"),
    "empty": ("", "1:1: not JSON: Expecting value; restore the file"),
    "a list": ("[1]", "1:1: no `evaluator` with a `func`; an OSWorld task needs one"),
    "no evaluator": (json.dumps({"id": "a", "instruction": "b"}), "1:1: no `evaluator` with a `func`;"),
    "evaluator without func": (json.dumps(settings({"result": {}})), "1:1: no `evaluator` with a `func`;"),
    "empty func": (json.dumps(settings({"func": []})), "1:1: no `evaluator` with a `func`;"),
    "no id": (json.dumps(settings(id=None)), "1:1: no `id` or no `instruction`; an OSWorld task needs both"),
    "no instruction": (json.dumps({"id": "a", "evaluator": RULES}), "1:1: no `id` or no `instruction`;"),
    "blank instruction": (json.dumps(settings(instruction=" \n")), "1:1: no `id` or no `instruction`;"),
    "instruction that is a list": (
        json.dumps(settings() | {"instruction": ["a"]}),
        "1:1: no `id` or no `instruction`;",
    ),
    "half a character": (json.dumps(settings(instruction="a \ud83d b")), "1:1: an escape that is half of a character"),
    "half a character in the evaluator": (json.dumps(settings({"func": "\udfff"})), "1:1: an escape that is half of"),
    "endless nesting": (DEEP, "1:1: JSON that cannot be read: "),
    "endless number": (f'{{"evaluator": {"9" * 10_000}}}', "1:1: JSON that cannot be read: "),
}


@pytest.mark.parametrize(("text", "expected"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_task_is_rejected_with_one_line(tmp_path: Path, text: str, expected: str) -> None:
    path = write_json(tmp_path)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TaskFileError) as caught:
        list(read_task(path))
    assert_one_line(caught.value, f"{path}:{expected}")


class TestCheckout:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        write_json(tmp_path)
        write_json(tmp_path, settings(id=ICONS), domain="os")
        examples = tmp_path / "evaluation_examples"
        (examples / "test_all.json").write_text('{"vs_code": []}')
        (examples / "examples" / "index.json").write_text("{}")
        windows = examples / "examples_windows" / "os" / "w.json"
        windows.parent.mkdir(parents=True)
        windows.write_text(json.dumps(settings(id="w")))
        (tmp_path / "package.json").write_text("{}")
        return tmp_path

    @pytest.mark.parametrize("name", ["", "evaluation_examples"])
    def test_every_domain_is_read_and_no_list_of_tasks(self, root: Path, name: str) -> None:
        checkout = read_checkout(root / name)
        assert list(checkout.originals) == [f"os/{ICONS}", f"vs_code/{FONT}"]
        assert checkout.rejected == ()

    def test_tasks_in_a_folder_of_another_name_are_read_too(self, root: Path) -> None:
        examples = root / "evaluation_examples"
        (examples / "examples").rename(root / "elsewhere")
        checkout = read_checkout(examples)
        assert (list(checkout.originals), checkout.rejected) == (["os/w"], ())

    @pytest.mark.parametrize("name", ["os", f"os/{ICONS}.json"])
    def test_one_domain_or_one_file_will_do(self, root: Path, name: str) -> None:
        assert list(read_checkout(root / "evaluation_examples" / "examples" / name).originals) == [f"os/{ICONS}"]

    def test_a_broken_file_is_named_and_the_others_are_read(self, root: Path) -> None:
        path = root / "evaluation_examples" / "examples" / "os" / "a.json"
        path.write_text("{")
        checkout = read_checkout(root)
        assert len(checkout.originals) == 2
        assert [problem.path for problem in checkout.rejected] == [path]

    def test_an_id_that_two_files_have_is_rejected(self, root: Path) -> None:
        folder = root / "evaluation_examples" / "examples" / "os"
        (folder / "z.json").write_text((folder / f"{ICONS}.json").read_text())
        (problem,) = read_checkout(root).rejected
        assert str(problem).startswith(f"{folder}/z.json:1:1: the task `os/{ICONS}` is in {folder}/{ICONS}.json too;")

    def test_a_folder_without_tasks_is_refused(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(TaskFileError) as caught:
                read_checkout(path)
            assert str(caught.value).startswith(f"{path}: no OSWorld task; name a checkout with evaluation_examples/")
