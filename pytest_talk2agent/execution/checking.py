"""What of a task an agent's workspace shows: the outcome of every criterion, and the score that they make."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.execution import check_run
from pytest_talk2agent.execution.sandbox import Limits, SandboxError
from pytest_talk2agent.execution.workspace import Workspace
from pytest_talk2agent.grading.grader import Grader, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
from pytest_talk2agent.tasks.executable import Execution
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.tasks.task import Task

ENDED = "the sandbox ended in this check: "
SECONDS_A_CHECK = 20
SECONDS = 120


@dataclass(frozen=True)
class Finding:
    """Whether a criterion is satisfied, and why it is not."""

    held: bool
    why: str = ""


def sources_of(task: Task, execution: Execution) -> dict[str, str]:
    """The text of every Python file that a check names."""
    parts = (part for check in execution.checks.values() for part in check.walk())
    files = {part.python.partition(":")[0] for part in parts if part.python is not None}
    return {file: read_utf8(task.resolve(file)) for file in sorted(files)}


def check_workspace(task: Task, execution: Execution, workspace: Workspace) -> dict[str, Finding]:
    """Look at every criterion of a task, in a sandbox that cannot write to the workspace.

    A check that ends the sandbox, by what an agent left for it to run, say, is one that does not hold.

    Raises:
        SandboxError: where the sandbox cannot be had.
    """
    sandbox = workspace.grader_sandbox()
    checks = {name: check.to_json() for name, check in execution.checks.items()}
    request = {"tops": workspace.tops, "sources": sources_of(task, execution), "seconds": SECONDS_A_CHECK}
    found: list[Finding] = []
    end = time.monotonic() + SECONDS
    while len(found) < len(checks):
        rest = dict(list(checks.items())[len(found) :])
        limits = Limits(seconds=max(0.0, end - time.monotonic()))
        ended = sandbox.run(check_run.__name__, json.dumps({**request, "checks": rest}), limits)
        whole = ended.output[: ended.output.rfind("\n") + 1].splitlines()
        found += [Finding(**check_run.checked(line.encode())) for line in whole[: len(rest)]]
        if len(found) < len(checks):
            if ended.broken:
                raise SandboxError(ended.broken)
            why = ended.stopped or ended.errors[-300:].strip() or f"status {ended.status}"
            found.append(Finding(False, f"{ENDED}{why}"))
            if time.monotonic() >= end:
                found += [Finding(False, f"no time was left: {why}")] * (len(checks) - len(found))
    return dict(zip(checks, found, strict=True))


def open_grader(task: Task) -> Grader:
    """The task's grader with its fixed criteria as further players, so that each can be what it was found to be.

    Raises:
        ValueError: where the value can leave the task's range when a fixed criterion is violated.
    """
    source = task.grader_source
    opened = {**source.intentions, **dict.fromkeys(source.fixed, Fraction(0))}
    try:
        return compile_grader(dataclasses.replace(source, intentions=opened, fixed={}))
    except GraderError as error:
        raise ValueError(str(task.problem(error))) from error


def score_of(task: Task, findings: Mapping[str, Finding]) -> Fraction:
    """The task's own value of what was found, exact, as a share of its range."""
    value = open_grader(task).value([name for name, finding in findings.items() if finding.held])
    lowest, highest = task.range
    return (value - lowest) / (highest - lowest)
