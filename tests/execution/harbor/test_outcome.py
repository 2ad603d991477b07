from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.harbor.outcome import outcome_of, steps_of


def ended(*errors: str, rewards: dict[str, float] | None, valid: bool = True) -> dict[str, Any]:
    exceptions = [{"exception_type": kind, "exception_message": "so"} for kind in errors]
    return {"exceptions": exceptions, "rewards": rewards, "reward_valid": valid}


def test_a_reward_is_the_score_exactly() -> None:
    found = outcome_of(ended(rewards={"reward": 0.1}))
    assert (found.state, found.score, found.reason) == ("scored", Fraction(1, 10), "")


@pytest.mark.parametrize("kind", ["AgentTimeoutError", "TimedOutError"])
def test_over_time(kind: str) -> None:
    found = outcome_of(ended(kind, rewards={"reward": 0.5}))
    assert (found.state, found.score, found.reason) == ("timed_out", Fraction(1, 2), f"{kind}: so")


@pytest.mark.parametrize("kind", ["NonZeroAgentExitCodeError", "AgentFailedError", "ContextWindowExceededError"])
def test_a_known_failure_of_the_agent(kind: str) -> None:
    found = outcome_of(ended(kind, rewards={"reward": 1}))
    assert (found.state, str(found.score)) == ("agent_failed", "1")


@pytest.mark.parametrize(
    "kinds", [("KeyError",), ("RateLimitError",), ("InfrastructureError",), ("AgentTimeoutError", "OSError")]
)
def test_any_other_error_leaves_no_score_whatever_the_reward_says(kinds: tuple[str, ...]) -> None:
    given: tuple[dict[str, float] | None, ...] = ({"reward": 0}, {"reward": 1}, None)
    for rewards in given:
        found = outcome_of(ended(*kinds, rewards=rewards))
        assert (found.state, found.score) == ("infrastructure_failed", None)
        assert found.reason == f"{kinds[-1]}: so"


def test_no_reward_or_one_that_harbor_takes_for_invalid() -> None:
    assert outcome_of(ended(rewards=None)).reason == "the tests gave no reward"
    found = outcome_of(ended("AgentTimeoutError", rewards={"reward": 1}, valid=False))
    assert (found.score, found.reason) == (None, "AgentTimeoutError: so")


@pytest.mark.parametrize("value", [-0.1, 1.5, 1e308])
def test_a_reward_outside_of_the_range_is_no_score(value: float) -> None:
    found = outcome_of(ended(rewards={"reward": value}))
    assert (found.state, found.score) == ("infrastructure_failed", None)
    assert "which is not from 0 to 1" in found.reason


def test_several_rewards() -> None:
    rewards = {"style": 0.5, "work": 1.0}
    assert outcome_of(ended(rewards=rewards)).reason.startswith("the tests give the rewards style, work; name the one")
    assert outcome_of(ended(rewards=rewards), "style").score == Fraction(1, 2)
    assert outcome_of(ended(rewards={**rewards, "reward": 0.25})).score == Fraction(1, 4)
    assert outcome_of(ended(rewards={"only": 0.75})).score == Fraction(3, 4)
    criteria = outcome_of(ended(rewards=rewards), "work").criteria
    assert criteria is not None
    assert {name: (one.held, one.why) for name, one in criteria.items()} == {
        "style": (False, "its reward is 0.5"),
        "work": (True, ""),
    }


def test_the_commands_of_a_trajectory(tmp_path: Path) -> None:
    steps = [
        {"step_id": 1, "source": "user", "message": "x"},
        {
            "source": "agent",
            "tool_calls": [
                {"tool_call_id": "1", "arguments": {"command": "ls\n"}},
                {"tool_call_id": "2", "arguments": {"path": "a", "n": 1}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "2", "content": [{"type": "text", "text": "b"}]},
                    {"source_call_id": "1", "content": "a"},
                ]
            },
        },
        {"source": "agent", "tool_calls": [{"tool_call_id": "3", "arguments": {"keystrokes": "pwd\n"}}]},
    ]
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "trajectory.json").write_text(json.dumps({"steps": steps}))
    found = [(step.command, step.status, step.output) for step in steps_of(tmp_path)]
    assert found == [("ls", None, "a"), ('{"path": "a", "n": 1}', None, "b"), ("pwd", None, "")]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"steps": 3}', '{"steps": [{"tool_calls": [7]}]}'])
def test_a_trajectory_that_is_none(tmp_path: Path, text: str) -> None:
    assert steps_of(tmp_path) == []
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "trajectory.json").write_text(text)
    assert steps_of(tmp_path) == []
