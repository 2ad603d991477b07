"""The program inside the sandbox: one grader, run on the worlds of many states.

It reads a request from standard input (``grader`` and ``world``, both source text; ``states``, each from names to
whether they hold; ``seconds`` for one state) and writes one JSON line a state: ``score`` and ``result``, or ``error``,
and the ``missing`` Python modules, those that were asked for in vain. Each state has a process of its own and a fresh
workspace, so one that crashes or hangs takes no other with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_talk2agent.execution import stubs
from pytest_talk2agent.execution.inside import MOST_FILES, end_all, read_line, set_dumpable
from pytest_talk2agent.execution.world import WORKSPACE, World

FOLDERS = (str(WORKSPACE), "/claude_code")
"""What graders expect in the container, besides the home."""

_SCRATCH = (*FOLDERS, "/root", "/tmp")
_MOST_SHOWN = 2000
_MOST_MISSING = 50


class _Missing:
    """A finder that finds nothing and remembers what nobody before it found."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        if path is None:
            self.names[name] = None


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    # What a grader runs as may else open this process's files, the answers among them, below /proc.
    set_dumpable(False)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        for state in request["states"]:
            for folder in _SCRATCH:
                empty(Path(folder))
            lines.write(json.dumps(_in_a_process(request, state)) + "\n")
            lines.flush()


def _in_a_process(request: Mapping[str, Any], state: Mapping[str, bool]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        set_dumpable(True)
        os.setsid()
        # A grader has one way out: its own answer, which the parent checks.
        os.closerange(3, writing)
        os.closerange(writing + 1, MOST_FILES)
        line = json.dumps(run(request["grader"], request["world"], state))
        with contextlib.suppress(OSError), os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(line + "\n")
        os._exit(0)
    os.close(writing)
    answer, late = read_line(reading, request["seconds"])
    status = end_all(child)
    if late:
        return failed(f"stopped after {request['seconds']:g} s")
    if not answer:
        how = f"was killed by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "ended before it was done"
        return failed(f"the grader's process {how}")
    return checked(answer)


def failed(error: str) -> dict[str, Any]:
    """The answer about a state that has no score."""
    return {"error": error, "missing": []}


def checked(line: bytes) -> dict[str, Any]:
    """An answer, if the line is one: foreign code had the means to write it."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return failed("the grader wrote something else than its answer")
    if not isinstance(answer, dict):
        return failed("the grader wrote something else than its answer")
    missing, score, result, error = (answer.get(name) for name in ("missing", "score", "result", "error"))
    if isinstance(missing, list) and all(isinstance(name, str) for name in missing):
        names = [name[:_MOST_SHOWN] for name in missing[:_MOST_MISSING]]
        if isinstance(score, int | float) and not isinstance(score, bool) and isinstance(result, str):
            return {"score": score, "result": result[:_MOST_SHOWN], "missing": names}
        if "score" not in answer and isinstance(error, str):
            return {"error": error[-_MOST_SHOWN:], "missing": names}
    return failed("the grader wrote something else than its answer")


def run(grader: str, world: str, state: Mapping[str, bool]) -> dict[str, Any]:
    """Lay out the world of a state and grade it, in this process."""
    missing = _Missing()
    sys.meta_path.append(missing)
    try:
        answer = _graded(grader, world, state)
    except BaseException:
        answer = {"error": traceback.format_exc()[-_MOST_SHOWN:]}
    return {**answer, "missing": list(missing.names)}


def _graded(grader: str, source: str, state: Mapping[str, bool]) -> dict[str, Any]:
    for name in ("results", "gt"):
        (WORKSPACE / name).mkdir()
    os.chdir(WORKSPACE)
    world = World(state, grader)
    _module("t2a_world", source).build(world)
    stubs.install(world)
    result = _module("t2a_grader", grader).grade(transcript=world.transcript, workspace_path=str(WORKSPACE))
    return {"score": score_of(result), "result": json.dumps(result, ensure_ascii=False, default=str)[:_MOST_SHOWN]}


def _module(name: str, source: str) -> Any:
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"<{name}>", "exec"), vars(module))
    return module


def score_of(result: Mapping[str, Any]) -> float:
    """The score as the benchmark's runner takes it: ``overall_score``, or else the mean of all numbers."""
    if "overall_score" in result:
        return float(result["overall_score"])
    numbers = [value for value in result.values() if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers:
        raise ValueError("the grader returned no number")
    return sum(numbers) / len(numbers)


def empty(folder: Path) -> None:
    """Delete what is in a folder; what is mounted in it, such as the interpreter, stays."""
    for entry in folder.iterdir():
        if entry.is_symlink() or not entry.is_dir():
            entry.unlink()
        elif not entry.is_mount():
            empty(entry)
            with contextlib.suppress(OSError):  # a mount below
                entry.rmdir()


if __name__ == "__main__":
    main()
