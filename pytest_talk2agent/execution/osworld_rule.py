"""The proof of a compiled OSWorld task: the environment's rule for combining metrics, on every end point.

The metrics themselves need the desktop and are not run. What is proved is that the task's value is what the environment
makes of its metrics, and that the metrics are as many, and open into the same checks, as the evaluator says.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from pytest_talk2agent.execution.states import open_source
from pytest_talk2agent.execution.verification import Mismatch, Verification
from pytest_talk2agent.grading.grader import Grader, compile_grader
from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.osworld_value import Check, opened_checks
from pytest_talk2agent.tasks.task import Task

MOST_NAMES = 16

_METRIC = re.compile(r"metric_[1-9]\d*")
_NAME = re.compile(r"[A-Za-z_]\w*")

Vector = frozenset[str]


def combined(values: Sequence[Fraction], conjunction: str) -> Fraction:
    """What the environment makes of the values of its metrics, in the order in which they run.

    Under ``and`` the first that is exactly 0 ends it with 0, under ``or`` the first that is exactly 1 with 1; else the
    mean, or the greatest.
    """
    for value in values:
        if conjunction == "and" and value == 0:
            return Fraction(0)
        if conjunction == "or" and value == 1:
            return Fraction(1)
    return sum(values, Fraction(0)) / len(values) if conjunction == "and" else max(values)


def verify_rule(task: Task, original: Original) -> Verification:
    """Compare a task with its evaluator."""
    evaluator = json.loads(original.grader)
    func = evaluator["func"]
    metrics = func if isinstance(func, list) else [func]
    if "infeasible" in metrics:
        return Verification(task.id, reason="infeasible: the agent must give up")
    named = sorted((name for name in task.let if _METRIC.fullmatch(name)), key=lambda name: int(name[7:]))
    wanted = [f"metric_{number}" for number in range(1, len(metrics) + 1)]
    if named != wanted and not (len(metrics) == 1 and not named):
        found = f"{', '.join(wanted)} ({', '.join(metrics)})"
        return Verification(task.id, 1, (Mismatch("metrics", ", ".join(named) or "none", found),))
    parts = {name: task.let[name] for name in named} or {"value": task.value}
    opened = opened_checks(evaluator)
    checks = [_checks(task, expression) for expression in parts.values()]
    counted = [_opened(name, own, found) for name, own, found in zip(parts, checks, opened, strict=True) if found]
    opening = [own if found else [] for own, found in zip(checks, opened, strict=True)]
    conjunction = str(evaluator.get("conj", "and"))
    vectors = list(_compared(task, list(parts), conjunction, opening))
    compared = [*counted, *vectors, _best(task)]
    where = "on all values of its metrics" if len(metrics) > 1 else "where all is retained"
    detail = (
        ""
        if len(task.intentions) + len(task.fixed) <= MOST_NAMES
        else f"more than {MOST_NAMES} names, so compared only {where}"
    )
    return Verification(task.id, len(compared), tuple(m for m in compared if m), detail=detail)


def _best(task: Task) -> Mismatch | None:
    """A feasible task is fully solved by an agent that was told everything."""
    value = task.grader().value(task.intentions)
    return None if value == 1 else Mismatch("all retained", str(value), "1")


def _checks(task: Task, expression: str) -> list[str]:
    """The names ``check_*`` in an expression, and in the parts that it names, whatever they are declared as."""
    seen: dict[str, None] = {}
    todo = [expression]
    while todo:
        for name in _NAME.findall(todo.pop()):
            if name not in seen:
                seen[name] = None
                todo.append(task.let.get(name, ""))
    return [name for name in seen if name.startswith("check_")]


def _opened(metric: str, compiled: Sequence[str], opened: Sequence[Check]) -> Mismatch | None:
    names = [check.name for check in opened]
    if sorted(compiled) == sorted(names):
        return None
    return Mismatch(f"checks of {metric}", ", ".join(compiled) or "none", ", ".join(names))


def _compared(
    task: Task, metrics: Sequence[str], conjunction: str, checks: Sequence[Sequence[str]]
) -> Iterator[Mismatch | None]:
    """One comparison a vector: the value with the rule, and every opened metric with its checks, which it is an AND of.

    Every metric must be 0 or 1 there, which of one that is the whole value is all that can be compared.
    """
    source = open_source(task, tuple(task.fixed))
    if len(source.intentions) > MOST_NAMES:
        yield from _on_metrics(source, metrics, conjunction)
        return
    names = {"value", *metrics, *(name for part in checks for name in part)}
    graders = {name: _grader(source, name) for name in names}
    for vector in _vectors(list(source.intentions)):
        value = {name: grader.value(vector) for name, grader in graders.items()}
        found = combined([value[name] for name in metrics], conjunction)
        mismatch = None if value["value"] == found else Mismatch(_shown(vector), str(value["value"]), str(found))
        for metric, part in zip(metrics, checks, strict=True):
            if value[metric] not in (0, 1):
                mismatch = mismatch or Mismatch(f"{metric} where {_shown(vector)}", str(value[metric]), "0 or 1")
            failed = [name for name in part if value[name] == 0 != value[metric]]
            if failed:
                where = f"{metric} where {_shown(vector)}"
                mismatch = mismatch or Mismatch(where, str(value[metric]), "0", f"{', '.join(failed)} fails")
        yield mismatch


def _on_metrics(source: GraderSource, metrics: Sequence[str], conjunction: str) -> Iterator[Mismatch | None]:
    """The value against the rule where each metric is 0 or 1 and every other name holds."""
    if metrics == ["value"]:
        return
    others = {name: expression for name, expression in source.let.items() if name not in metrics}
    free = {**source.intentions, **dict.fromkeys(metrics, Fraction(0))}
    grader = _grader(dataclasses.replace(source, let=others, intentions=free), "value")
    for vector in _vectors(metrics):
        value = grader.value({*source.intentions, *vector})
        found = combined([Fraction(name in vector) for name in metrics], conjunction)
        yield None if value == found else Mismatch(_shown(vector), str(value), str(found))


def _grader(source: GraderSource, name: str) -> Grader:
    return compile_grader(source if name == "value" else dataclasses.replace(source, value=name))


def _vectors(names: Sequence[str]) -> Iterator[Vector]:
    for states in product((False, True), repeat=len(names)):
        yield frozenset(name for name, holds in zip(names, states, strict=True) if holds)


def _shown(vector: Vector) -> str:
    return f"exactly {', '.join(sorted(vector))} hold" if vector else "nothing holds"
