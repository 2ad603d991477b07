"""The agent that is a model: what is sent, what is done, what bounds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.agents.llm import PROMPT, TEXT_PROMPT
from pytest_talk2agent.execution.agents.registry import make_agent
from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.execution.session import text_sha256
from pytest_talk2agent.execution.trial import Trials
from pytest_talk2agent.tasks.task import Task
from tests.execution.agents.conftest import TASK, load
from tests.judging.scripted import Answer, Scripted, scripted_server

pytest.importorskip("httpx", reason="a served model needs httpx")
pytestmark = pytest.mark.usefixtures("sandbox")

HEARD = 'move a.txt to b.txt {{"}} please'


def message(content: str | None, *calls: object, finish: str = "stop", **fields: object) -> Mapping[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": content, **fields}
    if calls:
        said["tool_calls"] = list(calls)
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return {"choices": [{"message": said, "finish_reason": finish}], "usage": usage, "model": "m"}


def bash(command: str, name: str = "bash") -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps({"command": command})}}


def says(*answers: Mapping[str, Any], status: int = 200) -> list[Answer]:
    def one(body: Mapping[str, Any]) -> Answer:
        return lambda _: (status, body)

    return [one(answer) for answer in answers]


def run(task: Task, answers: list[Answer], options: str = "") -> tuple[TrialRecord, Scripted]:
    with scripted_server(*answers) as server:
        spec = f"llm:m?base_url={server.url}&attempts=1{options}"
        return Trials(spec).run(task, HEARD), server


def test_it_acts_until_it_is_done(task: Task) -> None:
    record, server = run(
        task, says(message(None, bash("ls")), message("Now", bash("mv a.txt b.txt; echo ok; exit 3")), message("Done"))
    )
    assert (record.state, str(record.score), record.reason) == ("scored", "1", "")
    assert [step.command for step in record.steps] == ["ls", "mv a.txt b.txt; echo ok; exit 3"]
    assert record.cost == {"requests": 3, "tokens": 330}
    first, last = server.asked[0], server.asked[2]
    assert first["messages"] == [{"role": "system", "content": PROMPT}, {"role": "user", "content": HEARD}]
    assert record.received_sha256 == text_sha256(HEARD)
    assert (first["temperature"], [tool["function"]["name"] for tool in first["tools"]]) == (0, ["bash"])
    assert last["messages"][-1] == {"role": "tool", "tool_call_id": "c1", "content": "status 3\nok\n"}


def test_calls_that_are_none_are_told_so(task: Task) -> None:
    odd: list[object] = [
        bash("ls", name="python"),
        {"id": "x", "function": {"name": "bash", "arguments": "{"}},
        {"id": "y", "function": {"name": "bash", "arguments": '{"command": 5}'}},
        {"function": None},
        7,
    ]
    record, server = run(task, says(message(None, *odd), message("Done")))
    assert (record.state, record.steps) == ("scored", ())
    told = [said["content"] for said in server.asked[1]["messages"] if said["role"] == "tool"]
    assert len(told) == 5
    assert all("there is one tool, bash" in text for text in told)


@pytest.mark.parametrize(
    ("answers", "options", "state", "reason"),
    [
        (says(message(None, bash("true"))), "&steps=3", "agent_failed", "the agent took more than 3 steps"),
        (says(message(None, bash("true"))), "&tokens=200", "agent_failed", "the agent used more than 200 tokens"),
        (says(message(None, bash("sleep 60"))), "", "timed_out", "the agent's 5 s were over"),
        (says(message("No", refusal="I will not")), "", "agent_failed", "the model refused: I will not"),
        (says(message("x", finish="length")), "", "agent_failed", "ran into its limit of tokens"),
        (says({"error": {"message": "no such model"}}, status=404), "", "infrastructure_failed", "no such model"),
        (says({}), "", "infrastructure_failed", "malformed"),
        (
            says(message(None, bash("true"))),
            "&budget=0.001&price_per_request=0.0004",
            "infrastructure_failed",
            "the budget of 0.001 would be exceeded",
        ),
    ],
)
def test_what_ends_it(tmp_path: Path, answers: list[Answer], options: str, state: str, reason: str) -> None:
    task = load(tmp_path)
    record, _ = run(task, answers, options)
    assert record.state == state
    assert reason in record.reason
    assert (record.score is None) is (state == "infrastructure_failed")


def test_a_server_that_is_slow_is_given_up_when_the_time_is_over(tmp_path: Path) -> None:
    import time

    def slow(_: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        time.sleep(4)
        return 200, message("Done")

    record, _ = run(load(tmp_path, TASK.replace("time_limit: 5", "time_limit: 0.5")), [slow])
    assert (record.state, record.reason) == ("timed_out", "the agent's time was over")


def test_the_key_stays_outside(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T2A_TEST_KEY", "hunter2")
    record, server = run(task, says(message(None, bash("env")), message("Done")), "&key_env=T2A_TEST_KEY")
    assert server.keys[0] == "Bearer hunter2"
    assert "hunter2" not in json.dumps(record.to_json())


def test_prices_are_no_part_of_what_it_is() -> None:
    one, two, three = (
        make_agent(f"llm:m?base_url=http://127.0.0.1:1/v1{options}").identity()
        for options in ("", "&price_per_request=1&timeout=5", "&steps=5")
    )
    assert one == two != three


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("llm:?steps=5", "write llm:MODEL"),
        ("llm:m?step=5", "did you mean 'steps'"),
        ("llm:m?steps=0", "option steps must lie between 1 and 500"),
        ("llm:m?base_url=http://127.0.0.1:1/v1&budget=5", "a budget needs to know the price"),
    ],
)
def test_specs_that_are_refused(spec: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        make_agent(spec)


def test_a_model_that_cannot_call_tools_writes_commands(task: Task) -> None:
    first = "I look.\n```bash\nls\n```\nand\n```bash\nrm a.txt\n```"
    answers = says(message(first), message("```sh\nmv a.txt b.txt && echo ok\n```"), message("```python\nx\n``` DONE"))
    record, server = run(task, answers, "&calls=text")
    assert (record.state, str(record.score)) == ("scored", "1")
    assert [step.command for step in record.steps] == ["ls\n", "mv a.txt b.txt && echo ok\n"]
    assert "tools" not in server.asked[0]
    assert server.asked[0]["messages"] == [
        {"role": "system", "content": TEXT_PROMPT},
        {"role": "user", "content": HEARD},
    ]
    assert server.asked[2]["messages"][-1] == {"role": "user", "content": "status 0\nok\n"}
    assert record.identity["prompt"] == "text-1"


def test_the_end_in_a_block_is_the_end(task: Task) -> None:
    record, server = run(task, says(message("```bash\nDONE\n```")), "&calls=text")
    assert (record.state, record.steps, len(server.asked)) == ("scored", (), 1)


def test_how_commands_come_is_an_option() -> None:
    with pytest.raises(AgentError, match="option calls=voice: write tools, or text"):
        make_agent("llm:m?base_url=http://127.0.0.1:1&calls=voice")
