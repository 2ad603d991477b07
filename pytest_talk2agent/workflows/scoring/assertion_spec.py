"""Assertions over what was said and done, as data: `grading/assertions.yaml` (after VAmoS, section 8 of our notes).

A *moment* is a text: ``start``, ``end`` (caller or agent ended the call), ``tool:NAME`` (first call that succeeded;
``tool:NAME.PATH``: and had something true there in its result), ``tried:NAME`` (first call), ``plan:ID`` (the caller
said it), ``act:KEY`` (the agent was observed to do it), ``event:ID`` (it fired).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from pytest_talk2agent.speech.dates import dates
from pytest_talk2agent.speech.measures import measures
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.errors import shown, suggestion
from pytest_talk2agent.tasks.exact import exact
from pytest_talk2agent.workflows.package.base import Record
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import Gate

KINDS = ("state", "call", "said", "not_said", "handoff")
SORTS = ("tool", "tried", "plan", "act", "event")
"""What a moment may name."""
READINGS = ("figure", "date", "code", "text", "result")

Location = tuple[int | str, ...]


def _moment(text: str) -> str:
    sort, colon, name = text.partition(":")
    if text in ("start", "end") or (colon and sort in SORTS and name):
        return text
    sorts = ", ".join(f"{one}:NAME" for one in SORTS)
    raise ValueError(f"{shown(text)} is no moment; write start, end, or one of {sorts}")


Moment = Annotated[str, AfterValidator(_moment)]


class Words(Record):
    """Something that can be said: exactly one of five.

    ``figure``: a number with or without its unit or noun (``$41.07``, ``14 days``, ``12 installments``), within
    ``tolerance``. ``date``: a day. ``code``: letters and digits, however they are spelled out. ``text``: any of some
    phrases. ``result``: what the last result of a tool had at a path (``quote_plan.monthly_cents``), read ``as`` a
    number, cents (an amount of money), a date, a code or a text.
    """

    figure: str | int | float | None = None
    tolerance: str | int | float = 0
    date: str | None = None
    code: str | None = None
    text: tuple[str, ...] | None = None
    result: str | None = Field(None, pattern=r"^[^.\s]+\.[^\s]+$")
    as_: Literal["number", "cents", "date", "code", "text"] = Field("number", alias="as")

    @field_validator("text", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_reading(self) -> Words:
        if len(self.given(*READINGS)) != 1:
            raise ValueError(f"name exactly one of {', '.join(READINGS)}")
        if self.figure is not None and len(_measured(str(self.figure))) != 1:
            raise ValueError(f"{shown(self.figure)} is not one figure; write a number, with its unit if it has one")
        if self.date is not None and len(_dated(self.date)) != 1:
            raise ValueError(f"{shown(self.date)} is not one day; write YYYY-MM-DD")
        if self.text is not None and not all(len(tokenise(text)) for text in self.text):
            raise ValueError("a text has at least one word")
        try:
            if exact(str(self.tolerance)) < 0:
                raise ValueError
        except ValueError:
            raise ValueError(f"{shown(self.tolerance)} is no tolerance; write a number from 0") from None
        return self

    def __str__(self) -> str:
        if self.result is not None:
            return f"{self.result} (as {self.as_})"
        if self.text is not None:
            return " or ".join(map(repr, self.text))
        return str(next(value for value in (self.figure, self.date, self.code) if value is not None))


def _measured(text: str) -> tuple[Any, ...]:
    stream = tokenise(text)
    return measures(stream, 0, len(stream))


def _dated(text: str) -> tuple[Any, ...]:
    stream = tokenise(text)
    return dates(stream, 0, len(stream))


class StateCheck(Record):
    """What stands in the world in the end: a value at a ``path``, or rows of a ``table``.

    Of a table: the rows that match ``where`` have the values of ``equals`` (at least one such row is there) and are
    ``count`` in number; and only the rows with the keys ``only`` changed in the session.
    """

    path: str | None = None
    table: str | None = None
    where: dict[str, Any] = Field(default_factory=dict)
    equals: Any = None
    count: int | None = Field(None, ge=0)
    only: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _whole(self) -> StateCheck:
        if (self.path is None) == (self.table is None):
            raise ValueError("a state has either a `path` or a `table`")
        if self.table is not None and self.equals is None and self.count is None and self.only is None:
            raise ValueError("say what holds of the table: `equals`, `count` or `only`")
        if self.table is not None and self.equals is not None and not isinstance(self.equals, dict):
            raise ValueError("`equals` of a table maps columns to values")
        if self.path is not None and (self.where or self.count is not None or self.only is not None):
            raise ValueError("`where`, `count` and `only` are of a table")
        return self


class CallCheck(Record):
    """A tool that is called, and succeeds, with at least these arguments; or ``never``, whatever comes of it.

    ``times`` is how often exactly. All calls that count lie after the moment ``after`` and before ``before``.
    """

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)
    times: int | None = Field(None, ge=1)
    never: bool = False
    after: Moment | None = None
    before: Moment | None = None

    @model_validator(mode="after")
    def _one_way(self) -> CallCheck:
        if self.never and (self.times is not None or self.after is not None or self.before is not None):
            raise ValueError("what is called never has neither `times` nor an order")
        return self


class SaidCheck(Words):
    """What the agent says, and the user hears, after the moment ``after`` and by the moment ``by``."""

    after: Moment | None = None
    by: Moment | None = None


class NotSaidCheck(Record):
    """What the agent does not say ``until`` a moment, or never."""

    words: tuple[Words, ...] = Field(min_length=1)
    until: Moment | None = None


class HandoffCheck(Record):
    """Whether the call belongs to a human; ``reason`` are phrases of which the reason that is passed on has one."""

    tool: str
    expected: bool
    reason: tuple[str, ...] = ()


_GATE_OF: dict[str, Gate] = {"state": "TS", "call": "AC", "said": "AC", "not_said": "PV", "handoff": "AC"}


class Assertion(Record):
    """One assertion: exactly one of ``state``, ``call``, ``said``, ``not_said`` and ``handoff``.

    It belongs to the gate of its kind unless it names another: a state to TS, what has to be called or said to AC, what
    must not be to PV. A negative one is unjudged unless the session reached the moment ``once``. ``request`` is the one
    of the caller's requests that it is about.
    """

    id: str = Field(min_length=1)
    description: str = ""
    request: str | None = None
    gate: Gate | None = None
    once: Moment | None = None
    state: StateCheck | None = None
    call: CallCheck | None = None
    said: SaidCheck | None = None
    not_said: NotSaidCheck | None = None
    handoff: HandoffCheck | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Assertion:
        if len(self.given(*KINDS)) != 1:
            raise ValueError(f"an assertion is exactly one of {', '.join(KINDS)}")
        return self

    @property
    def kind(self) -> str:
        """Which of the five it is."""
        return self.given(*KINDS)[0]

    @property
    def negative(self) -> bool:
        """Whether it says what must not happen."""
        return (
            self.not_said is not None
            or (self.call is not None and self.call.never)
            or (self.handoff is not None and not self.handoff.expected)
            or (self.state is not None and (self.state.only is not None or self.state.count == 0))
        )

    @property
    def belongs_to(self) -> Gate:
        """Its gate."""
        return self.gate or ("PV" if self.negative and self.state is None else _GATE_OF[self.kind])


class Verification(Record):
    """What protects an account: nothing of ``protects`` is said before ``by``."""

    by: Moment
    protects: tuple[Words, ...] = Field(min_length=1)


class Quote(Record):
    """Figures of one tool's result that are said before another tool enrols the caller in them."""

    id: str
    quote: str
    enrol: str
    figures: tuple[Words, ...] = Field(min_length=1)


