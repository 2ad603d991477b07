"""How a caller takes the call, by what it heard alone: satisfied with each of its requests, or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_talk2agent.workflows.package.manner import Manner, Request


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
