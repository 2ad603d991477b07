"""The states that are added so that single faults show."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.execution.faults import telling
from pytest_talk2agent.execution.states import State, open_source, states_of
from pytest_talk2agent.grading.grader import compile_grader
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

LEAST = Fraction(1, 1000)
TASK = """\
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
    path.write_text(TASK.replace("VALUE", value), encoding="utf-8")
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
