from __future__ import annotations

import pytest

from pytest_talk2agent.interfaces.key import Key, check_key_env, read_key
from pytest_talk2agent.interfaces.utterance import InterfaceError
from tests.interfaces.served import KEY


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
    with pytest.raises(InterfaceError, match="option key_env names the environment variable") as caught:
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
    with pytest.raises(InterfaceError, match="no key in the environment variable GROQ_API_KEY; set it"):
        read_key("GROQ_API_KEY", needed=True)


@pytest.mark.parametrize("value", ["sk-a\nb-secret", "sk-a secret", "sk-sécret"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("GROQ_API_KEY", value)
    with pytest.raises(InterfaceError, match="the key in GROQ_API_KEY holds blanks") as caught:
        read_key("GROQ_API_KEY", needed=False)
    assert "cret" not in str(caught.value)
