"""Currencies: their codes, signs and names from CLDR, and what their parts are called."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from pytest_talk2agent.speech.libraries import currencies_in_use, english
from pytest_talk2agent.speech.tokens import Stream, fold
from pytest_talk2agent.speech.units import CURRENCY, Sense, Unit

_SIGNS = "$€£¥₹₩₽₺₫₪₱¢฿₴₦"
# Signs and everyday names that CLDR's English does not list, by code; a bare sign stands for all of its currencies.
_MORE: Mapping[str, str] = {
    "USD": "buck bucks", "GBP": "quid sterling", "EUR": "euro euros", "CNY": "yuan rmb renminbi",
    "RUB": "₽ rouble roubles",
    "TRY": "₺", "THB": "฿", "UAH": "₴", "NGN": "₦", "PLN": "zł zlotys zloty", "CZK": "koruna korunas",
}  # fmt: skip
_NATIONS: Mapping[str, str] = {
    "USD": "american dollars;american dollar;u s dollars;u s dollar;us $;united states dollars;united states dollar",
    "GBP": "pounds sterling;pound sterling;uk pounds",
    "CAD": "c $;can $", "AUD": "au $;aus $;united states dollars;united states dollar", "INR": "rs", "CHF": "sfr",
    "MXN": "mex $",
}  # fmt: skip
# One name in several languages, which recognisers do not tell apart.
_CROWNS = {"krona", "kronor", "krone", "kroner", "kronur", "crown", "crowns", "kr"}
_DOLLARS = frozenset(("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD"))
_PARTS: Mapping[str, str] = {
    "¢": "cents", "cent": "cents", "cents": "cents", "penny": "pennies", "pennies": "pennies", "pence": "pence",
    "p": "pence",
    "öre": "öre", "øre": "öre", "ore": "öre", "paise": "paise", "paisa": "paise", "centavo": "centavos",
    "centavos": "centavos", "centime": "centimes", "centimes": "centimes", "rappen": "centimes", "kopek": "kopeks",
    "kopeks": "kopeks",
    "groszy": "groszy", "fen": "fen",
}  # fmt: skip
_PART_OF: Mapping[str, frozenset[str]] = {
    "cents": _DOLLARS | {"EUR", "ZAR"}, "pennies": frozenset(("GBP", "USD", "CAD", "EUR")),
    "pence": frozenset(("GBP",)),
    "öre": frozenset(("SEK", "NOK", "DKK")), "paise": frozenset(("INR", "PKR", "NPR")), "centavos": frozenset(("MXN",
    "BRL", "PHP")),
    "centimes": frozenset(("CHF",)), "kopeks": frozenset(("RUB", "UAH")), "groszy": frozenset(("PLN",)),
    "fen": frozenset(("CNY",)),
}  # fmt: skip
# The last words of names that mean something else without their country, and codes that are words.
_EVERYDAY = frozenset(("gold", "mark", "marks", "real", "sol", "soles", "colon", "colons", "som", "dram", "drams"))
_CODE_WORDS = frozenset(
    ("all", "bob", "cop", "cup", "gel", "lak", "mad", "mop", "pen", "php", "ron", "top", "try", "sos")
)


@lru_cache(maxsize=1)
def _names() -> Mapping[tuple[str, ...], Unit]:
    """All names and signs by their compared forms; CLDR's global and English data are read at the first call."""
    plural, names, signs = (english()[key] for key in ("currency_names_plural", "currency_names", "currency_symbols"))
    found: dict[tuple[str, ...], set[str]] = {}

    def add(name: str, code: str) -> None:
        words = tuple(fold(_plain(name)).replace("$", " $").replace("¥", " ¥").split())
        found.setdefault(words, set()).add(code)

    for code in sorted(currencies_in_use()):
        add(code, code)
        add(signs.get(code, code), code)
        for name in {names.get(code, code), *dict(plural.get(code, {})).values()}:
            add(name, code)
            last = _plain(name).split()[-1]
            if len(last) > 2 and last.casefold() not in _EVERYDAY:
                add(last, code)
        for name in _MORE.get(code, "").split():
            add(name, code)
        for name in filter(None, _NATIONS.get(code, "").split(";")):
            add(name, code)
    found[("$",)] = found[("dollars",)] | _DOLLARS
    found[("£",)] = set(found[("pounds",)])
    found[("¥",)] = {"JPY", "CNY"}
    crowns = set().union(*(found.get((word,), set()) for word in _CROWNS)) | {"CZK"}
    for word in _CROWNS:
        found[(word,)] = crowns
    units = {words: Unit((Sense(CURRENCY, "", frozenset(some)),)) for words, some in found.items()}
    for word, part in _PARTS.items():
        of = _PART_OF[part] | (frozenset(found[("dollars",)]) if part == "cents" else frozenset())
        units[(word,)] = Unit((Sense(CURRENCY, "", of, Fraction(1, 100)),))
    return units


