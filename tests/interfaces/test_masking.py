from __future__ import annotations

import pickle

import pytest

from pytest_talk2agent.interfaces.masking import masked, secrets_of
from pytest_talk2agent.interfaces.spec import parse_spec, shown_text
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError

VALUE = "sk-0123456789"


@pytest.mark.parametrize(
    "name",
    [
        "KEY",
        "ASR_API_KEY",
        "apikey",
        "HF_TOKEN",
        "DB_PASSWORD",
        "DB_PASSWD",
        "MY_SECRET_2",
        "GATEWAY_CREDENTIALS",
        "SIGNING_PASSPHRASE",
    ],
)
def test_a_value_of_what_is_named_like_a_key_is_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, VALUE)
    assert masked(f"--key={VALUE}&x") == f"--key=***{name}***&x"
    assert str(InterfaceError(f"no {VALUE}")) == f"no ***{name}***"
    assert str(TranscriptionError(f"no {VALUE}")) == f"no ***{name}***"
    assert str(pickle.loads(pickle.dumps(InterfaceError(f"no {VALUE}")))) == f"no ***{name}***"


def test_what_is_short_a_path_or_named_otherwise_is_none() -> None:
    environment = {
        "API_KEY": "short",
        "TOKEN": "   blanks   ",
        "KEY_FILE": __file__,
        "HOME_PAGE": VALUE,
        "EMPTY_SECRET": "",
    }
    assert secrets_of(environment) == []
    assert secrets_of({"A_KEY": "/no/such/file/0123"}) == [("A_KEY", "/no/such/file/0123")]


def test_a_key_that_is_part_of_another_leaves_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", VALUE)
    monkeypatch.setenv("B_KEY", f"{VALUE}-long")
    assert masked(f"{VALUE}-long {VALUE}") == "***B_KEY*** ***A_KEY***"


def test_forms_that_a_message_gives_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", 'it\'s\\/ "mine"')
    value = 'it\'s\\/ "mine"'
    assert masked(f"{value!r}") == "'***A_KEY***'"
    assert masked("?k=it%27s%5C%2F%20%22mine%22") == "?k=***A_KEY***"


@pytest.mark.parametrize(
    "text",
    [
        "command:./asr --key={key} {{audio}}",
        "asr=command?timeout=5:./asr '--key={key}' {{audio}}",
        "asr=command+repair?repair_with=llm:m:./asr {key} {{audio}}",
        "command:./{key} {{audio}}",
        "openai:model?base_url=http://127.0.0.1:1/{key}",
        "python:{key}:f",
        "transcripts:{key}.jsonl",
        "{key}:model",
    ],
)
def test_a_spec_is_shown_without_its_keys(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    shown = []
    for key in (VALUE, "tok.9876543210"):
        monkeypatch.setenv("MY_KEY", key)
        whole = text.format(key=key)
        shown.append(shown_text(whole))
        assert key not in shown[-1]
        assert "***MY_KEY***" in shown[-1]
        try:
            spec = parse_spec(whole)
        except InterfaceError as error:
            assert key not in str(error)  # noqa: PT017 - it may also be a spec
        else:
            assert key not in spec.shown + spec.label
    assert shown[0] == shown[1]


def test_without_a_key_a_spec_is_shown_as_it_is() -> None:
    for text in ("whisper:tiny.en", 'a=command:./asr "two words" {audio}', "command:./asr '{audio}"):
        assert shown_text(text) == text
