"""The client itself: what other questions than a judge's look like."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_talk2agent.judging.errors import JudgeError
from pytest_talk2agent.judging.model import Model
from pytest_talk2agent.judging.model_options import ModelOptions
from tests.judging.scripted import Scripted, says, scripted_server

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
