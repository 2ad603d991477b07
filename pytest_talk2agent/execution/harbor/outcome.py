"""What Harbor says of a trial, as a state, a score and steps.

Harbor takes the reward of a trial whose error it does not know as valid, so that a fault of an agent's program counts
as 0. Here only errors that are known to be the agent's own leave a score; every other one is a missing score.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pytest_talk2agent.execution.checking import Finding
from pytest_talk2agent.execution.record import MOST_STEPS, State, Step, clipped

AGENT_FAILED = {
    *("NonZeroAgentExitCodeError", "ContextWindowExceededError", "OutputTokenExceededError"),
    *("ContextLengthExceededError", "OutputLengthExceededError", "AgentSafetyRefusalError"),
    *("ContentPolicyViolationError", "AgentFailedError"),
}
"""Errors by which an agent has failed: those of Harbor's own policy (0.26), of litellm, and of agents of this proj"""
TIMED_OUT = {"AgentTimeoutError", "TimedOutError"}
_TRAJECTORY = "trajectory.json"
_MOST_READ = 16 << 20
_MOST_REASON = 500


@dataclass(frozen=True)
class Outcome:
    """The state of a trial with its score, where it has one, and why it is not simply scored."""

    state: State
    score: Fraction | None = None
    reason: str = ""
    criteria: Mapping[str, Finding] | None = None


def outcome_of(ended: Mapping[str, Any], reward: str = "") -> Outcome:
    """What came of a trial; ``reward`` names the one that counts where the tests give several."""
    errors = [(error["exception_type"], error["exception_message"]) for error in ended["exceptions"]]
    foreign = [f"{kind}: {message}" for kind, message in errors if kind not in AGENT_FAILED | TIMED_OUT]
    if foreign:
        return _missing(foreign[0])
    rewards = ended["rewards"]
    if not rewards or not ended["reward_valid"]:
        return _missing("; ".join(f"{kind}: {message}" for kind, message in errors) or "the tests gave no reward")
    try:
        score = _score(rewards, reward)
    except ValueError as error:
        return _missing(str(error))
    criteria = {
        name: Finding(value >= 1, "" if value >= 1 else f"its reward is {value:g}") for name, value in rewards.items()
    }
    kinds = {kind for kind, _ in errors}
    state: State = "timed_out" if kinds & TIMED_OUT else "agent_failed" if kinds else "scored"
    return Outcome(state, score, _line(": ".join(errors[0])) if errors else "", criteria)


def _score(rewards: Mapping[str, float], name: str) -> Fraction:
    """The reward that counts: the one that is named, else ``reward``, else the only one."""
    chosen = name or ("reward" if "reward" in rewards else "")
    if not chosen and len(rewards) == 1:
        (chosen,) = rewards
    if chosen not in rewards:
        raise ValueError(
            f"the tests give the rewards {', '.join(sorted(rewards))}; name the one that counts: ?reward=NAME"
        )
    score = Fraction(str(rewards[chosen])) if abs(rewards[chosen]) <= 1 else Fraction(-1)
    if score < 0:
        raise ValueError(f"the reward {chosen} is {rewards[chosen]:g}, which is not from 0 to 1")
    return score


def steps_of(folder: Path) -> list[Step]:
    """The commands in the trajectory of a trial's folder (ATIF), each with what came back; none where there is none."""
    places = [folder / "agent", *sorted(folder.glob("steps/*/agent"))]
    path = next((place / _TRAJECTORY for place in places if (place / _TRAJECTORY).is_file()), None)
    if path is None or path.stat().st_size > _MOST_READ:
        return []
    found: list[Step] = []
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        for step in json.loads(path.read_text(encoding="utf-8", errors="replace"))["steps"]:
            results = ((step.get("observation") or {}).get("results")) or []
            said = {result.get("source_call_id"): _text(result.get("content")) for result in results}
            for call in step.get("tool_calls") or []:
                command = _command(call["arguments"])
                output = said.get(call.get("tool_call_id")) or said.get(None) or ""
                found.append(Step(clipped(command), None, clipped(output)))
    return found[:MOST_STEPS]


def _command(arguments: Mapping[str, Any]) -> str:
    for name in ("command", "cmd", "keystrokes"):
        if isinstance(arguments.get(name), str):
            return str(arguments[name]).rstrip("\n")
    return json.dumps(arguments, ensure_ascii=False)


def _text(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(str(part.get("text", "")) for part in content)


def _missing(why: str) -> Outcome:
    return Outcome("infrastructure_failed", reason=_line(why))


def _line(text: str) -> str:
    return " ".join(text.split())[:_MOST_REASON]
