from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.context.leaks import overlap
from pytest_talk2agent.context.terms import terms_of
from pytest_talk2agent.context.vocabulary import ContextError
from pytest_talk2agent.interfaces.biasing import TermSwitches

from .tasks import plant, task_of

GRADER = """\
execution:
  checks:
    book: {exists: /srv/garden/beds_north.ods}
    target: {exists: /srv/garden}
    key: {text: garden.conf, contains: twelve_rows}
    keep: {exists: beds_south.ods}
  solution: [mv beds_north.ods /srv/garden]
"""
PROGRAM = GRADER.replace("{exists: beds_south.ods}", "{python: 'w/check/run.py:kept'}")


@pytest.mark.parametrize(
    ("file", "term", "more"),
    [
        ("gt/rows.yaml", "rows.yaml", ""),
        ("deep/Expected/north_bed.md", "north_bed.md", ""),
        ("grader/check.py", "check.py", ""),
        ("check/run.py", "run.py", PROGRAM),
    ],
)
def test_terms_of_the_graders_files_alone_fail(tmp_path: Path, file: str, term: str, more: str) -> None:
    plant(tmp_path / "w", {file: "def kept(home): ...\n" if more else "", "notes.md": "# Northern beds"})
    expected = f"task 'garden/plan-beds': the term '{term}' stands only in '{file}', which belongs to the grader; move"
    with pytest.raises(ContextError, match=expected):
        terms_of(task_of(tmp_path, "{workspace: w}", more), TermSwitches())


def test_a_term_that_stands_in_a_visible_file_too_does_not(tmp_path: Path) -> None:
    plant(tmp_path / "w", {"gt/beds.yaml": "max_rows: 1", "beds.yaml": "max_rows: 2", "notes.md": "# Northern beds"})
    found = terms_of(task_of(tmp_path, "{workspace: w}", GRADER), TermSwitches())
    assert found.terms == ("beds.yaml", "max_rows", "Northern beds", "notes.md")


def test_what_the_author_lists_as_visible_is_visible(tmp_path: Path) -> None:
    found = terms_of(task_of(tmp_path, "{files: [expected/bed_plan.ods]}"), TermSwitches())
    assert found.terms == ("bed_plan.ods",)


def terms_from(tmp_path: Path, terms: list[str], context: str, more: str = "") -> tuple[tuple[str, ...], bool]:
    path = tmp_path / "lists.json"
    path.write_text(json.dumps([{"task": "x", "taskname": "y", "list": terms}]))
    task = task_of(tmp_path, context, f"source: {{task_id: x_y}}\n{more}")
    found = terms_of(task, TermSwitches(terms_from=str(path)))
    return found.terms, found.checked


@pytest.mark.parametrize(
    ("term", "more"),
    [
        ("maxRows", ""),
        ("max rows", ""),
        ("SRV", ""),
        ("beds_north.ods", ""),
        ("twelve_rows", GRADER),
    ],
)
def test_a_listed_term_that_only_the_grader_knows_fails(tmp_path: Path, term: str, more: str) -> None:
    expected = (
        f"the term '{term}' of lists.json is part of what the task is graded by and stands nowhere in its context"
    )
    with pytest.raises(ContextError, match=expected):
        terms_from(tmp_path, ["roses", term], "{files: [beds_south.ods]}", more)


def test_the_graders_own_files_are_not_visible(tmp_path: Path) -> None:
    plant(tmp_path / "w", {"gt/a.txt": "maxRows", "notes.md": "other"})
    with pytest.raises(ContextError, match="the term 'maxRows'"):
        terms_from(tmp_path, ["maxRows"], "{workspace: w}")


def test_listed_terms_that_can_be_seen_pass(tmp_path: Path) -> None:
    plant(tmp_path / "w", {"notes.txt": "Set maxRows, or max_rows, in garden.conf", ".env": "API_TOKEN=x"})
    terms = ["maxRows", "max rows", "garden", "beds_north.ods", "leave", "Lucca"]
    assert terms_from(tmp_path, terms, "{workspace: w, files: [beds_north.ods]}") == (tuple(terms), True)


def test_without_a_context_nothing_can_be_checked(tmp_path: Path) -> None:
    assert terms_from(tmp_path, ["maxRows"], "{}") == (("maxRows",), False)


@pytest.mark.parametrize(
    ("terms", "share"),
    [
        ([], Fraction(0)),
        (["beds_north.ods"], Fraction(1, 3)),
        (["beds north ods", "Max Rows"], Fraction(2, 3)),
        (["max_rows", "srv"], Fraction(2, 3)),
        (["leave the rest where it is", "beds"], Fraction(0)),
    ],
)
def test_overlap_is_the_share_of_the_values_that_are_listed(tmp_path: Path, terms: list[str], share: Fraction) -> None:
    assert overlap(task_of(tmp_path), terms) == share


def test_overlap_of_a_task_without_values_is_none(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    gists = {name: item for name, item in task.intentions.items() if item.kind == "gist"}
    assert overlap(task.model_copy(update={"intentions": gists}), ["x_y"]) is None
