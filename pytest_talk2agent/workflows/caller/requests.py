"""What a caller wants, how patient it is, and how it takes the call by what it heard alone.

A package says so in its persona, which is a free mapping in the format of APEX-Voice:

    first_speaker: agent          # the agent greets; by default the user speaks first
    patience: {nudges: 3, reasks: 4, silence_ms: 30000, total_ms: 600000}
    requests:
      - {id: freeze, from_state: FREEZE, heard: ["frozen"], refused: ["cannot|unable"]}

A request is open from the moment its state is entered (the start, where none is named). The caller is satisfied once
every pattern of ``heard`` was heard, and not where one of ``refused`` was heard last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, ValidationError

from pytest_talk2agent.workflows.package.base import Record


class Patience(Record):
    """How much a caller bears: prompts to go on, asking the same again, silence and the whole call in milliseconds."""

    nudges: int = Field(default=3, ge=0)
    reasks: int | None = Field(default=None, ge=1)
    silence_ms: int = Field(default=30_000, gt=0)
    total_ms: int | None = Field(default=None, gt=0)


class Request(Record):
    """One thing that the caller wants."""

    id: str
    from_state: str | None = None
    heard: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class Manner(Record):
    """What a persona says about the call."""

    first_speaker: Literal["user", "agent"] = "user"
    patience: Patience = Patience()
    requests: tuple[Request, ...] = ()


def manner_of(persona: Mapping[str, Any]) -> Manner:
    """The manner of a persona; its other keys are free.

    Raises:
        ValueError: for a key that has the right name and another form, or a pattern that is none.
    """
    known = {name: persona[name] for name in Manner.model_fields if name in persona}
    try:
        manner = Manner.model_validate(known)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"persona: {where}: {first['msg']}") from None
    for request in manner.requests:
        for pattern in (*request.heard, *request.refused):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"persona: request {request.id}: {pattern!r} is no pattern: {error}") from None
    return manner


@dataclass(frozen=True)
class Verdict:
    """How the caller took a request: None where it was never made."""

    request_id: str
    satisfied: bool | None
    reason: str


@dataclass
class _Open:
    request: Request
    opened: bool
    heard: set[str] = field(default_factory=set)
    refused: str = ""


class Satisfaction:
    """Follows what the caller hears. Without declared requests there is one, ``call``: all that the flow asks for."""

    def __init__(self, manner: Manner, start: str) -> None:
        self._requests = [_Open(request, request.from_state in (None, start)) for request in manner.requests]
        self._heard_anything = False

    def enter(self, state: str) -> None:
        """The flow entered a state."""
        for one in self._requests:
            one.opened = one.opened or one.request.from_state == state

    def hear(self, text: str) -> None:
        """The caller heard something, as far as it was played."""
        self._heard_anything = self._heard_anything or bool(text.strip())
        for one in self._requests:
            if not one.opened:
                continue
            found = {pattern for pattern in one.request.heard if re.search(pattern, text, re.IGNORECASE)}
            one.heard |= found
            refused = next((p for p in one.request.refused if re.search(p, text, re.IGNORECASE)), "")
            one.refused = refused or ("" if found else one.refused)

    def verdicts(self, *, done: bool, gave_up: str) -> list[Verdict]:
        """How the call went: ``done`` says that the flow ended where it should, ``gave_up`` why the caller hung up."""
        if not self._requests:
            reason = gave_up or ("" if done else "the call ended before all was said")
            return [Verdict("call", done and not gave_up and self._heard_anything, reason)]
        return [self._verdict(one, gave_up) for one in self._requests]

    def _verdict(self, one: _Open, gave_up: str) -> Verdict:
        if not one.opened:
            return Verdict(one.request.id, None, "never came up")
        missing = [pattern for pattern in one.request.heard if pattern not in one.heard]
        if one.refused:
            return Verdict(one.request.id, False, f"heard {one.refused!r}")
        if missing:
            return Verdict(one.request.id, False, gave_up or f"never heard {missing[0]!r}")
        return Verdict(one.request.id, True, "heard what it wanted")
