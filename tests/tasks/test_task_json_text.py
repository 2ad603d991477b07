"""JSON that says one thing."""

from __future__ import annotations

import pytest

from pytest_talk2agent.tasks.json_text import parse_json


def test_what_is_json_is_read() -> None:
    assert parse_json('{"a": [1, {"b": null}], "c": {"a": 2}}') == {"a": [1, {"b": None}], "c": {"a": 2}}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "c": 2, "a": 3}}]', '{"a": 1, "\\u0061": 2}'])
def test_a_key_stands_once_in_an_object(text: str) -> None:
    with pytest.raises(ValueError, match="the key 'a' is there twice"):
        parse_json(text)
