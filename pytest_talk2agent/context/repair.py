"""The repair of a transcript by the terms that the agent can see: what goes in, what comes out, who does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol

from pytest_talk2agent.interfaces.prices import Prices, price

FORMATS = ("schema", "object", "text")


@dataclass(frozen=True)
class Change:
    """One replacement: the words that were heard and what was put in their place; either may be empty."""

    heard: str
    put: str


@dataclass(frozen=True)
class Repaired:
    """A transcript after its repair.

    ``kept`` says why the text is the raw one, where a guard or a fault kept it. ``final`` is False where asking again
    may give another answer (the provider failed): such a result is not stored. ``detail`` holds cost and tokens where
    they are known.
    """

    text: str
    changes: tuple[Change, ...] = ()
    kept: str | None = None
    final: bool = True
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store and the record."""
        return {**vars(self), "changes": [asdict(change) for change in self.changes], "detail": dict(self.detail)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Repaired:
        """The inverse of `to_json`; raises TypeError or KeyError where a field is missing or unknown."""
        return cls(**{**data, "changes": tuple(Change(**change) for change in data["changes"])})


class Repair(Protocol):
    """Transcript and terms to transcript.

    A remote one has an attribute ``concurrency``, how many calls may be under way at a time, and a method ``charge_to``
    as that of an `Interface`.
    """

    def check(self) -> None:
        """Raise InterfaceError where something is missing. Cheap: calls and loads nothing."""

    def identity(self) -> Mapping[str, str]:
        """Everything that can change a repaired text."""

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        """Repair one transcript.

        Raises InterfaceError where no transcript could be repaired at all, TranscriptionError where this one may not
        be, as its repair might exceed the budget.
        """


@dataclass(frozen=True)
class RepairSwitches:
    """The options of ``+repair``: ``repair_with`` is ``phonetic`` or ``llm:MODEL``; the others are for ``llm``.

    ``repair_format`` is how a structured answer is asked for: ``schema`` (a JSON Schema), ``object`` (any JSON object),
    or ``text`` (by the prompt alone, for servers that know neither). ``repair_max_tokens`` bounds a reply, and with it
    the price; 0 is no bound. Time-out in seconds, prices as those of served interfaces.
    """

    repair_with: str = "phonetic"
    repair_base_url: str = ""
    repair_key_env: str = ""
    repair_format: str = "schema"
    repair_timeout: float = 120.0
    repair_attempts: int = 4
    repair_concurrency: int = 4
    repair_max_tokens: int = 0
    repair_price_per_request: str = ""
    repair_price_per_million_input: str = ""
    repair_price_per_million_output: str = ""

    def __post_init__(self) -> None:
        if self.model is None and self.repair_with != "phonetic":
            raise ValueError(f"option repair_with must be phonetic or llm:MODEL, not {self.repair_with!r}")
        others = [option for option in fields(self) if option.name != "repair_with"]
        if self.model is None and any(getattr(self, option.name) != option.default for option in others):
            raise ValueError("the other repair_ options do nothing without repair_with=llm:MODEL; add it, or drop them")
        if self.repair_format not in FORMATS:
            raise ValueError(f"option repair_format must be one of {', '.join(FORMATS)}, not {self.repair_format!r}")
        if not 0 < self.repair_timeout <= 3600:
            raise ValueError(f"option repair_timeout must be seconds from 0 to 3600, not {self.repair_timeout:g}")
        limits = (("attempts", 1, 20), ("concurrency", 1, 64), ("max_tokens", 0, 1_000_000))
        for name, least, most in limits:
            value = getattr(self, f"repair_{name}")
            if not least <= value <= most:
                raise ValueError(f"option repair_{name} must lie between {least} and {most}, not {value}")
        _ = self.prices

    @property
    def model(self) -> str | None:
        """The model of ``llm:MODEL``, None for the phonetic repair."""
        name, _, model = self.repair_with.partition(":")
        return model if name == "llm" and model else None

    @property
    def prices(self) -> Prices:
        """What the model costs; raises ValueError where a price is none or one of a pair is missing."""
        options = {
            "request": "repair_price_per_request",
            "input": "repair_price_per_million_input",
            "output": "repair_price_per_million_output",
        }
        given = {
            name: amount
            for name, option in options.items()
            if (amount := price(option, getattr(self, option))) is not None
        }
        if len({"input", "output"} & set(given)) == 1:
            raise ValueError(f"prices of tokens need both {options['input']} and {options['output']}")
        return Prices(**given, known=bool(given))
