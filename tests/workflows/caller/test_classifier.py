from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.caller.classifier import ClassifierError, ModelClassifier, RecordedClassifier
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.remote.provider import Served, answer, chat_body, error, serving
from tests.workflows.toys import interview, load


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(lambda samples: '{"labels": []}') as server:
        yield server


@pytest.fixture
def mumbling(tmp_path: Path) -> Package:
    """An interview whose first question no pattern knows."""
    toy = interview()
    toy["reference/policy.yaml"]["turns"][0]["text"] = "So tell me what you have done so far."
    return load(toy, tmp_path)


def classifier(served: Served) -> ModelClassifier:
    return ModelClassifier(f"llm:tiny?base_url={served.url}&attempts=1")


def labels(*keys: Any) -> Any:
    return answer(chat_body(json.dumps({"labels": list(keys)})))


def test_a_model_sees_what_no_pattern_does_and_its_answers_play_again(mumbling: Package, served: Served) -> None:
    oracle = make_agent("oracle")
    deaf = trace_of(replay(run_session(mumbling, oracle, "oracle").to_bytes()))
    assert "ASK:experience" not in [act.key for act in deaf.acts]
    served.faults += [labels("ASK:experience", "ASK:salary", 5)]
    log = run_session(mumbling, oracle, "oracle", classifier=classifier(served))
    trace = trace_of(replay(log.to_bytes()))
    assert score_session(mumbling, trace).mended.success is True
    assert (trace.acts[0].key, trace.acts[0].source) == ("ASK:experience", "model")
    sent = json.loads(served.asked[0].fields["messages"][1]["content"])
    assert sent == {
        "utterance": "So tell me what you have done so far.",
        "labels": ["ASK:experience", "ASK:leadership"],
    }
    recorded = RecordedClassifier(event.payload for event in log.events if event.type == "POLICY_EVENT")
    again = run_session(mumbling, oracle, "oracle", classifier=recorded)
    kinds = [(event.type, event.media_time_ms) for event in log.events]
    assert [(event.type, event.media_time_ms) for event in again.events] == kinds


def test_an_answer_that_is_none_is_logged_as_it_came(mumbling: Package, served: Served) -> None:
    served.faults += [answer(chat_body("I think it is a question."))]
    log = run_session(mumbling, make_agent("oracle"), "oracle", classifier=classifier(served))
    noted = [event.payload for event in log.events if event.payload.get("kind") == "classifier"]
    assert "I think it is a question." in noted[0]["answer"]
    assert noted[0]["error"]
    assert noted[0]["keys"] == []


def test_a_model_that_is_gone_fails_the_infrastructure(mumbling: Package, served: Served) -> None:
    served.faults += [error(500)]
    log = run_session(mumbling, make_agent("oracle"), "oracle", classifier=classifier(served))
    assert log.events[-1].payload["state"] == "infrastructure_failed"
    assert "server-error" in log.events[-1].payload["failure"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [("gpt", "write llm:MODEL"), ("llm:", "write llm:MODEL"), ("llm:m?colour=1", "unknown option 'colour'")],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, said: str) -> None:
    with pytest.raises(ClassifierError, match=said):
        ModelClassifier(spec)
