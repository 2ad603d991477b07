"""Which states are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.execution.states import State, states_of
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

TASK = """\
id: own/states
instruction: One, two, three, four, five, six.
intentions: {a: {say: one}, b: {say: two}, c: {say: three}, d: {say: four}, e: {say: five}, f: {say: six}}
fixed: {polite: {}, rude: {holds: false}}
value: all(a, b, c, d, e, f) * polite * no(rude)
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    path = tmp_path / "task.yaml"
    path.write_text(TASK, encoding="utf-8")
    return load_tasks(path)[0]


def test_all_none_each_lost_and_each_alone_come_first(task: Task) -> None:
    names = frozenset("abcdef")
    states = [state.retained for state in states_of(task, (), 0, 0)]
    assert states == [names, frozenset(), *(names - {n} for n in "abcdef"), *(frozenset({n}) for n in "abcdef")]


def test_random_subsets_follow_the_seed_and_none_comes_twice(task: Task) -> None:
    states = states_of(task, (), 30, 0)
    assert states == states_of(task, (), 30, 0)
    assert states != states_of(task, (), 30, 1)
    assert len(set(states)) == len(states)
    assert 14 < len(states) <= 44


def test_fixed_criteria_are_turned_alone_and_at_random(task: Task) -> None:
    flips = [state for state in states_of(task, ("polite", "rude"), 10, 0) if state.flipped]
    names = frozenset("abcdef")
    for name in ("polite", "rude"):
        assert State(names, frozenset({name})) in flips
        assert State(frozenset(), frozenset({name})) in flips
    assert len(flips) > 4


def test_what_holds(task: Task) -> None:
    holds = State(frozenset("ab"), frozenset({"rude"})).holds(task)
    assert holds == {"a": True, "b": True, "c": False, "d": False, "e": False, "f": False, "polite": True, "rude": True}


@pytest.mark.parametrize(
    ("retained", "flipped", "words"),
    [
        ("abcdef", (), "all retained"),
        ("", (), "all lost"),
        ("abcd", (), "lost e, f"),
        ("ab", (), "retained only a, b"),
        ("abcdef", ("polite", "rude"), "all retained; polite violated; rude satisfied"),
    ],
)
def test_in_words(task: Task, retained: str, flipped: tuple[str, ...], words: str) -> None:
    assert State(frozenset(retained), frozenset(flipped)).describe(task) == words
