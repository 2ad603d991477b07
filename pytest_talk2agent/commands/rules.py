"""The options of a gate, as the commands that decide a run take them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from pytest_talk2agent.results.release import COMPARED, Rules
from pytest_talk2agent.results.shares import share, shares
from pytest_talk2agent.results.verdict import METRICS

_Value = TypeVar("_Value")


def add_margin(command: argparse.ArgumentParser) -> None:
    """Declare what a comparison with a baseline takes."""
    command.add_argument("--margin", type=_by_metric(COMPARED), default={}, metavar="X|METRIC=X,..")
    command.add_argument("--inconclusive", choices=("fail", "pass"), default="fail")


def add_rules(command: argparse.ArgumentParser) -> None:
    """Declare all that pytest's options ``--t2a-..`` of the same names are."""
    for metric in METRICS:
        command.add_argument(f"--min-{metric}", type=_share, metavar="X")
    command.add_argument("--tolerance", type=_share, default=Fraction(0), metavar="X")
    add_margin(command)
    command.add_argument("--fail-under", type=_by_metric(METRICS), default={}, metavar="X|METRIC=X,..")
    for name in ("unresolved", "empty", "suspect"):
        command.add_argument(f"--max-{name}", type=_share, metavar="X")
    command.add_argument("--must-pass", action="append", default=[], metavar="PATTERN", help="of task ids; repeat")


def rules_of(options: argparse.Namespace) -> Rules:
    """The rules that were given; for a command with a margin only, those."""
    given = vars(options)
    return Rules(
        thresholds=_given(given, "min_", METRICS),
        tolerance=given.get("tolerance", Fraction(0)),
        inconclusive_passes=options.inconclusive == "pass",
        margin=options.margin,
        fail_under=given.get("fail_under", {}),
        most=_given(given, "max_", ("unresolved", "empty", "suspect")),
        must_pass=tuple(given.get("must_pass", ())),
    )


def _given(given: dict[str, Fraction | None], prefix: str, names: Sequence[str]) -> dict[str, Fraction]:
    values = {name: given.get(f"{prefix}{name}") for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _reads(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    def reading(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reading


_share = _reads(share)


def _by_metric(metrics: Sequence[str]) -> Callable[[str], dict[str, Fraction]]:
    return _reads(lambda text: shares(text, metrics))
