"""The client itself: what other questions than a judge's look like."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_talk2agent.judging.judge import JudgeError
from pytest_talk2agent.judging.model import KIND, Model, ModelOptions
from pytest_talk2agent.results.store import Store
from tests.judging.scripted import Body, Scripted, says, scripted_server

pytest.importorskip("httpx")

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def server() -> Iterator[Scripted]:
    with scripted_server(says({"n": 3})) as scripted:
        yield scripted


def test_a_prompt_that_holds_its_data_is_the_users_message(server: Scripted) -> None:
    model = Model("counting", "tidy", ModelOptions(base_url=server.url, votes=1))
    assert model("How many?", SCHEMA) == {"n": 3}
    [request] = server.asked
    assert request["messages"] == [{"role": "user", "content": "How many?"}]
    assert request["response_format"]["json_schema"]["schema"] == SCHEMA


def test_those_who_ask_the_same_at_the_same_time_are_told_the_same(server: Scripted) -> None:
    together = threading.Barrier(4)

    def slow(body: Body) -> tuple[int, Body]:
        time.sleep(0.2)
        return says({"n": len(server.asked)})(body)

    server.answers = [slow]
    model = Model("counting", "tidy", ModelOptions(base_url=server.url))

    def ask(question: str) -> object:
        together.wait()
        return model(question, SCHEMA)

    with ThreadPoolExecutor(4) as pool:
        first, second, third, other = pool.map(ask, ["How many?", "How many?", "How many?", "How much?"])
    assert first == second == third
    assert isinstance(other, dict)
    assert len(server.asked) == 2
    assert model("How many?", SCHEMA) == first  # nothing is kept, and still one request has one answer
    assert len(server.asked) == 2


def test_an_error_is_that_of_all_who_asked_and_the_next_one_asks_again(server: Scripted) -> None:
    server.answers = [lambda body: (400, {"error": {"message": "no such model"}}), says({"n": 1})]
    model = Model("counting", "tidy", ModelOptions(base_url=server.url))
    with pytest.raises(JudgeError, match="no such model"):
        model("How many?", SCHEMA)
    assert model("How many?", SCHEMA) == {"n": 1}


def test_what_was_asked_is_kept_beside_the_answer(server: Scripted, tmp_path: Path) -> None:
    model = Model("counting", "tidy", ModelOptions(base_url=server.url))
    model.keep_in(Store(tmp_path))
    model.ask("How many?", {"of": "these"}, SCHEMA, dict, vote=2)
    [kept] = [json.loads(path.read_text())["data"] for path in (tmp_path / KIND).rglob("*.json")]
    assert kept["answer"] == {"n": 3}
    assert kept["asked"] == {"base_url": server.url, "vote": 2, "request": server.asked[0]}


def test_a_check_may_turn_an_answer_down(server: Scripted) -> None:
    model = Model("counting", "tidy", ModelOptions(base_url=server.url))

    def even(answer: object) -> int:
        assert isinstance(answer, dict)
        if answer["n"] % 2:
            raise ValueError("an odd number")
        return int(answer["n"])

    with pytest.raises(JudgeError, match="counting: no valid answer in 2 tries: an odd number"):
        model.ask("How many?", {"of": "these"}, SCHEMA, even)
    server.answers = [says({"n": 3}), says({"n": 4})]
    assert model.ask("How many?", {"of": "these"}, SCHEMA, even) == 4
