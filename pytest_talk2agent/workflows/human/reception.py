"""Who sits at the page, and how far the call is: what the page says is checked here, and handed to the session.

One page has one call. A page that comes while another is there is turned away; one that is closed before the call may
come again. Methods of the page run on its thread, `wait` and `over` on that of the session.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pytest_talk2agent.workflows.audio.ports import Listener
from pytest_talk2agent.workflows.human.card import Card
from pytest_talk2agent.workflows.human.desk import Desk, HungUp, Lost, Marked, Send, Unmarked
from pytest_talk2agent.workflows.human.microphone import Microphone
from pytest_talk2agent.workflows.human.person import Consent
from pytest_talk2agent.workflows.human.words import Words, make_voice_finder

CLOSED = "the page was closed in mid call"
_GONE = (1000, 1001, 1005)
"""How a browser closes a socket whose page is closed, reloaded or left; 1005 is a close without a code."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Agreed(_Message):
    type: Literal["agreed"]
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class _Ready(_Message):
    type: Literal["ready"]
    rate: int
    output_ms: int = Field(default=0, ge=0, le=60_000)
    echo_cancelled: bool = False


class _Refused(_Message):
    type: Literal["refused"]
    reason: str = Field(max_length=300)


class _GaveUp(_Message):
    type: Literal["gave-up"]


class _Mark(_Message):
    type: Literal["mark"]
    line: str = Field(max_length=1000)
    last: bool = False


class _Unmark(_Message):
    type: Literal["unmark"]


class _HangUp(_Message):
    type: Literal["hang-up"]
    why: Literal["done", "gave-up", "fault"]
    text: str = Field(default="", max_length=300)


_Told: TypeAlias = Annotated[
    _Agreed | _Ready | _Refused | _GaveUp | _Mark | _Unmark | _HangUp, Field(discriminator="type")
]
_READ: TypeAdapter[Any] = TypeAdapter(_Told)


class PageError(ValueError):
    """The page said what no page of ours says. One clear line."""


@dataclass(frozen=True)
class Arrived:
    """Somebody agreed and has a microphone, so that the call can begin."""

    consent: Consent
    desk: Desk


@dataclass(frozen=True)
class Absent:
    """Nobody will call, and why; ``consent`` where it was given before."""

    reason: str
    consent: Consent | None


class Reception:
    """The reception of one call.

    ``consent`` is the text that is agreed to, ``detector`` finds the words of the microphone, ``ear`` writes them down.

    Attributes:
        rate: samples a second of the page's sound, both ways; 0 until it is known.
        told: set once the page was told that the call is over.
    """

    def __init__(
        self, consent: str, card: Card, *, detector: str, ear: Listener | None = None, ear_id: str = ""
    ) -> None:
        self.consent, self.card = consent, card
        self.sha256 = hashlib.sha256(consent.encode()).hexdigest()
        self._detector, self._ear, self._ear_id = detector, ear, ear_id
        self._comes: queue.SimpleQueue[Arrived | Absent] = queue.SimpleQueue()
        self._send: Send | None = None
        self._agreed: Consent | None = None
        self._refused = ""
        self._desk: Desk | None = None
        self._over: dict[str, str] | None = None
        self.rate = 0
        self.told = threading.Event()

    # On the thread of the session

    def wait(self, seconds: float | None = None) -> Arrived | Absent | None:
        """Who has come, or that nobody will; None where neither happened in time."""
        try:
            return self._comes.get(timeout=seconds)
        except queue.Empty:
            return None

    def over(self, text: str) -> None:
        """The call is over; the page is told so."""
        self._over = {"type": "over", "text": text}
        if self._send is not None:
            self._send(self._over)
        else:
            self.told.set()

    # On the thread of the page

    def enter(self, send: Send) -> bool:
        """A page has come; False where another is there, or a call was made already."""
        if self._send is not None or self._desk is not None or self._over is not None:
            return False
        self._send, self._agreed, self._refused = send, None, ""
        send({"type": "consent", "text": self.consent, "sha256": self.sha256})
        return True

    def leave(self, code: int) -> None:
        """The page that is there has gone; ``code`` is that of its socket."""
        self._send = None
        if self._desk is not None:
            gone = CLOSED if code in _GONE else f"the connection to the page was lost (close code {code})"
            self._desk.doings.put(Lost(gone))
        elif self._refused:
            self._comes.put(Absent(f"the microphone could not be used ({self._refused})", self._agreed))

    def hear(self, pcm: bytes) -> None:
        """Sound of the microphone."""
        if self._desk is not None:
            self._desk.microphone.put(pcm)

    def take(self, text: str) -> None:
        """What the page says.

        Raises:
            PageError: for what no page of ours says.
        """
        try:
            told = _READ.validate_json(text)
        except ValidationError as error:
            raise PageError(f"no message of a page: {error.errors(include_url=False)[0]['msg']}") from None
        if isinstance(told, _Agreed):
            self._agree(told)
        elif isinstance(told, _Ready):
            self._begin(told)
        elif isinstance(told, _Refused):
            self._refused = " ".join(told.reason.split()) or "no reason"
        elif isinstance(told, _GaveUp):
            self._comes.put(Absent(f"the microphone could not be used ({self._refused})", self._agreed))
        elif self._desk is not None:
            self._desk.doings.put(_doing(told))

    def spoil(self, reason: str) -> None:
        """The page cannot go on."""
        if self._desk is not None:
            self._desk.doings.put(Lost(reason))

    def _agree(self, told: _Agreed) -> None:
        if told.sha256 != self.sha256:
            raise PageError("another text was agreed to than that of this call; open the link again")
        if self._agreed is None:
            self._agreed = Consent(self.sha256, datetime.now(timezone.utc).isoformat(timespec="seconds"))
        self._tell({"type": "card", "card": self.card.plain()})

    def _begin(self, told: _Ready) -> None:
        if self._agreed is None:
            raise PageError("a call without consent")
        if self._desk is not None:
            raise PageError("a second call on one page")
        try:
            microphone = Microphone(told.rate)
        except ValueError as error:
            raise PageError(str(error)) from None
        assert self._send is not None, "it is there"
        self.rate = told.rate
        words = Words(make_voice_finder(self._detector))  # a model may take a while, which is no part of the call
        page = {"output_ms": told.output_ms, "echo_cancelled": told.echo_cancelled}
        self._desk = Desk(microphone, self._send, words, self._ear, self._ear_id, page)
        self._comes.put(Arrived(self._agreed, self._desk))

    def _tell(self, what: Mapping[str, Any]) -> None:
        if self._send is not None:
            self._send(what)


def _doing(told: _Mark | _Unmark | _HangUp) -> Marked | Unmarked | HungUp | Lost:
    if isinstance(told, _Mark):
        return Marked(told.line, told.last)
    if isinstance(told, _Unmark):
        return Unmarked()
    if told.why == "fault":
        what = " ".join(told.text.split()) or "something was wrong on the person's side"
        return Lost(f"the call was ended on the page: {what}")
    return HungUp(told.why)
