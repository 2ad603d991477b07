"""The proof of a compiled grader in Python: the benchmark's own ``grade()``, run on synthetic workspaces.

A world (`pytest_talk2agent.execution.world`) makes a workspace in which a chosen set of criteria holds; the grader of
the user's checkout scores it inside the sandbox, and that must be the value of the compiled expression.
"""

from __future__ import annotations

import ast
import json
import random
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution import grader_run
from pytest_talk2agent.execution.sandbox import Limits, Sandbox
from pytest_talk2agent.execution.states import open_source, states_of, telling
from pytest_talk2agent.execution.verification import Mismatch, Verification
from pytest_talk2agent.grading.grader import compile_grader
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.task import Task

TOLERANCE = Fraction(1, 1000)
"""Graders round what they return to four digits, and some of their parts to fewer."""


def world_of(task: Task) -> Path:
    """Where the world of a task is, whether it is there or not."""
    return task.path.parent / "worlds" / f"{task.source.world or task.source.task}.py"


def verify_graded(
    task: Task, original: Original, sandbox: Sandbox, *, subsets: int, seed: int, seconds: float = 20
) -> Verification:
    """Compare a task with its real grader on the states of `states_of`, each within ``seconds``.

    Raises:
        ValueError: for a world that is no Python, or whose ``VARIES`` names no fixed criterion.
    """
    path = world_of(task)
    if not path.is_file():
        return Verification(task.id, reason="no world")
    if not _defines_grade(original.grader):
        return Verification(task.id, reason="no grade()", detail=f"{original.path} has no Python function `grade`")
    world = read_utf8(path)
    varies = _varies(task, world, path)
    states = states_of(task, varies, subsets, seed)
    states += telling(task, varies, states, random.Random(f"{seed}/{task.id}/faults"), TOLERANCE)
    holds = [state.holds(task) for state in states]
    answers = _answers(sandbox, {"grader": original.grader, "world": world, "seconds": seconds}, holds)
    compiled = compile_grader(open_source(task, varies))
    values = [compiled.value(state.held(task, varies)) for state in states]
    found = [
        _mismatch(state.describe(task), value, answer)
        for state, value, answer in zip(states, values, answers, strict=True)
    ]
    missing = _missing([a for a, m in zip(answers, found, strict=True) if m], original.grader, world)
    if missing:
        detail = f"not installed: {', '.join(missing)}; `pip install pytest-talk2agent[verify]`"
        return Verification(task.id, reason="a Python module is missing", detail=detail)
    scores = {answer["score"] for answer in answers if "score" in answer}
    return Verification(task.id, len(states), tuple(mismatch for mismatch in found if mismatch), len(scores))


def _answers(
    sandbox: Sandbox, request: Mapping[str, Any], states: Sequence[Mapping[str, bool]]
) -> list[dict[str, Any]]:
    """What the grader says of each state.

    Where a state ends the sandbox that it runs in, the others get a new one, while there is time for the task.
    """
    answers: list[dict[str, Any]] = []
    end = time.monotonic() + Limits().seconds
    while len(answers) < len(states):
        rest = states[len(answers) :]
        limits = Limits(seconds=max(0, end - time.monotonic()))
        ended = sandbox.run(grader_run.__name__, json.dumps({**request, "states": rest}), limits)
        whole = ended.output[: ended.output.rfind("\n") + 1].splitlines()
        answers += [grader_run.checked(line.encode()) for line in whole[: len(rest)]]
        if len(answers) == len(states):
            break
        why = ended.stopped or ended.errors[-500:].strip() or f"status {ended.status}"
        answers.append(grader_run.failed(f"the sandbox ended in this state: {why}"))
        if time.monotonic() >= end:
            over = grader_run.failed(f"the sandbox ended before this state: {why}")
            answers += [over] * (len(states) - len(answers))
    return answers


def _mismatch(where: str, compiled: Fraction, answer: Mapping[str, Any]) -> Mismatch | None:
    if "score" not in answer:
        return Mismatch(where, _shown(compiled), None, answer["error"])
    score = float(answer["score"])
    if abs(float(compiled) - score) <= float(TOLERANCE):  # false for a score that is no number, too
        return None
    return Mismatch(where, _shown(compiled), f"{score:g}", answer["result"])


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else f"{float(value):.6f}"


def _defines_grade(source: str) -> bool:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, ast.FunctionDef) and node.name == "grade" for node in body)


def _varies(task: Task, source: str, path: Path) -> Sequence[str]:
    """The names in ``VARIES`` of a world, read without running it."""
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise ValueError(f"{path}:{error.lineno}: {error.msg}; a world is a Python module") from None
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VARIES":
            names = ast.literal_eval(node.value)
            for name in names:
                if name not in task.fixed:
                    raise ValueError(f"{path}:{node.lineno}: VARIES names `{name}`, which is no fixed criterion")
            return tuple(names)
    return ()


def _missing(answers: Sequence[Mapping[str, Any]], *sources: str) -> list[str]:
    """The modules that these sources import and the failed runs asked for in vain."""
    asked = {name for answer in answers for name in answer.get("missing", ())}
    return sorted(asked & {name for source in sources for name in _imports(source)})


def _imports(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names
