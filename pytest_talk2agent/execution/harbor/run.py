"""The process in which Harbor runs one trial, by its Python API.

It reads one request (a JSON line) from standard input, writes messages (JSON lines) to the descriptor that its argument
names, and stops what runs as soon as standard input is closed, however the one who asked has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.session import text_sha256

Say = Callable[[dict[str, Any]], None]

_KEPT = ("exception_type", "exception_message")


def main() -> None:
    """Answer the request."""
    os.environ["HARBOR_TELEMETRY"] = "0"
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as channel:

        def say(message: dict[str, Any]) -> None:
            channel.write(json.dumps(message) + "\n")
            channel.flush()

        request = json.loads(sys.stdin.buffer.readline())
        try:
            asyncio.run(_until_closed(request, say))
        except BaseException as error:
            why = "".join(traceback.format_exception_only(_innermost(error))).strip()
            say({"kind": "failed", "why": why[-2000:]})


def _innermost(error: BaseException) -> BaseException:
    """The first error of a group of them, in which Harbor runs its trials."""
    inner = error.args[1] if type(error).__name__.endswith("ExceptionGroup") else ()
    return _innermost(inner[0]) if inner else error


async def _until_closed(request: dict[str, Any], say: Say) -> None:
    """Run the trial, or as much of it as there is somebody who waits for it."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    closed = asyncio.ensure_future(reader.read())
    trial = asyncio.ensure_future(_run(request, say))
    done, _ = await asyncio.wait({trial, closed}, return_when=asyncio.FIRST_COMPLETED)
    if trial not in done:
        trial.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await trial
    else:
        trial.result()


async def _run(request: dict[str, Any], say: Say) -> None:
    from harbor.agents.factory import AgentFactory
    from harbor.job import Job
    from harbor.models.job.config import JobConfig
    from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig

    agent = AgentConfig(**request["agent"])
    _note_what_it_receives(AgentFactory.get_agent_class_from_config(agent), request["preamble"], say)
    ended: list[Any] = []

    async def on_end(event: Any) -> None:
        ended.append(event.result)

    config = JobConfig(
        job_name=request["name"],
        jobs_dir=Path(request["jobs"]),
        n_attempts=1,
        n_concurrent_trials=1,
        quiet=True,
        agents=[agent],
        environment=EnvironmentConfig(**request["environment"]),
        tasks=[TaskConfig(path=Path(request["folder"]))],
    )
    job = await Job.create(config)
    job.on_trial_ended(on_end)
    await job.run()
    (result,) = ended
    say({"kind": "ended", **_plain(result)})


def _plain(result: Any) -> dict[str, Any]:
    """What of Harbor's result a record needs, as plain values."""
    used = dict(zip(("input", "cached", "output", "money"), result.compute_token_cost_totals(), strict=True))
    multi = [step.verifier_result for step in result.step_results or [] if step.verifier_result is not None]
    verified = result.verifier_result or (multi[-1] if multi else None)
    return {
        "exceptions": [{name: str(vars(one)[name]) for name in _KEPT} for one in result.recorded_exceptions()],
        "rewards": None if verified is None else verified.rewards,
        "reward_valid": result.reward_valid,
        "used": {name: value for name, value in used.items() if value is not None},
        "agent_version": result.agent_info.version,
        "task_checksum": result.task_checksum,
        "harbor": importlib.metadata.version("harbor"),
        "trial": result.trial_name,
        "steps": [step.to_json() for step in _own_steps()],
    }


def _own_steps() -> list[Any]:
    """The steps of an agent of this project, where one ran."""
    own = sys.modules.get("pytest_talk2agent.execution.harbor.agent")
    return [step for session in own.SESSIONS for step in session.steps] if own is not None else []


def _note_what_it_receives(kind: Any, preamble: str, say: Say) -> None:
    """Have an agent's class say what it is given to do, at the place where Harbor hands it over."""
    run = kind.run

    async def noted(self: Any, instruction: str, *arguments: Any, **options: Any) -> Any:
        say({"kind": "received", "sha256": text_sha256(instruction.removeprefix(preamble))})
        return await run(self, instruction, *arguments, **options)

    kind.run = noted


if __name__ == "__main__":
    main()
