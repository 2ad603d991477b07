"""What options and ini keys say about workflows: how sessions are held, and what a run of them is held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import pytest

from pytest_talk2agent.workflows.audio.call_settings import CallSettings

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules

METRICS = ("pass", "reliable")
"""Of a margin: Pass@1 and Reliable@k."""

COMPAT = "apex-1.0"
MOST_REPETITIONS = 1000

_Value = TypeVar("_Value")


class Given(Protocol):
    """A value as it was written, and the option or ini key that it stands in."""

    @property
    def text(self) -> str:
        """The value."""
        ...

    @property
    def place(self) -> str:
        """The option or ini key."""
        ...


class Read(Protocol):
    """Reads one setting: its name, what makes a value of its text, and the default."""

    def __call__(self, name: str, read: Callable[[Any], _Value], default: _Value) -> _Value:
        """The value."""
        ...


@dataclass(frozen=True)
class WorkflowSettings:
    """The settings of a run as far as workflows go.

    ``holds`` says that agents are named for workflows: with ``--t2a-execute`` they act on transcripts instead.
    ``margins`` maps metrics to what a build may lose, ``database`` is where worlds on SQL live. ``clock`` is None where
    nobody chose one. ``condition`` and ``call`` are how agents with a voice are called.
    """

    holds: bool = False
    repetitions: int = 1
    clock: Literal["virtual", "real"] | None = None
    compat: Literal["apex-1.0"] | None = None
    min_pass: Fraction | None = None
    min_reliable: Fraction | None = None
    min_yield: Fraction | None = None
    max_false_yield: Fraction | None = None
    database: str = "sqlite:"
    condition: Literal["C1", "C2", "C3"] = "C2"
    call: CallSettings = field(default_factory=CallSettings)
    margins: Mapping[str, Fraction] = field(default_factory=dict)

    def rules(self, must_pass: tuple[str, ...], *, inconclusive_passes: bool) -> CampaignRules:
        """What the run is held to."""
        from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules

        return CampaignRules(
            repetitions=self.repetitions,
            min_pass=self.min_pass,
            min_reliable=self.min_reliable,
            min_yield=self.min_yield,
            max_false_yield=self.max_false_yield,
            margins={name: self.margins[name] for name in ("pass", "reliable") if name in self.margins},
            must_pass=must_pass,
            inconclusive_passes=inconclusive_passes,
            compat=self.compat,
        )


def read_workflow_settings(
    given: Read, share: Callable[[Any], Fraction], margin: Mapping[str, Fraction], *, holds: bool
) -> WorkflowSettings:
    """Read them; raises pytest.UsageError with one line for a bad value.

    ``margin`` has all metrics that a margin was given for.
    """
    return WorkflowSettings(
        holds=holds,
        repetitions=given("repetitions", _repetitions, 1),
        clock=given("clock", _clock, None),
        compat=given("compat", _compat, None),
        min_pass=given("min-pass", share, None),
        min_reliable=given("min-reliable", share, None),
        min_yield=given("min-yield", share, None),
        max_false_yield=given("max-false-yield", share, None),
        database=given("database", _database, "sqlite:"),
        condition=given("call", _condition, "C2"),
        call=CallSettings(
            given("caller", _text, "bank"), given("channel", _text, None), given("listener", _text, None)
        ),
        margins={name: margin[name] for name in METRICS if name in margin},
    )


def _repetitions(given: Given) -> int:
    if not given.text.isdecimal() or not 1 <= int(given.text) <= MOST_REPETITIONS:
        raise pytest.UsageError(
            f"{given.place}: {given.text!r} is no number of repetitions from 1 to {MOST_REPETITIONS}"
        )
    return int(given.text)


def _clock(given: Given) -> Literal["virtual", "real"]:
    if given.text == "virtual":
        return "virtual"
    if given.text == "real":
        return "real"
    raise pytest.UsageError(f"{given.place}: {given.text!r} is neither virtual nor real")


def _condition(given: Given) -> Literal["C1", "C2", "C3"]:
    if given.text == "C1":
        return "C1"
    if given.text == "C2":
        return "C2"
    if given.text == "C3":
        return "C3"
    raise pytest.UsageError(f"{given.place}: {given.text!r} is no way to call an agent; write C1, C2 or C3")


def _text(given: Given) -> str:
    return given.text.strip()


def _database(given: Given) -> str:
    from pytest_talk2agent.workflows.state.connection import SQLITE, without_password

    if given.text != SQLITE and not given.text.startswith(("postgresql://", "postgres://")):
        shown = without_password(given.text)
        raise pytest.UsageError(
            f"{given.place}: {shown!r} is no database; write {SQLITE} or postgresql://USER@HOST/NAME"
        )
    return given.text


def _compat(given: Given) -> Literal["apex-1.0"]:
    if given.text != COMPAT:
        raise pytest.UsageError(f"{given.place}: {given.text!r} is no set of rules; the one there is, is {COMPAT}")
    return "apex-1.0"
