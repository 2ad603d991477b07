"""The grader as a tree: its values are those of the exact game, and what is lit is what was lost."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.grader import Grader, GraderSource, Group, compile_grader
from pytest_talk2agent.reporting.html.tree import GraderTree
from pytest_talk2agent.results.verdict import show
from pytest_talk2agent.tasks.loader import load_tasks
from tests.grading.test_real_tasks import ALTERNATIVES, BIBLIOGRAPHY, FILTERS, HIGHLIGHTS, SEARCH

ABC = dict.fromkeys("abc", Fraction(0))
SUITES = Path(__file__).resolve().parents[2] / "suites"
SHIPPED = [task.grader_source for path in sorted(SUITES.glob("*/tasks.yaml")) for task in load_tasks(path)]
EVERY_FUNCTION = [
    GraderSource("0.5*all(a, b) + 0.25*any(b, c) + 0.25*no(no(c))", ABC),
    GraderSource("gate(a, 0.5 + 0.5*b, 0.25*c)", ABC),
    GraderSource("atleast(2, a, b, c) * (a + b + c) / 3", ABC),
    GraderSource("steps((a + b + c)/3, 0.9, 1, 0.6, 0.5, 0.3, 0.25, 0)", ABC),
    GraderSource("steps(0.7*a + 0.1*b + 0.2*c, 0.8, 1, 0)", ABC),
    GraderSource("cap(0.6*a + 0.6*b, 1) * floor(c, 0.5)", ABC),
    GraderSource("clamp(a + b - 0.5, 0, 0.5*c + 0.5)", ABC),
    GraderSource("best(0.2, 0.5*a, mean(b, c))", ABC),
    GraderSource("1 - 0.5*(1 - a) - 0.5*(1 - b*c)", ABC),
    GraderSource("0.5*a + 0.5*b*c", {"a": Fraction(1, 2), "b": Fraction(0), "c": Fraction(1, 4)}),
    GraderSource(
        "0.5*mean(cell) + 0.25*cell[3] + 0.125*all(cell) + 0.125*sum(row)/4",
        ABC,
        groups={"cell": Group(5, ("a", "b")), "row": Group(4, ("c",))},
    ),
    GraderSource("x * w", ABC, {"k": False}, {"w": "mean(x, y, 1)", "y": "any(k, b)", "x": "all(a, c)", "spare": "a"}),
]


def nodes(tree: GraderTree) -> Iterator[Any]:
    """Every drawn node in the order in which it is numbered."""
    stack = [node for _, node in reversed(tree.to_json())]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node[5]))


def value(grader: Grader, retained: list[str]) -> str:
    native = grader.retention(retained, ()).native
    assert native is not None
    return show(grader.base + native.low * grader.full)


@pytest.mark.parametrize(
    "source", [*EVERY_FUNCTION, ALTERNATIVES, BIBLIOGRAPHY, FILTERS, HIGHLIGHTS, SEARCH, *SHIPPED[::3]]
)
def test_the_root_is_worth_what_the_exact_game_says(source: GraderSource) -> None:
    tree, grader = GraderTree(source), compile_grader(source)
    names = list(source.intentions)
    full = next(nodes(tree))[4]
    assert full == value(grader, names)
    for lost in [*([name] for name in names), names[::2], names[1::2], names]:
        found = {number: text for number, _, text in tree.losses(lost, ())}
        assert found.get(0, full) == value(grader, [name for name in names if name not in lost])


@given(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc")), st.sampled_from(EVERY_FUNCTION))
def test_what_is_open_lies_between_lost_and_kept(lost: set[str], open_: set[str], source: GraderSource) -> None:
    tree = GraderTree(source)
    worst = {number: text for number, _, text in tree.losses(lost | open_, ())}
    best = {number: text for number, _, text in tree.losses(lost, ())}
    fulls = [node[4] for node in nodes(tree)]
    for number, state, text in tree.losses(lost, open_ - lost):
        low, high = worst.get(number, fulls[number]), best.get(number, fulls[number])
        assert text == (low if low == high else f"{low} or {high}")
        assert (state == "lost") == (fulls[number] not in (low, high))


def test_only_the_branches_that_lost_something_are_lit() -> None:
    tree = GraderTree(GraderSource("gate(all(a, b), 0.8 + 0.2*c)", ABC))
    drawn = [(role, caption, words) for _, role, caption, words, _, _ in nodes(tree)]
    assert drawn == [
        ("", "gate", "gate(all(a, b), 0.8 + 0.2*c)"),
        ("if", "all of", "all(a, b)"),
        ("", "", "a"),
        ("", "", "b"),
        ("then", "0.8 plus", "0.8 + 0.2*c"),
        ("", "0.2 times", "0.2*c"),
        ("", "", "c"),
    ]
    assert tree.losses([], []) == []
    assert tree.losses(["c"], []) == [[0, "lost", "0.8"], [4, "lost", "0.8"], [5, "lost", "0"], [6, "lost", "0"]]
    assert tree.losses([], ["a"]) == [[0, "open", "0 or 1"], [1, "open", "0 or 1"], [2, "open", "0 or 1"]]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("steps(a, 0.8, 1, 0.5, 0.5, 0)", "steps from 0.8 gives 1 from 0.5 gives 0.5 else 0"),
        ("atleast(2, a, b, c)", "count at least 2"),
        ("cap(a, 0.5)", "capped at 0.5"),
        ("clamp(a, 0.1, 0.5)", "kept from 0.1 to 0.5"),
        ("0.5*a*b/2", "0.5 times divided by 2"),
        ("a*b", "product of"),
        ("mean(a, 1)", "mean of 1 and"),
        ("gate(a, b, 0.5)", "gate else 0.5"),
    ],
)
def test_numbers_are_part_of_what_a_node_says(text: str, caption: str) -> None:
    tree = GraderTree(GraderSource(text, ABC))
    assert next(nodes(tree))[2] == caption
    assert all(node[0] != "number" for node in nodes(tree))


def test_a_constant_grader_is_a_tree_too() -> None:
    tree = GraderTree(GraderSource("1", ABC))
    assert tree.to_json() == [["value", ["number", "", "", "1", "1", []]]]
    assert tree.losses("abc", []) == []


def test_names_say_what_they_are_and_let_stands_once() -> None:
    source = EVERY_FUNCTION[-1]
    tree = GraderTree(source)
    assert [name for name, _ in tree.to_json()] == ["value", "w", "y", "x"]  # and not `spare`, which nothing uses
    kinds = {words: (kind, caption) for kind, _, caption, words, _, children in nodes(tree) if not children}
    assert kinds == {
        "x": ("let", ""),
        "w": ("let", ""),
        "y": ("let", ""),
        "k": ("fixed", "does not hold"),
        "a": ("intention", ""),
        "b": ("intention", ""),
        "c": ("intention", ""),
    }
    grouped = {words: caption for _, _, caption, words, _, _ in nodes(GraderTree(EVERY_FUNCTION[-2]))}
    assert grouped["cell"] == "5 criteria, needs a, b"
    assert grouped["cell[3]"] == "needs a, b"


def test_a_source_survives_the_way_to_json_and_back() -> None:
    for source in [*EVERY_FUNCTION, *SHIPPED]:
        assert GraderSource.from_json(source.to_json()) == source
