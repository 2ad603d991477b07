"""The states of a task, and those that tell a faulty expression."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.execution.states import State, open_source, states_of, telling
from pytest_talk2agent.grading.grader import compile_grader
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


LEAST = Fraction(1, 1000)
GATED = """\
id: own/faults
instruction: One, two, three, four, five, six, seven.
intentions:
  {a: {say: one}, b: {say: two}, c: {say: three}, d: {say: four}, e: {say: five}, f: {say: six}, g: {say: seven}}
fixed: {polite: {}}
let: {either: "any(a, b)", most: "atleast(2, c, d, e)"}
value: VALUE
"""


def task_with(tmp_path: Path, value: str) -> Task:
    path = tmp_path / "task.yaml"
    path.write_text(GATED.replace("VALUE", value), encoding="utf-8")
    return load_tasks(path)[0]


def tells(task: Task, states: Sequence[State], faulty: str) -> bool:
    """Whether some state shows another expression in the place of the task's value."""
    right, wrong = open_source(task, ("polite",)), open_source(task.replaced(value=faulty), ("polite",))
    held = [state.held(task, ("polite",)) for state in states]
    graders = compile_grader(right), compile_grader(wrong)
    return any(graders[0].value(names) != graders[1].value(names) for names in held)


def with_telling(task: Task, states: Sequence[State]) -> list[State]:
    return [*states, *telling(task, ("polite",), states, random.Random(0), LEAST)]


@pytest.mark.parametrize(
    ("value", "faulty"),
    [
        ("gate(f, either)", "gate(f, 1)"),  # shows where a and b are lost together
        ("gate(all(f, g), most)", "gate(all(f, g), 1)"),  # shows where two of three are lost
        ("gate(all(f, g), 0.5*either + 0.5*most)", "gate(all(f, g), 0.55*either + 0.45*most)"),
        ("gate(f, either * polite)", "gate(f, either)"),
        ("0.6*any(a, b, c) + 0.4*g", "0.6*all(a, b, c) + 0.4*g"),
        ("gate(any(a, b, c, d), g)", "gate(any(a, b, c), g)"),
    ],
)
def test_a_single_fault_shows(tmp_path: Path, value: str, faulty: str) -> None:
    task = task_with(tmp_path, value)
    full = [State(frozenset(task.intentions))]
    assert not tells(task, full, value)
    assert tells(task, with_telling(task, full), faulty)


def test_what_is_told_already_adds_nothing(tmp_path: Path) -> None:
    task = task_with(tmp_path, "0.5*a + 0.3*b + 0.2*c")
    states = states_of(task, ("polite",), 0, 0)
    assert with_telling(task, states) == states


def test_a_fault_that_no_state_can_show_adds_nothing(tmp_path: Path) -> None:
    task = task_with(tmp_path, "cap(0.5*a + 0.5*b, 1)")
    states = states_of(task, (), 0, 0)
    assert len(with_telling(task, states)) == len(states)


def test_only_fixed_criteria_that_the_world_can_violate_are_turned(tmp_path: Path) -> None:
    task = task_with(tmp_path, "gate(f, either * polite)")
    states = telling(task, (), [State(frozenset(task.intentions))], random.Random(0), LEAST)
    assert states
    assert not any(state.flipped for state in states)


def test_the_same_seed_adds_the_same_states(tmp_path: Path) -> None:
    task = task_with(tmp_path, "gate(all(f, g), 0.5*either + 0.5*most)")
    assert with_telling(task, []) == with_telling(task, [])
