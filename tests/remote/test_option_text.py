from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import pytest

from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.option_text import ChatOptions, ServerOptions, read_options, split_options


@dataclass(frozen=True)
class Named(ChatOptions):
    prefix: ClassVar[str] = "mend_"

    with_: str = "x"


@dataclass(frozen=True)
class Plain:
    size: int = 1


def test_options_are_names_with_values() -> None:
    assert split_options("a=1&b=x=y&") == {"a": "1", "b": "x=y"}
    assert split_options("") == {}


@pytest.mark.parametrize(("text", "fault"), [("a", "'a' has no value"), ("a=", "no value"), ("a=1&a=2", "twice")])
def test_an_option_without_a_value_or_given_twice_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        split_options(text)


def test_a_prefix_is_what_the_user_writes_and_no_part_of_the_field() -> None:
    read = read_options({"mend_timeout": "5", "mend_with": "y", "mend_max_tokens": "9"}, Named, "mend")
    assert (read.timeout, read.with_, read.max_tokens) == (5.0, "y", 9)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"timeout": "5"}, r"unknown option 'timeout' \(did you mean 'mend_timeout'\?\); known: mend_base_url, "),
        ({"mend_timeout": "0"}, "option mend_timeout must be a number of seconds from 0 to 3600, not 0"),
        ({"mend_timeout": "x"}, "option mend_timeout must be a number, not 'x'"),
        ({"mend_attempts": "0"}, "option mend_attempts must lie between 1 and 20, not 0"),
        ({"mend_format": "xml"}, "option mend_format must be one of schema, object, text, not 'xml'"),
        ({"mend_price_per_request": "a"}, "option mend_price_per_request must be a price"),
        (
            {"mend_price_per_million_input": "1"},
            "need both mend_price_per_million_input and mend_price",
        ),
    ],
)
def test_messages_name_the_option_as_the_user_wrote_it(options: dict[str, str], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_options(options, Named, "mend")


def test_who_has_no_such_option_says_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"unknown option 'sise' \(did you mean 'size'\?\); known: size$"):
        read_options({"sise": "1"}, Plain, "asr")


@pytest.mark.parametrize("option", ["mend_key_env", "mend_base_url"])
def test_what_may_be_a_secret_is_never_shown(option: str) -> None:
    secret = "sk-51f0c2b7d94e4a6c8b3d"
    with pytest.raises(SetupError, match=option) as caught:
        read_options({option: secret}, Named, "mend")
    assert secret not in str(caught.value)


def test_a_price_of_nothing_is_a_price() -> None:
    free = ServerOptions(price_per_request="0")
    assert free.prices.known
    free.check_budget(Decimal(1))
    ServerOptions().check_budget(None)
    with pytest.raises(ValueError, match=r"add price_per_request= or price_per_million_input= and "):
        ServerOptions().check_budget(Decimal(0))
