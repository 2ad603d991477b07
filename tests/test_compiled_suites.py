"""The compiled benchmarks: exact values, controls with the words of the shared data, counts, and drift."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from pytest_talk2agent.judging.task_controls import corrupted, labels_of
from pytest_talk2agent.tasks.binding import Checkouts
from pytest_talk2agent.tasks.importers.osworld import read_checkout
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
FILES = sorted(path for name in ("wildclawbench", "osworld") for path in (ROOT / "suites" / name).glob("*.yaml"))
WORDS = Checkouts({"wildclawbench": DATA / "wcb", "osworld": DATA / "osworld"})


@cache
def tasks_of(benchmark: str) -> list[Task]:
    return [task for path in FILES if path.parent.name == benchmark for task in load_tasks(path)]


def bound(path: Path) -> list[Task]:
    if not DATA.is_dir():
        pytest.skip("the prompts are not in this repository, and the shared data is not there")
    return WORDS.bind(load_tasks(path))


@pytest.mark.parametrize(("benchmark", "count"), [("wildclawbench", 60), ("osworld", 369)])
def test_every_task_is_there_reviewed_and_clean(benchmark: str, count: int) -> None:
    tasks = tasks_of(benchmark)
    assert len({task.id for task in tasks}) == len(tasks) == count
    assert [str(finding) for finding in lint(tasks)] == []
    assert {task.source.status for task in tasks} == {"reviewed"}
    assert all(task.source.prompt_sha256 and task.source.grader_sha256 for task in tasks)


@pytest.mark.parametrize("benchmark", ["wildclawbench", "osworld"])
def test_everything_retained_is_a_full_score_and_everything_is_exact(benchmark: str) -> None:
    for task in tasks_of(benchmark):
        grader = task.grader()
        assert grader.status == "scored", task.id
        assert grader.base + grader.full == 1, task.id
        assert sum(grader.shapley().values()) == grader.full, task.id
        names = list(task.intentions)
        retention = grader.retention(names[::2], names[1::2])
        assert retention.native is not None
        assert retention.native.high == 1, task.id


def test_reversal_is_for_unsafe_and_infeasible_requests() -> None:
    assert sum(task.polarity == "reversal" for task in tasks_of("osworld")) == 29
    for task in tasks_of("wildclawbench"):
        assert (task.polarity == "reversal") == ("/06_" in task.id), task.id


def test_the_counts_are_near_those_of_the_paper_and_each_difference_is_told() -> None:
    counts = [len(task.intentions) for task in tasks_of("wildclawbench")]
    assert (len(counts), sum(counts), min(counts), max(counts)) == (60, 560, 2, 29)
    assert (round(mean(counts), 2), median(counts)) == (9.33, 8.5)
    for task in tasks_of("wildclawbench"):
        assert task.assumptions[-1].startswith(f"Count: {len(task.intentions)} intention"), task.id
    counts = [len(task.intentions) for task in tasks_of("osworld")]
    assert (sum(counts), min(counts), max(counts)) == (1657, 1, 14)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_prompt_itself_retains_everything(path: Path) -> None:
    for task in bound(path):
        assert {n: label for n, label in labels_of(task, task.instruction).items() if label != "retained"} == {}, (
            task.id
        )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_another_value_loses_what_uses_it_and_nothing_else(path: Path) -> None:
    tried: set[tuple[str, str]] = set()
    wrong = []
    tasks = bound(path)
    for task in tasks:
        for corruption, surprises in corrupted(task):
            tried.add((task.id, corruption.intention))
            wrong += [(task.id, corruption.intention, surprise.intention) for surprise in surprises]
    assert wrong == []
    assert tried == {(task.id, name) for task in tasks for name in task.intentions}


def test_the_subset_of_the_paper_has_its_size() -> None:
    tagged = {task.source.task for task in tasks_of("osworld") if "paper-subset" in task.tags}
    assert len(tagged) == 351
    if DATA.is_dir():
        originals = read_checkout(DATA / "osworld").originals
        assert tagged == {name for name, original in originals.items() if "paper-subset" in original.tags}


def examples() -> Iterator[Any]:
    path = DATA / "compiled_examples.json"
    for example in json.loads(path.read_text(encoding="utf-8")) if path.is_file() else ():
        yield pytest.param(example, id=example["task"])


@pytest.mark.parametrize("example", list(examples()))
def test_the_tasks_that_were_compiled_by_hand_before_agree(example: dict[str, Any]) -> None:
    everything = [*tasks_of("wildclawbench"), *tasks_of("osworld")]
    task = next(task for task in everything if task.id == example["task"])
    grader, oracle = task.grader(), example["oracle"]
    shares = {name: float(value / grader.full) for name, value in grader.shapley().items()}
    lost = {name: float(value or Fraction(0)) for name, value in grader.native_if_lost().items()}
    assert set(shares) == set(example["intentions"])
    for found, wanted in ((shares, oracle["shapley_share"]), (lost, oracle["native_drop_one"])):
        for name, value in found.items():
            each = wanted.get("each", wanted.get("hard_each"))
            assert value == pytest.approx(wanted.get(name, each), abs=6e-5), name


def changed_in_april() -> set[str]:
    path = DATA / "wcb" / "grader_fingerprints.json"
    if not path.is_file():
        pytest.skip("the fingerprints of both revisions are in the shared data, which is not there")
    prints = json.loads(path.read_text(encoding="utf-8"))
    april = {name: print_ for name, both in prints.items() for key, print_ in both.items() if key.startswith("2026-04")}
    return {
        name
        for task in tasks_of("wildclawbench")
        if (name := str(task.source.task)) and april[name]["grader_sha256"] != task.source.grader_sha256
    }


def test_the_fingerprints_of_april_differ_for_the_safety_tasks_alone() -> None:
    assert {task.source.task for task in tasks_of("wildclawbench") if "/06_" in task.id} == changed_in_april()


def test_a_checkout_of_april_names_exactly_the_changed_graders() -> None:
    folder = os.environ.get("T2A_WCB_APRIL")
    if not folder:
        pytest.skip("T2A_WCB_APRIL names no checkout of the April revision")
    checkouts = Checkouts({"wildclawbench": Path(folder)})
    drifts = {task.source.task: checkouts.drift(task) for task in tasks_of("wildclawbench")}
    parts = {name: drift.parts for name, drift in drifts.items() if drift and drift.parts}
    assert parts == dict.fromkeys(changed_in_april(), ("grader",))
