from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from pytest_talk2agent.interfaces.http import Reply
from pytest_talk2agent.interfaces.usage import Usage


def usage(body: dict[str, Any], **headers: str) -> Usage:
    return Usage.of(Reply(body, {name.replace("_", "-"): value for name, value in headers.items()}))


def test_tokens_of_a_transcription() -> None:
    body = {
        "text": "x",
        "usage": {
            "type": "tokens",
            "input_tokens": 14,
            "input_token_details": {"text_tokens": 4, "audio_tokens": 10},
            "output_tokens": 45,
            "total_tokens": 59,
        },
    }
    found = usage(body)
    assert found == Usage(input_tokens=14, output_tokens=45, audio_tokens=10)
    assert found.detail() == {"input_tokens": 14, "output_tokens": 45, "audio_tokens": 10}


def test_tokens_of_a_chat() -> None:
    body = {"usage": {"prompt_tokens": 200, "completion_tokens": 9, "prompt_tokens_details": {"audio_tokens": 120}}}
    assert usage(body) == Usage(input_tokens=200, output_tokens=9, audio_tokens=120)


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"usage": {"type": "duration", "seconds": 7}}, 7.0),
        ({"duration": 3.25}, 3.25),
        ({"duration": "3.25"}, 3.25),
        ({"usage": {"seconds": 8}, "duration": 7.6}, 8.0),
        ({"duration": "long"}, None),
        ({"duration": -1}, None),
        ({"duration": "inf"}, None),
    ],
)
def test_seconds_of_audio(body: dict[str, Any], seconds: float | None) -> None:
    assert usage(body).audio_seconds == seconds


def test_costs_that_a_server_names() -> None:
    assert usage({"usage": {"cost": 0.0021}}).cost == Decimal("0.0021")
    assert usage({}, x_litellm_response_cost="1.5e-05").cost == Decimal("0.000015")
    assert usage({"usage": {"cost": 9}}, x_litellm_response_cost="0.25").cost == Decimal("0.25")


@pytest.mark.parametrize("cost", ["None", "", "NaN", "-1", "Infinity", None, True, [1]])
def test_a_cost_that_is_none_is_not_believed(cost: Any) -> None:
    assert usage({"usage": {"cost": cost}}).cost is None
    if isinstance(cost, str):
        assert usage({}, x_litellm_response_cost=cost).cost is None


@pytest.mark.parametrize(
    "body", [{}, {"usage": None}, {"usage": []}, {"usage": {"input_tokens": "many", "output_tokens": -1}}]
)
def test_a_server_that_says_nothing_of_use(body: dict[str, Any]) -> None:
    assert usage(body) == Usage()
    assert usage(body).detail() == {}
