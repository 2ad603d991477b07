"""The options of a model that judges: ``llm:MODEL?option=value&...``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pytest_talk2agent.interfaces.http import check_base_url
from pytest_talk2agent.interfaces.key import check_key_env
from pytest_talk2agent.interfaces.prices import Prices, price
from pytest_talk2agent.interfaces.spec import parse_spec, read_options
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.judging.errors import JudgeError

FORMATS = ("schema", "object", "text")
_LIMITS = {
    "votes": (1, 25),
    "attempts": (1, 20),
    "concurrency": (1, 64),
    "max_tokens": (0, 1_000_000),
    "seed": (-1, 2**31),
}


@dataclass(frozen=True)
class ModelOptions:
    """How a model is asked.

    ``votes`` is how often; ``format`` is how a structured answer is asked for: ``schema`` (a JSON Schema), ``object``
    (any JSON object) or ``text`` (by the prompt alone). ``temperature`` is by default 0 for one vote and 0.7 for
    several, which would else be one and the same; "none" sends none, as some models take none. ``seed`` is sent where
    it is not -1, raised by 1 for each further vote. ``max_tokens`` bounds an answer (0: no bound), ``timeout`` is in
    seconds, ``budget`` is the most that one process spends on it, in the currency of its prices.
    """

    base_url: str = ""
    key_env: str = ""
    votes: int = 3
    format: str = "schema"
    temperature: str = ""
    seed: int = -1
    max_tokens: int = 0
    timeout: float = 120.0
    attempts: int = 4
    concurrency: int = 4
    price_per_request: str = ""
    price_per_million_input: str = ""
    price_per_million_output: str = ""
    budget: str = ""

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"option format must be one of {', '.join(FORMATS)}, not {self.format!r}")
        if not 0 < self.timeout <= 3600:
            raise ValueError(f"option timeout must be seconds from 0 to 3600, not {self.timeout:g}")
        for name, (least, most) in _LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"option {name} must lie between {least} and {most}, not {getattr(self, name)}")
        _ = self.degrees, self.prices
        if self.limit is not None and not self.prices.known:
            raise ValueError(
                "a budget needs to know what the model costs; add price_per_request= or price_per_million_input= and"
                " price_per_million_output= (0 where it is free)"
            )

    @property
    def degrees(self) -> float | None:
        """The temperature to send, None for none."""
        if self.temperature == "none":
            return None
        if not self.temperature:
            return 0.0 if self.votes == 1 else 0.7
        try:
            degrees = float(self.temperature)
        except ValueError:
            degrees = -1.0
        if not 0 <= degrees <= 2:
            raise ValueError(f"option temperature must be a number from 0 to 2, or none, not {self.temperature!r}")
        return degrees

    @property
    def limit(self) -> Decimal | None:
        """The budget."""
        return price("budget", self.budget)

    @property
    def prices(self) -> Prices:
        """What the model costs; raises ValueError where a price is none or one of a pair is missing."""
        options = {
            "request": self.price_per_request,
            "input": self.price_per_million_input,
            "output": self.price_per_million_output,
        }
        names = {
            "request": "price_per_request",
            "input": "price_per_million_input",
            "output": "price_per_million_output",
        }
        given = {kind: amount for kind, text in options.items() if (amount := price(names[kind], text)) is not None}
        if len({"input", "output"} & set(given)) == 1:
            raise ValueError(f"prices of tokens need both {names['input']} and {names['output']}")
        return Prices(**given, known=bool(given))


def read_model_spec(text: str) -> tuple[str, ModelOptions]:
    """Model and options of a spec ``llm:MODEL[?option=value&...]``; raises JudgeError, which shows no secret."""
    shown = text.partition("?")[0]
    try:
        spec = parse_spec(text)
        check_key_env(spec.options.get("key_env", ""))
        if "base_url" in spec.options:
            check_base_url(spec.options["base_url"])
        if spec.model is None:
            raise JudgeError(f"judge {shown!r}: no model is named; write llm:MODEL")
        if spec.bias or spec.repair or spec.switches:
            raise JudgeError(f"judge {shown!r}: +bias, +repair and their options belong to interfaces")
        return spec.model, read_options(spec, ModelOptions)
    except InterfaceError as error:
        message = str(error).removeprefix(f"interface {text!r}: ")
        raise JudgeError(f"judge {shown!r}: {message}") from None
