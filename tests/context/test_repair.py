from __future__ import annotations

import json

import pytest

from pytest_talk2agent.context.llm_repair import LlmRepair
from pytest_talk2agent.context.phonetic import PhoneticRepair
from pytest_talk2agent.context.registry import make_repair
from pytest_talk2agent.context.repair import Change, Repaired
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError


def test_a_record_survives_the_store() -> None:
    repaired = Repaired("open a.md", (Change("a dot m d", "a.md"),), detail={"cost": 0.5})
    assert Repaired.from_json(json.loads(json.dumps(repaired.to_json()))) == repaired
    kept = Repaired("open", kept="provider: down", final=False)
    assert Repaired.from_json(kept.to_json()) == kept
    with pytest.raises(TypeError):
        Repaired.from_json({"text": "a", "changes": [], "other": 1})


def test_the_spec_says_which_repair() -> None:
    assert isinstance(make_repair(parse_spec("whisper+repair")), PhoneticRepair)
    assert isinstance(make_repair(parse_spec("whisper+repair?repair_with=phonetic")), PhoneticRepair)
    local = "whisper+repair?repair_with=llm:tidy/model:v2&repair_base_url=http://127.0.0.1:9/v1"
    repair = make_repair(parse_spec(local))
    assert isinstance(repair, LlmRepair)
    assert repair.identity()["model"] == "tidy/model:v2"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("repair_with=magic", "repair_with must be phonetic or llm:MODEL, not 'magic'"),
        ("repair_with=llm", "repair_with must be phonetic or llm:MODEL, not 'llm'"),
        ("repair_with=llm:", "repair_with must be phonetic or llm:MODEL, not 'llm:'"),
        ("repair_format=object", "do nothing without repair_with=llm:MODEL"),
        ("repair_with=llm:m&repair_format=xml", "repair_format must be one of schema, object, text, not 'xml'"),
        ("repair_with=llm:m&repair_timeout=0", "repair_timeout must be a number of seconds from 0 to 3600, not 0"),
        ("repair_with=llm:m&repair_attempts=0", "repair_attempts must lie between 1 and 20, not 0"),
        ("repair_with=llm:m&repair_concurrency=x", "repair_concurrency must be a whole number, not 'x'"),
        ("repair_with=llm:m&repair_price_per_million_input=1", "need both"),
        ("repair_with=llm:m&repair_price_per_request=cheap", "repair_price_per_request must be a price"),
        ("repair_with=llm:m&repair_modle=1", "unknown option 'repair_modle'"),
        ("repair_with=llm:m&repair_base_url=http://other.example.com/v1", "say which key"),
    ],
)
def test_a_wrong_option_is_one_clear_line(options: str, line: str) -> None:
    with pytest.raises(InterfaceError) as caught:
        make_repair(parse_spec(f"whisper+repair?{options}"))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["repair_key_env=sk-1234-secret", "repair_base_url=http://user:sk-secret@h/v1"])
def test_what_may_be_a_secret_is_not_shown(option: str) -> None:
    with pytest.raises(InterfaceError) as caught:
        make_repair(parse_spec(f"whisper+repair?repair_with=llm:m&{option}"))
    assert "secret" not in str(caught.value).replace("may be secret", "")
