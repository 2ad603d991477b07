from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.tasks.document import Map, Text, read_documents
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.task import Task
from tests.tasks.conftest import Load

HEAD = """\
id: files/copy
instruction: Copy a.txt to b.txt, and c.txt to d.txt.
intentions:
  source: {say: a.txt, kind: filename}
  target: {say: b.txt, kind: filename, unsatisfied: 0.5}
fixed:
  kept: {holds: false}
groups:
  rows: {count: 4, needs: source}
"""


def test_a_task_has_its_exact_game(load: Load) -> None:
    (task,) = load(HEAD + "let:\n  half: 0.5*mean(rows)\nvalue: half + 0.5*target + kept\n")
    grader = task.grader()
    assert grader is task.grader()
    assert grader.shapley() == {"source": Fraction(1, 2), "target": Fraction(1, 4)}
    assert grader.base == Fraction(1, 4)


PLACES = {
    "plain": ("value: sorce * target\n", (10, 8)),
    "plain, later": ("value: target * sorce\n", (10, 17)),
    "plain on two lines": ("value: target\n  + 0 * sorce\n", (11, 9)),
    "single-quoted": ("value: 'target * sorce'\n", (10, 18)),
    "double-quoted": ('value: "target * sorce"\n', (10, 18)),
    "double-quoted on two lines": ('value: "target *\n   sorce"\n', (11, 4)),
    "folded": ("value: >\n  target\n  * (1 - sorce)\n", (12, 10)),
    "folded with a comment": ("value: >-  # the * score\n\n   target * sorce\n", (12, 13)),
    "literal": ("value: |\n  target\n    * sorce\n", (12, 7)),
    "in a let": ("let: {x: 0.5 * sorce}\nvalue: x * target\n", (10, 16)),
    "in a folded let": ("let:\n  x: >\n    0.5 *\n    sorce\nvalue: x * target\n", (13, 5)),
    "in a flow mapping": ("let: {y: source, x: sorce}\nvalue: x * target\n", (10, 21)),
}


@pytest.mark.parametrize(("text", "place"), PLACES.values(), ids=PLACES)
def test_an_error_of_the_expression_has_its_place_in_the_file(load: Load, text: str, place: tuple[int, int]) -> None:
    (task,) = load(HEAD + text)
    with pytest.raises(TaskFileError, match="sorce") as caught:
        task.grader()
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == place
    assert "source" in problem.message


def test_a_cycle_and_a_range_that_is_left_are_errors_in_the_file(load: Load) -> None:
    (task,) = load(HEAD + "let: {x: y, y: x}\nvalue: x\n")
    with pytest.raises(TaskFileError, match=r"suite\.yaml:10:\d+: `let\.[xy]`: "):
        task.grader()
    (task,) = load(HEAD + "value: 2 * source\n")
    with pytest.raises(TaskFileError, match=r"suite\.yaml:10:\d+: "):
        task.grader()


def test_the_range_may_be_wider(load: Load) -> None:
    (task,) = load(HEAD + "value: 2 * source - 0.5\nrange: [-0.5, 1.5]\n")
    assert task.grader().full == 2


def test_a_task_made_in_python_has_no_file_but_an_error_all_the_same(load: Load) -> None:
    (task,) = load(HEAD + "value: source\n")
    made = Task.model_validate({**task.model_dump(), "value": "sorce"})
    with pytest.raises(TaskFileError, match="sorce") as caught:
        made.grader()
    assert caught.value.problems[0].line == 1


@pytest.mark.parametrize("style", ["{}", "'{}'", '"{}"', ">\n  {}", "|-\n  {}"])
def test_every_character_of_a_text_knows_its_place(style: str) -> None:
    written = f"a: {style.format('x y  z')}\n"
    (document,) = read_documents(written, lambda *problem: pytest.fail(str(problem)))
    assert isinstance(document, Map)
    text = document.values["a"]
    assert isinstance(text, Text)
    rows = written.splitlines()
    for offset, character in enumerate(text.value):
        if not character.isspace():
            line, column = text.position(offset)
            assert rows[line - 1][column - 1] == character


SCORING = {
    "instruction": ("Copy a.txt", "Move a.txt"),
    "script": ("value: ", "script: Copy a dot t x t.\nvalue: "),
    "intention": ("{say: a.txt", "{also: A.TXT, say: a.txt"),
    "worth": ("unsatisfied: 0.5", "unsatisfied: 0.4"),
    "fixed": ("holds: false", "holds: true"),
    "group": ("count: 4", "count: 5"),
    "value": ("value: mean", "value: 0.5*mean"),
    "range": ("value: ", "range: [0, 2]\nvalue: "),
    "polarity": ("value: ", "polarity: reversal\nvalue: "),
    "context": ("value: ", "context: {files: a.txt}\nvalue: "),
    "let": ("value: ", "let: {x: source}\nvalue: "),
}
SILENT = {
    "tags": ("value: ", "tags: a\nvalue: "),
    "note": ("{say: a.txt", "{note: hello, say: a.txt"),
    "note of a fixed criterion": ("holds: false", "holds: false, note: hello"),
    "thresholds": ("value: ", "thresholds: {native: 0.5}\nvalue: "),
    "recordings": ("value: ", "recordings: [{audio: a.wav}]\nvalue: "),
    "source": ("value: ", "source: {licence: CC0-1.0}\nvalue: "),
    "place": ("id: ", "# moved\n---\nid: "),
    "writing": ("value: mean(rows, target)", "value: >\n  mean(rows, target)"),
}


@pytest.mark.parametrize(("old", "new"), SCORING.values(), ids=SCORING)
def test_the_content_hash_changes_with_what_can_change_a_score(load: Load, old: str, new: str) -> None:
    text = HEAD + "value: mean(rows, target)\n"
    assert load(text.replace(old, new))[0].content_hash != load(text)[0].content_hash


@pytest.mark.parametrize(("old", "new"), SILENT.values(), ids=SILENT)
def test_the_content_hash_stays_when_nothing_can_change_a_score(load: Load, old: str, new: str) -> None:
    text = HEAD + "value: mean(rows, target)\n"
    assert load(text.replace(old, new))[0].content_hash == load(text)[0].content_hash