class Claim(Record):
    """What the agent says of a deed (regular expressions), and the tool that does it with at least these arguments.

    Said but not done is a fault, and so is done but not said, unless ``told`` is false.
    """

    id: str
    tool: str
    args: dict[str, Any] = Field(default_factory=dict)
    said: tuple[str, ...] = Field(min_length=1)
    told: bool = True

    @field_validator("said")
    @classmethod
    def _patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{shown(pattern)} is no regular expression: {error}") from None
        return patterns


class Assertions(Record):
    """`grading/assertions.yaml`. ``once`` is the moment that a session must reach for negative checks to be judged.

    It has to be named where there are any: an assertion that names none of its own, ``verification``, ``quotes`` or
    ``claims``. ``single`` are tools that write once for the same arguments; those that are not idempotent are anyway.
    """

    once: Moment | None = None
    assertions: tuple[Assertion, ...] = ()
    verification: Verification | None = None
    quotes: tuple[Quote, ...] = ()
    claims: tuple[Claim, ...] = ()
    single: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_a_point(self) -> Assertions:
        negative = any(one.negative and one.once is None for one in self.assertions)
        if self.once is None and (negative or self.verification or self.quotes or self.claims or self.single):
            raise ValueError("say with `once` which moment a session must reach before what did not happen counts")
        return self

    @property
    def handoff(self) -> HandoffCheck | None:
        """What the package says about a transfer to a human."""
        return next((one.handoff for one in self.assertions if one.handoff is not None), None)

    def problems(self, package: Package) -> Iterator[tuple[Location, str]]:
        """What of it leads nowhere in the package, with its place."""
        tools = [tool.name for tool in package.tools.tools]
        names = {
            "tool": tools,
            "tried": tools,
            "plan": [line.user_plan_id for line in package.bank],
            "event": [event.id for event in package.events.events],
        }
        seen: set[str] = set()
        for index, one in enumerate(self.assertions):
            if one.id in seen:
                yield ("assertions", index, "id"), f"the id {shown(one.id)} is there twice; change one of them"
            seen.add(one.id)
        for place, sort, name in _names(self.model_dump(by_alias=True), ()):
            if sort in names and name not in names[sort]:
                what = "tool" if sort == "tried" else "plan in the bank" if sort == "plan" else sort
                hint = suggestion(name, names[sort]) if names[sort] else "there are none"
                yield place, f"there is no {what} {shown(name)}; {hint}"


def _names(value: Any, place: Location) -> Iterator[tuple[Location, str, str]]:
    """Every name of a tool, plan or event, with its place and what it should be."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = (*place, key)
            if key in ("after", "before", "by", "until", "once") and isinstance(inner, str):
                sort, _, name = inner.partition(":")
                yield here, sort, name.partition(".")[0] if sort in ("tool", "tried") else name
            elif key in ("tool", "quote", "enrol") and isinstance(inner, str):
                yield here, "tool", inner
            elif key == "result" and isinstance(inner, str):
                yield here, "tool", inner.partition(".")[0]
            elif key == "single":
                yield from (((*here, index), "tool", name) for index, name in enumerate(inner))
            elif key not in ("args", "where", "equals"):
                yield from _names(inner, here)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _names(inner, (*place, index))