def _plain(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))


@lru_cache(maxsize=1)
def _by_first() -> Mapping[str, tuple[tuple[tuple[str, ...], Unit], ...]]:
    grouped: dict[str, list[tuple[tuple[str, ...], Unit]]] = {}
    for words, unit in _names().items():
        grouped.setdefault(words[0], []).append((words, unit))
    return {first: tuple(sorted(some, key=lambda one: -len(one[0]))) for first, some in grouped.items()}


def currency_at(stream: Stream, index: int) -> tuple[Unit, int] | None:
    """The currency whose sign, code or name starts at the token, and where it ends; the longest name wins.

    A code must be written as one where the text tells capitals from small letters (`all`, `try` and `top` are words).
    """
    for words, unit in _by_first().get(stream.norms[index], ()):
        if stream.norms[index : index + len(words)] != words:
            continue
        if len(words) == 1 and len(words[0]) == 3 and words[0].upper() in _codes():
            text = stream[index].text
            if not text.isupper() and (stream.has_capital or words[0] in _CODE_WORDS):
                continue
        if words[-1] in "$¥" and len(words) > 1 and not stream[index + len(words) - 1].glued:
            continue
        return unit, index + len(words)
    return None


@lru_cache(maxsize=1)
def _codes() -> frozenset[str]:
    return frozenset(code for unit in _names().values() for sense in unit.senses for code in sense.codes)


def is_sign(norm: str) -> bool:
    """The token is the sign of a currency, which stands before its amount."""
    return norm in _SIGNS and norm != "¢"


def is_code(norm: str) -> bool:
    """The token is the code of a currency in small letters."""
    return len(norm) == 3 and norm.upper() in _codes()


def leads(norm: str) -> bool:
    """The token is a sign, a code or an abbreviation that stands before its amount."""
    return is_sign(norm) or is_code(norm) or norm in ("rs", "kr", "rmb", "sfr")


def part_of(currency: Unit, part: Unit) -> bool:
    """The part (cents) can be one of the currency."""
    return any(
        one.codes & two.codes and two.part != 1 and one.part == 1 for one in currency.senses for two in part.senses
    )


_SIGN_WORDS = {"$": "dollars", "£": "pounds", "€": "euros", "¥": "yen", "₹": "rupees"}


def sign_word(sign: str) -> str:
    """What a sign is called in speech; the sign itself where it has no name of its own."""
    return _SIGN_WORDS.get(sign, sign)


def names_of_currency(sense: Sense) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Signs, names (words and codes) and the part of a currency, for a sense of any unit of it."""
    bare = len(sense.codes) > 1  # `dollars` is not said as the dollars of one country
    names = [
        words
        for words, unit in _names().items()
        if unit.senses[0].part == 1
        and unit.senses[0].codes & sense.codes
        and (unit.senses[0].codes >= sense.codes or (bare and 1 < len(unit.senses[0].codes) <= len(sense.codes)))
    ]
    signs = tuple("".join(words).upper() for words in names if is_sign(words[-1]))
    spoken = tuple(
        words[0].upper() if is_code(words[0]) else " ".join(words)
        for words in names
        if not is_sign(words[-1]) and words[-1][-1] == "s"
    )
    part = next((word for word, part in _PARTS.items() if word == part and _PART_OF[part] & sense.codes), "")
    return signs, spoken, part
