"""Tasks whose words stand in a checkout: bound where nothing has changed, refused with what to review where it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.tasks import binding
from pytest_talk2agent.tasks.binding import OPTIONS, Checkouts, checkouts_of, named_path, unbound
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers import osworld, wildclawbench
from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.original import Checkout
from pytest_talk2agent.tasks.importers.registry import bindable
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task
from tests.tasks.importers.foreign import (
    FONT,
    FONT_PROMPT,
    GRADER,
    RULES,
    TOWERS,
    TOWERS_PROMPT,
    checkout,
    markdown,
    settings,
    sha256,
    write_json,
    write_markdown,
)

OWN = {"id": "own/hello", "instruction": "Say hello.", "intentions": {"word": {"say": "hello"}}, "value": "word"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return checkout(tmp_path)


@pytest.fixture
def checkouts(root: Path) -> Checkouts:
    return Checkouts({"wildclawbench": root, "osworld": root})


def compiled(root: Path, **source: object) -> list[Task]:
    """Tasks compiled from the checkout as it is now, without their words, and one of our own."""
    drafts: list[Mapping[str, Any]] = [
        draft_of(original, words=False)
        for checkout in (wildclawbench.read_checkout(root), osworld.read_checkout(root))
        for original in checkout.originals.values()
    ]
    for draft in drafts:
        for key, value in source.items():
            draft["source"][key] = value
            if value is None:
                del draft["source"][key]
    path = root / "compiled.yaml"
    path.write_text(to_yaml([*drafts, OWN]), encoding="utf-8")
    return load_tasks(path)


def drift(checkouts: Checkouts, tasks: list[Task]) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        checkouts.bind(tasks)
    assert str(caught.value).count("\n") == len(caught.value.problems) - 1
    return [str(problem) for problem in caught.value.problems]


def test_a_task_gets_the_words_of_its_original(root: Path, checkouts: Checkouts) -> None:
    tasks = compiled(root)
    assert [task.is_bound for task in tasks] == [False, False, True]
    bound = checkouts.bind(tasks)
    assert [task.instruction for task in bound] == [TOWERS_PROMPT, FONT_PROMPT, "Say hello."]
    assert [task.id for task in bound] == [task.id for task in tasks]


def test_words_change_what_is_hashed_and_nothing_of_the_place(root: Path, checkouts: Checkouts) -> None:
    before = compiled(root)[0]
    hashed = before.content_hash
    after = checkouts.bind([before])[0]
    assert after.content_hash != hashed
    assert (after.path, after.line, after.place("value")) == (before.path, before.line, before.place("value"))
    assert after.grader().shapley() == before.grader().shapley()


def test_a_task_with_words_of_its_own_keeps_them(root: Path, checkouts: Checkouts) -> None:
    (task,) = compiled(root)[:1]
    own = task.replaced(instruction="List the towers.")
    assert checkouts.bind([own])[0].instruction == "List the towers."


def test_without_a_checkout_a_task_stays_as_it_is(root: Path) -> None:
    tasks = compiled(root)
    assert Checkouts().bind(tasks) == tasks
    only = Checkouts({"osworld": root}).bind(tasks)
    assert [task.is_bound for task in only] == [False, True, True]


def test_a_checkout_is_read_once_and_only_if_it_is_asked_for(
    root: Path, checkouts: Checkouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def reading(path: Path) -> Checkout:
        read.append(path)
        return osworld.read_checkout(path)

    known = {**bindable(), "osworld": replace(osworld.FORMAT, read_checkout=reading)}
    monkeypatch.setattr(binding, "bindable", lambda: known)
    tasks = compiled(root)
    checkouts.bind([tasks[0], tasks[2]])
    assert read == []
    for _ in range(3):
        checkouts.bind(tasks)
    assert read == [root]


class TestDrift:
    def test_another_prompt_names_the_intentions_and_the_new_fingerprint(
        self, root: Path, checkouts: Checkouts
    ) -> None:
        tasks = compiled(root)
        prompt = TOWERS_PROMPT.replace("three", "four")
        path = write_markdown(root, markdown(prompt=prompt))
        (line,) = drift(checkouts, tasks)
        place = ":".join(map(str, [f"{root}/compiled.yaml", *tasks[0].place("source")]))
        assert line == (
            f"{place}: `wcb/{TOWERS}`: its prompt in {path} is another one than it was compiled from; review the"
            f" intentions (request, path, identifier), then set prompt_sha256 to {sha256(prompt)}"
        )

    def test_another_grader_names_the_value_and_what_it_is_made_of(self, root: Path, checkouts: Checkouts) -> None:
        tasks = compiled(root)
        evaluator = {**RULES, "postconfig": [{"type": "sleep"}]}
        path = write_json(root, settings(evaluator))
        (line,) = drift(checkouts, tasks)
        assert line.partition(": ")[2] == (
            f"`osworld/vs_code/{FONT}`: its grader in {path} is another one than it was compiled from; review `value`,"
            " `let` (check_title, check_font_size), then set grader_sha256 to"
            f" {sha256(osworld.canonical(evaluator))}"
        )

    def test_a_fixed_criterion_is_named_too(self, root: Path, checkouts: Checkouts) -> None:
        tasks = compiled(root)
        write_markdown(root, markdown(grader=f"{GRADER}  # now"))
        (line,) = drift(checkouts, tasks)
        assert "review `value`, `fixed` (done), then set grader_sha256 to" in line

    def test_both_in_one_line(self, root: Path, checkouts: Checkouts) -> None:
        tasks = compiled(root)
        write_markdown(root, markdown(prompt="Do it.", grader="pass"))
        (line,) = drift(checkouts, tasks)
        assert "prompt_sha256 to" in line
        assert "grader_sha256 to" in line

    def test_every_task_that_differs_is_named(self, root: Path, checkouts: Checkouts) -> None:
        tasks = compiled(root)
        write_markdown(root, markdown(prompt="Do it."))
        write_json(root, settings(instruction="Do that."))
        assert len(drift(checkouts, tasks)) == 2

    def test_a_task_that_is_not_there(self, root: Path, checkouts: Checkouts) -> None:
        tasks = compiled(root)
        write_markdown(root, task="01_Lists_task_9_other").write_text(markdown("01_Lists_task_9_other"))
        (root / "tasks" / "01_Lists" / f"{TOWERS}.md").unlink()
        (line,) = drift(checkouts, tasks)
        assert line.endswith(f"`wcb/{TOWERS}`: the checkout has no task `{TOWERS}`")

    def test_a_task_that_names_no_original(self, root: Path, checkouts: Checkouts) -> None:
        (line, _) = drift(checkouts, compiled(root, task=None))
        assert line.endswith(f"`wcb/{TOWERS}`: `source` does not say which `task` of wildclawbench it is; add it")

    @pytest.mark.parametrize("name", ["tasks", "evaluation_examples"])
    def test_a_task_whose_file_is_broken_says_why(self, root: Path, checkouts: Checkouts, name: str) -> None:
        tasks = compiled(root)
        (path,) = (path for path in (root / name).rglob("*") if path.is_file())
        path.write_text("{")
        other = write_markdown(root, markdown("a_task_2"), task="a_task_2")
        assert other.is_file()
        (line,) = drift(checkouts, tasks)
        assert f"that can be read: {path}:1:1: " in line

    @pytest.mark.parametrize("without", ["the task", "the checkout"])
    def test_a_grader_that_one_side_has_not_is_not_compared(
        self, root: Path, checkouts: Checkouts, without: str
    ) -> None:
        tasks = compiled(root, grader_sha256=None) if without == "the task" else compiled(root)[:1]
        write_markdown(root, markdown(grader="" if without == "the checkout" else "pass"))
        assert all(task.is_bound for task in checkouts.bind(tasks))
        remark = "1 task compared by the prompt alone: the checkout has no grader"
        assert checkouts.remarks() == ([remark] if without == "the checkout" else [])

    def test_a_checkout_that_cannot_be_read_is_one_line(self, root: Path, tmp_path: Path) -> None:
        (line,) = drift(Checkouts({"osworld": tmp_path / "nowhere"}), compiled(root))
        assert line.startswith(f"{tmp_path}/nowhere: no OSWorld task;")


class TestUnbound:
    def test_the_option_is_named(self, root: Path) -> None:
        first, second, _ = compiled(root)
        assert unbound(first) == (
            f"the words of `wcb/{TOWERS}` are those of wildclawbench and are not shipped;"
            " name a checkout of it with --t2a-wcb=PATH"
        )
        assert unbound(second).endswith("name a checkout of it with --t2a-osworld=PATH")

    @pytest.mark.parametrize(
        ("benchmark", "hint"),
        [("osword", "did you mean `osworld`?"), ("zzz", f"known are {', '.join(OPTIONS)}"), (None, "known are ")],
    )
    def test_a_benchmark_that_is_not_known_is_said_to_be(self, root: Path, benchmark: str | None, hint: str) -> None:
        task = compiled(root, benchmark=benchmark)[0]
        assert not Checkouts({"wildclawbench": root}).bind([task])[0].is_bound
        assert unbound(task).startswith(
            f"`wcb/{TOWERS}` has no instruction, and its source is no benchmark that can be"
        )
        assert hint in unbound(task)


def test_a_checkout_is_named_by_its_benchmark_or_by_the_option_it_has(root: Path) -> None:
    assert checkouts_of([("wcb", root), ("osworld", root)]).paths == {"wildclawbench": root, "osworld": root}
    assert checkouts_of([("wildclawbench", root)]).paths == {"wildclawbench": root}
    assert checkouts_of([]).paths == {}


def test_a_checkout_that_nobody_can_read_or_that_is_named_twice_is_refused(root: Path) -> None:
    with pytest.raises(ValueError, match="`osword` is no benchmark whose words can be read; did you mean `osworld`"):
        checkouts_of([("osword", root)])
    with pytest.raises(ValueError, match="two checkouts of wildclawbench are named; leave one out"):
        checkouts_of([("wcb", root), ("wildclawbench", root)])


@pytest.mark.parametrize("text", ["osworld", "=x", "osworld=", " = "])
def test_a_named_path_has_both(text: str) -> None:
    with pytest.raises(ValueError, match="is not NAME=PATH"):
        named_path(text)
    assert named_path("a = b=c") == ("a", "b=c")
