from __future__ import annotations

import pickle

import pytest

from pytest_talk2agent.interfaces.spec import parse_spec, shown_text
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.remote.credentials import Key, SetupError, check_key_env, masked, read_key, secrets_of
from tests.remote.provider import KEY


def test_a_key_shows_itself_in_its_header_only() -> None:
    key = Key(KEY)
    assert key.headers() == {"Authorization": f"Bearer {KEY}"}
    assert KEY not in f"{key!r} {key} {[key]}"


def test_without_a_key_no_header_is_sent() -> None:
    assert Key().headers() == {}
    assert Key().redact("") == ""


def test_a_key_is_taken_out_of_texts_names_and_lists() -> None:
    key = Key("secret/key+1")
    body = {"a secret/key+1": ["x secret/key+1 y", {"url": "?key=secret%2Fkey%2B1"}], "n": 1, "none": None}
    assert key.redacted(body) == {"a [key]": ["x [key] y", {"url": "?key=[key]"}], "n": 1, "none": None}


def test_a_stand_in_for_a_key_tears_no_words_apart() -> None:
    assert Key("x").redact("the text says EMPTY") == "the text says EMPTY"
    assert Key("EMPTY").headers() == {"Authorization": "Bearer EMPTY"}


@pytest.mark.parametrize("key_env", [KEY, "gsk_0123456789abcdef", "OPENAI-KEY", "1KEY", "my key"])
def test_what_may_be_the_key_itself_is_refused_and_not_shown(key_env: str) -> None:
    with pytest.raises(SetupError, match="option key_env names the environment variable") as caught:
        check_key_env(key_env)
    assert key_env not in str(caught.value)


@pytest.mark.parametrize("key_env", ["", "none", "GROQ_API_KEY", "_K2"])
def test_names_of_variables_are_taken(key_env: str) -> None:
    check_key_env(key_env)


def test_a_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", f" {KEY}\n")
    assert read_key("GROQ_API_KEY", needed=True).headers() == {"Authorization": f"Bearer {KEY}"}
    assert read_key("none", needed=True).headers() == {}


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_a_missing_key_is_an_error_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("GROQ_API_KEY", value)
    assert read_key("GROQ_API_KEY", needed=False).headers() == {}
    with pytest.raises(SetupError, match="no key in the environment variable GROQ_API_KEY; set it"):
        read_key("GROQ_API_KEY", needed=True)


@pytest.mark.parametrize("value", ["sk-a\nb-secret", "sk-a secret", "sk-sécret"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("GROQ_API_KEY", value)
    with pytest.raises(SetupError, match="the key in GROQ_API_KEY holds blanks") as caught:
        read_key("GROQ_API_KEY", needed=False)
    assert "cret" not in str(caught.value)


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
