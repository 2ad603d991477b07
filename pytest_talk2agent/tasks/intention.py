"""An intention: the smallest part of an instruction that the grader rewards and the speaker can lose."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from pytest_talk2agent.tasks.exact import Exact

Kind = Literal[
    "path",
    "filename",
    "flag",
    "url",
    "email",
    "identifier",
    "code",
    "number",
    "quantity",
    "money",
    "percent",
    "duration",
    "version",
    "date",
    "time",
    "term",
    "choice",
    "text",
    "gist",
]


def _strings(value: object) -> object:
    """Let an author write one string where a list is meant."""
    return (value,) if isinstance(value, str) else value


Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]


class Intention(BaseModel):
    """One intention of a task, as the task file declares it.

    ``say`` is the value that must come across; several strings must all come across.
    ``unsatisfied`` is what the criterion is worth when it is lost (it is worth 1 when retained).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    say: Strings
    kind: Kind = "text"
    also: Strings = ()
    case: Literal["any", "exact"] = "any"
    style: Literal["any", "exact"] = "exact"
    options: Strings = ()
    keywords: tuple[Strings, ...] = ()
    contrary: Strings = ()
    critical: bool = False
    unsatisfied: Exact = Field(default=Fraction(0))
    note: str = ""
