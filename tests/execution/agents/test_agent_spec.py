"""Agents as they are named on the command line."""

from __future__ import annotations

import pytest

from pytest_talk2agent.execution.agents.agent_spec import AgentSpec, parse_agents


@pytest.mark.parametrize(
    ("text", "label", "spec"),
    [
        ("obedient", "obedient", "obedient"),
        ("scripted:scripts/all.yaml", "scripted-all.yaml", "scripted:scripts/all.yaml"),
        ("llm:org/model-1.5?steps=3&base_url=http://x", "llm-model-1.5", "llm:org/model-1.5?steps=3&base_url=http://x"),
        ("mine=command:sh run.sh", "mine", "command:sh run.sh"),
        ("command:env A=b sh", "command-env-A-b-sh", "command:env A=b sh"),
    ],
)
def test_a_label_is_given_or_follows_from_the_spec(text: str, label: str, spec: str) -> None:
    (found,) = parse_agents([text])
    assert found == AgentSpec(label, spec)
    assert parse_agents([found.shown]) == (found,)


@pytest.mark.parametrize(
    ("texts", "why"), [(["nop", "x=nop", "nop"], "two agents are called nop"), (["a="], "is empty")]
)
def test_what_cannot_be_told_apart_is_refused(texts: list[str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_agents(texts)
