"""Options as text, ``option=value&option=value``, read into dataclasses; those of a served model are declared here.

The type of a default is the option's type, and a dataclass may refuse values in ``__post_init__`` with a ValueError.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pytest_talk2agent.remote.budget import Prices, price
from pytest_talk2agent.remote.credentials import check_base_url, check_key_env

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)

FORMATS = ("schema", "object", "text")
_TYPE_NAMES: dict[type, str] = {int: "a whole number", float: "a number", str: "text"}
_PRICES = {
    "request": "price_per_request",
    "minute": "price_per_minute",
    "input": "price_per_million_input",
    "output": "price_per_million_output",
    "audio": "price_per_million_audio",
}


def split_options(text: str) -> dict[str, str]:
    """Names and values of options, still text; raises ValueError where one has no value or is given twice."""
    values: dict[str, str] = {}
    for part in filter(None, text.split("&")):
        option, equals, value = part.partition("=")
        if not equals or not option or not value:
            raise ValueError(f"option {part!r} has no value; write option=value")
        if option in values:
            raise ValueError(f"option {option!r} is given twice; once is enough")
        values[option] = value
    return values


def read_options(options: Mapping[str, str], kind: type[Options], owner: str) -> Options:
    """Read options into the dataclass that declares them. ``owner`` is whose they are, for messages.

    Raises ValueError on an unknown option or a wrong value. Raises SetupError where the address of a server or the
    variable of its key is wrong: that may be a secret, so whoever reports it must not show the options.
    """
    prefix = kind.prefix if issubclass(kind, ServerOptions) else ""
    if issubclass(kind, ServerOptions):
        check_key_env(options.get(f"{prefix}key_env", ""), f"{prefix}key_env")
        if (base_url := options.get(f"{prefix}base_url")) is not None:
            check_base_url(base_url, prefix)
    fields = {f"{prefix}{field.name.rstrip('_')}": field for field in dataclasses.fields(kind)}
    values: dict[str, object] = {}
    for option, text in options.items():
        if option not in fields:
            known = f"known: {', '.join(fields)}" if fields else f"{owner} has none"
            raise ValueError(f"unknown option {option!r}{near(option, fields)}; {known}")
        expected: type = type(fields[option].default)
        try:
            values[fields[option].name] = expected(text)
        except ValueError:
            raise ValueError(f"option {option} must be {_TYPE_NAMES[expected]}, not {text!r}") from None
    return kind(**values)


def near(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, as the tail of a message; empty where none is close."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def check_between(options: DataclassInstance, name: str, least: float, most: float, prefix: str = "") -> None:
    """Raise ValueError where an option does not lie between two bounds, both of which it may be."""
    value = vars(options)[name]
    if not least <= value <= most:
        raise ValueError(f"option {prefix}{name} must lie between {least} and {most}, not {value}")


def check_one_of(options: DataclassInstance, name: str, known: Sequence[str]) -> None:
    """Raise ValueError where the value of an option is not one of the given words."""
    value = vars(options)[name]
    if value not in known:
        raise ValueError(f"option {name} must be {' or '.join(known)}, not {value!r}")


def read_temperature(text: str, also: str = "") -> float:
    """A temperature that an option gives; raises ValueError where it is no number from 0 to 2."""
    try:
        degrees = float(text)
    except ValueError:
        degrees = -1.0
    if not 0 <= degrees <= 2:
        raise ValueError(f"option temperature must be a number from 0 to 2{also}, not {text!r}")
    return degrees


@dataclass(frozen=True)
class ServerOptions:
    """Where a model is, how patiently it is asked, and what it costs; none of it but ``base_url`` changes an answer.

    ``timeout`` is in seconds, for one attempt of ``attempts``; ``concurrency`` is how many requests are under way at a
    time. Prices are in any one currency, that of the budget; a text, so that they stay exact. A user writes each option
    with the ``prefix``.
    """

    prefix: ClassVar[str] = ""

    base_url: str = ""
    key_env: str = ""
    timeout: float = 120.0
    attempts: int = 4
    concurrency: int = 4
    price_per_request: str = ""
    price_per_million_input: str = ""
    price_per_million_output: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 3600:
            raise ValueError(
                f"option {self.prefix}timeout must be a number of seconds from 0 to 3600, not {self.timeout:g}"
            )
        check_between(self, "attempts", 1, 20, self.prefix)
        check_between(self, "concurrency", 1, 64, self.prefix)
        _ = self.prices

    @property
    def prices(self) -> Prices:
        """The prices; raises ValueError where one is invalid, or half of a price per token is missing."""
        given: dict[str, Decimal] = {}
        for what, option in _PRICES.items():
            amount = price(f"{self.prefix}{option}", vars(self).get(option, ""))
            if amount is not None:
                given[what] = amount
        if len({"input", "output"} & set(given)) == 1 or ("audio" in given and "input" not in given):
            names = f"{self.prefix}{_PRICES['input']} and {self.prefix}{_PRICES['output']}"
            raise ValueError(f"prices of tokens need both {names}")
        return Prices(**given, known=bool(given))

    def check_budget(self, limit: Decimal | None) -> None:
        """Raise ValueError where there is a limit but no price, as spending could not be known."""
        if limit is not None and not self.prices.known:
            flat = [f"{self.prefix}{_PRICES[what]}=" for what in ("minute", "request") if _PRICES[what] in vars(self)]
            tokens = f"{self.prefix}{_PRICES['input']}= and {self.prefix}{_PRICES['output']}="
            raise ValueError(
                f"a budget needs to know the price; add {', '.join(flat)} or {tokens} (0 where it is free)"
            )


@dataclass(frozen=True)
class ActingOptions(ServerOptions):
    """How a model that acts is asked: at most ``tokens`` in a trial or session.

    ``max_tokens`` bounds one answer; 0 is no bound. ``temperature`` "none" sends none, as some models take none.
    ``budget`` is the most that may be spent, in the currency of the prices.
    """

    tokens: int = 200_000
    max_tokens: int = 0
    temperature: str = "0"
    budget: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between(self, "tokens", 1, 100_000_000)
        check_between(self, "max_tokens", 0, 1_000_000)
        _ = self.degrees
        self.check_budget(self.limit)

    @property
    def degrees(self) -> float | None:
        """The temperature to send, None for none."""
        return None if self.temperature == "none" else read_temperature(self.temperature, ", or none")

    @property
    def limit(self) -> Decimal | None:
        """The budget."""
        return price("budget", self.budget)


@dataclass(frozen=True)
class ChatOptions(ServerOptions):
    """How a text model is asked for structured answers.

    ``format``: by ``schema`` (a JSON Schema), as an ``object`` (any JSON object) or by the prompt alone (``text``), for
    servers that know neither. ``max_tokens`` bounds an answer, and with it the price; 0 is no bound.
    """

    format: str = "schema"
    max_tokens: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.format not in FORMATS:
            raise ValueError(f"option {self.prefix}format must be one of {', '.join(FORMATS)}, not {self.format!r}")
        check_between(self, "max_tokens", 0, 1_000_000, self.prefix)
