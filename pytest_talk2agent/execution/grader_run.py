"""The program inside the sandbox: one grader, run on the worlds of many states.

It reads a request from standard input (``grader`` and ``world``, both source text; ``states``, each from names to
whether they hold; ``seconds`` for one state) and writes one JSON line a state: ``score`` and ``result``, or ``error``,
and the ``missing`` Python modules, those that were asked for in vain. Each state has a process of its own and a fresh
workspace, so one that crashes or hangs takes no other with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_talk2agent.execution import sandbox, stubs
from pytest_talk2agent.execution.world import WORKSPACE, World

FOLDERS = (str(WORKSPACE), "/claude_code")
"""What graders expect in the container, besides the home."""

_SCRATCH = (*FOLDERS, "/root", "/tmp")
_MOST_SHOWN = 2000
_MOST_MISSING = 50
_MOST_ANSWER = 1 << 20
_MOST_FILES = 4096
_SECONDS_TO_END = 2


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
    _set_dumpable(False)
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
        _set_dumpable(True)
        os.setsid()
        # A grader has one way out: its own answer, which the parent checks.
        os.closerange(3, writing)
        os.closerange(writing + 1, _MOST_FILES)
        line = json.dumps(run(request["grader"], request["world"], state))
        with contextlib.suppress(OSError), os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(line + "\n")
        os._exit(0)
    os.close(writing)
    answer, late = _read(reading, request["seconds"])
    status = _end_all(child)
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


def _read(descriptor: int, seconds: float) -> tuple[bytes, bool]:
    """The first line that comes, and whether it took too long; what is longer than any answer is cut."""
    end = time.monotonic() + seconds
    found = b""
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            part = pipe.read(1 << 16)
            found += part
            if not part or b"\n" in part or len(found) > _MOST_ANSWER:
                return found.partition(b"\n")[0], False
    return found, True


def _end_all(child: int) -> int:
    """End a grader with all that it started, daemons too, so that nothing of it meets the next one; its status."""
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    end = time.monotonic() + _SECONDS_TO_END
    while _is_alone() and time.monotonic() < end:
        try:
            os.kill(-1, signal.SIGKILL)  # everybody but this process and the first one
        except ProcessLookupError:
            break
        select.select([], [], [], 0.001)
    return status


def _is_alone() -> bool:
    """Whether all processes that there are, are those of a sandbox: whoever ends them all must be sure."""
    return os.getppid() == 1 and sys.path[0] == sandbox.PACKAGE and not Path("/etc/passwd").exists()


def _set_dumpable(value: bool) -> None:
    ctypes.CDLL(None).prctl(4, int(value), 0, 0, 0)  # PR_SET_DUMPABLE


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
