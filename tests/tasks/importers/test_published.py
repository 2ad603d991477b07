"""The benchmarks as they are published: counts, and fingerprints that were taken independently."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from pytest_talk2agent.judging.task_controls import labels_of
from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.original import Checkout
from pytest_talk2agent.tasks.importers.osworld import PAPER
from pytest_talk2agent.tasks.importers.osworld_value import conjunction_of
from pytest_talk2agent.tasks.importers.registry import read_any
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from tests.tasks.importers.foreign import SHARED

OSWORLD, WILDCLAWBENCH = SHARED / "osworld", SHARED / "wcb"
JUNE = "2026-06 specimba@7aa1cc9"

pytestmark = pytest.mark.skipif(
    not (OSWORLD.is_dir() and WILDCLAWBENCH.is_dir()), reason="the shared data is not beside this checkout"
)


@lru_cache
def checkout(root: Path) -> Checkout:
    found = read_any(root)
    assert found.rejected == ()
    return found


def test_osworld_is_read_whole_and_the_subset_has_the_papers_number() -> None:
    tags = [original.tags for original in checkout(OSWORLD).originals.values()]
    assert len(tags) == 369
    assert sum(PAPER in each for each in tags) == 351


def test_osworld_combines_its_metrics_in_four_ways() -> None:
    kinds = Counter(conjunction_of(original.extra["evaluator"]) for original in checkout(OSWORLD).originals.values())
    assert kinds == {"single": 289, "and": 26, "or": 25, "infeasible": 29}


def test_the_lists_of_osworld_name_the_same_tasks() -> None:
    listed = json.loads((OSWORLD / "evaluation_examples" / "test_all.json").read_text(encoding="utf-8"))
    assert {f"{domain}/{name}" for domain, names in listed.items() for name in names} == set(
        checkout(OSWORLD).originals
    )


def test_wildclawbench_is_read_whole_and_its_prompts_have_the_fingerprints_of_june() -> None:
    known = json.loads((WILDCLAWBENCH / "grader_fingerprints.json").read_text(encoding="utf-8"))
    originals = checkout(WILDCLAWBENCH).originals
    assert len(originals) == 60
    assert {name: original.prompt_sha256 for name, original in originals.items()} == {
        name: revisions[JUNE]["prompt_sha256"] for name, revisions in known.items()
    }
    assert sum("chinese" in original.tags for original in originals.values()) == 24


@pytest.mark.parametrize("root", [OSWORLD, WILDCLAWBENCH], ids=lambda root: root.name)
def test_every_draft_loads_and_the_words_of_every_third_retain_everything(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "drafts.yaml"
    originals = checkout(root).originals.values()
    path.write_text(to_yaml([draft_of(original) for original in originals]), encoding="utf-8")
    tasks = load_tasks(path)
    assert len(tasks) == len(originals)
    assert [str(finding) for finding in lint(tasks[::3], labels_of)] == []
