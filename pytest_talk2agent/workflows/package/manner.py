"""What a persona says about the call: who speaks first, how patient the caller is, what it wants, how it sounds.

The persona is a free mapping in the format of APEX-Voice; these keys of it are read:

    first_speaker: agent          # the agent greets; by default the user speaks first
    patience: {nudges: 3, reasks: 4, silence_ms: 30000, total_ms: 600000}
    sound: tv@10dB,phone          # how it sounds in C3, where there is sound
    requests:
      - {id: freeze, from_state: FREEZE, heard: ["frozen"], refused: ["cannot|unable"]}

A request is open from the moment its state is entered (the start, where none is named). The caller is satisfied once
every pattern of ``heard`` was heard, and not where one of ``refused`` was heard last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    sound: str = ""


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
