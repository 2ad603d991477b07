from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import AgentError
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.text import CUT
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.remote.provider import Served, answer, chat_body, error, raw, serving
from tests.workflows.toys import expense, interview, load


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(lambda samples: "I have nothing more to say.") as server:
        yield server


def held(package: Package, served: Served, options: str = "") -> Trace:
    spec = f"text:tiny?base_url={served.url}&attempts=1{options}"
    return trace_of(replay(run_session(package, make_agent(spec), "text:tiny").to_bytes()))


def calls(*named: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in named
    ]


def says(text: str, *named: tuple[str, str]) -> Any:
    return answer(chat_body(text, tool_calls=calls(*named)) if named else chat_body(text))


def streams(text: str, *named: tuple[str, str], usage: dict[str, int] | None = None) -> Any:
    deltas: list[dict[str, Any]] = [{"content": word} for word in text.split(" ")]
    for index, call in enumerate(calls(*named)):
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": index, "id": call["id"], "function": function}]})
        for sign in call["function"]["arguments"]:
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": sign}}]})
    rows: list[dict[str, Any]] = [{"choices": [{"delta": delta}]} for delta in deltas]
    rows += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage or {}}]
    text = "".join(f"data: {json.dumps(row)}\n\n" for row in rows)
    return raw(f"{text}data: [DONE]\n\n".encode(), kind="text/event-stream")


EVIDENCE = json.dumps({"fields": {"evidence": ["four years of night shifts", "led a team of six"]}})


def test_a_model_does_the_interview_over_streams_with_parallel_calls(tmp_path: Path, served: Served) -> None:
    package = load(interview(), tmp_path)
    served.faults += [
        streams("Welcome. What is your experience?"),
        streams("Have you led people before?", usage={"prompt_tokens": 30, "completion_tokens": 5}),
        streams("", ("set_evidence", EVIDENCE), ("set_ready", "")),
        streams("Goodbye.", ("end_call", "{}")),
    ]
    trace = held(package, served)
    assert score_session(package, trace).mended.success is True
    assert (trace.end, trace.turns, [call.tool for call in trace.calls]) == ("agent", 4, ["set_evidence", "set_ready"])
    first, *_, last = [asked.fields for asked in served.asked]
    assert first["stream"] is True
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [tool["function"]["name"] for tool in first["tools"]] == ["set_evidence", "set_ready", "end_call"]
    roles = [message["role"] for message in last["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "assistant", "tool", "tool"]
    assert json.loads(last["messages"][-1]["content"])["result"] == {
        "artifact_id": "screen_1",
        "lifecycle": "READY_FOR_REVIEW",
    }


def test_only_what_was_heard_stays_in_the_history(tmp_path: Path, served: Served) -> None:
    policy = expense()["reference/policy.yaml"]["turns"]
    for turn in policy:
        sent = [(one["name"], json.dumps(one["args"])) for one in turn.get("tool_calls", [])]
        served.faults += [says(turn["text"], *sent)] + ([says("")] if sent else [])
    trace = held(load(expense(), tmp_path), served, "&stream=0")
    assert any(clip.cut for clip in trace.clips)
    messages = served.asked[-1].fields["messages"]
    cut = [message["content"] for message in messages if CUT in str(message["content"])]
    assert cut == [f"So the total is 240{CUT}"]
    assert "stream" not in served.asked[0].fields


def test_malformed_calls_are_errors_that_the_model_is_told(tmp_path: Path, served: Served) -> None:
    served.faults += [
        says("", ("set_evidence", '{"fields": {'), ("no_such", "[]"), ("set_ready", "null")),
        says("Sorry. Goodbye.", ("end_call", "")),
    ]
    trace = held(load(interview(), tmp_path), served)
    assert [(call.ok, call.args) for call in trace.calls] == [(False, None)] * 3
    told = [message for message in served.asked[1].fields["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in told] == ["call_set_evidence", "call_no_such", "call_set_ready"]
    assert all(json.loads(message["content"])["ok"] is False for message in told)
    assistant = served.asked[1].fields["messages"][2]
    assert all(json.loads(call["function"]["arguments"]) == {} for call in assistant["tool_calls"])


@pytest.mark.parametrize(
    ("fault", "said"),
    [(error(500), "server-error"), (raw(b"data: {\n\n", kind="text/event-stream"), "malformed"), (error(401), "key")],
)
def test_a_failing_server_is_not_the_models_fault(tmp_path: Path, served: Served, fault: Any, said: str) -> None:
    served.faults += [says("Welcome."), fault]
    trace = held(load(interview(), tmp_path), served)
    assert trace.state == "infrastructure_failed"
    assert said in trace.failure


def test_a_budget_stops_before_it_is_exceeded(tmp_path: Path, served: Served) -> None:
    prices = "&price_per_request=1&budget=2"
    served.faults += [says("Welcome."), says("And?"), says("And?")]
    trace = held(load(interview(), tmp_path), served, prices)
    assert trace.state == "infrastructure_failed"
    assert "the budget of 2 would be exceeded" in trace.failure
    assert len(served.asked) == 2


def test_too_many_tokens_are_the_models_fault(tmp_path: Path, served: Served) -> None:
    served.faults += [streams("Hello.", usage={"prompt_tokens": 90, "completion_tokens": 20})]
    trace = held(load(interview(), tmp_path), served, "&tokens=100")
    assert (trace.state, trace.end) == ("finished", "agent-failed")
    assert trace.failure == "the agent used more than 100 tokens"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("text:", "write text:MODEL"),
        ("text:m?", "write text:MODEL"),
        ("text:m?colour=red", "unknown option 'colour'"),
        ("text:m?temperature=9", "temperature must be a number from 0 to 2"),
        ("text:m?base_url=http://127.0.0.1:9&budget=1", "a budget needs to know the price"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        make_agent(spec)
