"""The process in which ``desktop_env`` runs one episode: a file that needs nothing of this package.

It reads one request (a JSON line) from standard input and writes messages (JSON lines) to the descriptor that its
argument names. The order of calls is that of OSWorld's own runner: reset, wait, predict and step by turns, wait,
evaluate.
"""

from __future__ import annotations

import hashlib
import json
import os
import pkgutil
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.stdin.buffer.readline())
    sys.path[:0] = request["folders"]
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as channel:

        def say(message: dict[str, Any]) -> None:
            channel.write(json.dumps(message) + "\n")
            channel.flush()

        environment: Any = None
        try:
            environment = load(request["class"])(**request["environment"])
            _end_with_the_input(environment)
            say({"kind": "ended", **episode(environment, request, say)})
        except BaseException as error:
            why = "".join(traceback.format_exception_only(type(error), error)).strip()
            say({"kind": "failed", "why": why[-2000:]})
        finally:
            if environment is not None:
                environment.close()


def load(name: str) -> Any:
    """What ``module:Name`` names."""
    return pkgutil.resolve_name(name)


def episode(environment: Any, request: dict[str, Any], say: Say) -> dict[str, Any]:
    """Reset, let the agent act, evaluate; the result, and whether the agent came to its end."""
    agent = None if request["agent"] is None else load(request["agent"])(**request["agent_options"])
    observation = environment.reset(task_config=request["task"])
    time.sleep(request["settle"])
    instruction = environment.instruction
    say({"kind": "received", "sha256": hashlib.sha256(instruction.encode("utf-8", "surrogatepass")).hexdigest()})
    if agent is None:
        environment.step("DONE", 0)
        return {"result": environment.evaluate(), "done": True}
    agent.reset()
    done = False
    for _ in range(request["steps"]):
        _, actions = agent.predict(instruction, observation)
        for action in actions:
            say({"kind": "step", "action": action if isinstance(action, str) else json.dumps(action, default=str)})
            observation, _, done, _ = environment.step(action, request["pause"])
            if done:
                break
        if done:
            break
    time.sleep(request["settle_end"])
    return {"result": environment.evaluate(), "done": done}


def _end_with_the_input(environment: Any) -> None:
    """Close the environment, and its machine with it, when who asked has closed our input, however it ended."""

    def wait() -> None:
        sys.stdin.buffer.read()
        environment.close()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
