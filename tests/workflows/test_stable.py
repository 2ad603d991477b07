from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.stable import (
    canonical,
    digest_of,
    stable_choice,
    stable_int,
    stable_key,
    stable_random,
)

VECTORS = Path(__file__).parents[3] / "shared/data/apex/unit_vectors.json"


def test_the_vectors_of_apex_voice() -> None:
    assert stable_key("a", 1, "b") == "7931f823c3c09c216d4a216d8fa9e8ee"
    assert stable_int("a", 1, "b") == 8733033984939826209
    assert stable_random("s", 1).random() == 0.9573456740005398


def test_every_vector_of_the_file() -> None:
    if not VECTORS.exists():
        pytest.skip("the vectors are not on this machine")
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert [stable_key(*parts) for parts, _ in vectors["stable_key"]] == [key for _, key in vectors["stable_key"]]
    for condition, plans in vectors["variant_choice_seed1"].items():
        scenario = f"toy_form_001@1.0.0:{condition}:FROZEN_SYNTHETIC"
        assert {plan: stable_choice((1, 2), scenario, 1, plan) for plan in plans} == plans


def test_canonical_text_is_one_and_ascii() -> None:
    assert canonical({"b": "é\ud800", "a": [1.5, None]}) == '{"a":[1.5,null],"b":"\\u00e9\\ud800"}'
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("inf"))
