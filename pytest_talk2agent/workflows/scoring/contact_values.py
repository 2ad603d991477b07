"""Phone numbers and street addresses that an agent writes into a field."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

from pytest_talk2agent.speech.numerals import ordinal_at
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.files import parse_json
from pytest_talk2agent.workflows.scoring.grade import plain

REGION = "US"
"""Where a number without a country code is from: the published packages are American."""

_ENOUGH = 7  # fewer digits may be the beginning of a number in letters, such as 1-800-FLOWERS
_REMARKS = re.compile(r"\b(?!(?:x|ext|extension)\b)[A-Za-z]+\b\.?")


def same_phone(pred: object, gold: object) -> bool:
    """Whether two phone numbers reach the same line; a text without a number reaches none.

    A country code may be missing on either side, an area code or an extension may not. Raises ImportError, with what to
    install, where phonenumbers is not there.
    """
    found, wanted = _readable(pred), _readable(gold)
    phones = _phonenumbers()
    enough = phones.MatchType.NSN_MATCH
    if phones.is_number_match(found, wanted) >= enough:
        return True
    parsed = [_parsed(text) for text in (found, wanted)]
    if None in parsed:
        return False
    return bool(phones.is_number_match(*parsed) >= enough)


def _readable(value: object) -> str:
    text = plain(value)
    return _REMARKS.sub(" ", text) if sum(letter.isdigit() for letter in text) >= _ENOUGH else text


def _parsed(text: str) -> Any:
    phones = _phonenumbers()
    try:
        return phones.parse(text, REGION)
    except phones.NumberParseException:
        return None


def _phonenumbers() -> Any:
    try:
        import phonenumbers
    except ImportError:
        raise ImportError(
            "phone numbers are compared by phonenumbers, which is not installed: pip install"
            " pytest-talk2agent[workflows]"
        ) from None
    return phonenumbers


def same_address(pred: object, gold: object) -> bool:
    """Whether two addresses are written alike once the words of the postal service are shortened.

    Street types, directions and units by USPS Publication 28, appendices B and C; ordinals in words are digits.
    """
    return address_words(pred) == address_words(gold)


def address_words(value: object) -> tuple[str, ...]:
    """The words of an address in lower case, the known ones in their standard abbreviation."""
    text = plain(value).casefold().replace("'", "").replace("’", "").replace("#", " # ")
    words = re.sub(r"[^\w#]+", " ", re.sub(r"(?<=\b\w)\.(?=\w\b)", "", text)).split()
    short = _abbreviations()
    return tuple(_ordinal(short.get(word, word)) for word in words)


def _ordinal(word: str) -> str:
    found = None if word.isdecimal() else ordinal_at(tokenise(word), 0)
    return word if found is None else str(found[0])


@lru_cache(maxsize=1)
def _abbreviations() -> dict[str, str]:
    table = parse_json(files(__package__).joinpath("addresses.json").read_text(encoding="utf-8"))
    return {form: short for short, forms in table.items() for form in forms.split()}
