"""A candidate against its baseline: the three-way verdict on each difference and on the whole.

Everything here decides on numbers that exist already; `analysis.decision` computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from pytest_talk2agent.grading.retention import read_fraction
from pytest_talk2agent.results.verdict import METRICS, show
from pytest_talk2agent.tasks.errors import counted

COMPARED = (*METRICS, "lost")
"""What is compared with a baseline: Native and Shapley retention, and the share of intentions that are lost."""


KIND_LEVEL = 0.005
"""Family-wise level of the tests by kind: small, so that they add little to the false alarms of the metrics."""

ROUNDING = 1e-12
"""A fall below this is one of binary floats, not of a recogniser."""


class Change(str, Enum):
    """What the comparison of a candidate with its baseline has shown."""

    REGRESSED = "regressed"
    NOT_REGRESSED = "not regressed"
    UNDECIDED = "undecided"


def change_of(lower: float, upper: float, margin: float) -> Change:
    """The verdict on an interval of a difference (candidate minus baseline, more is better) against a margin.

    This is the reading of a non-inferiority trial (Piaggio et al., JAMA 2012, figure 1) with ``-margin`` as its one
    border. *Not regressed*: the interval lies at or above it, a loss of more than the margin is ruled out. *Regressed*:
    the interval lies below it, such a loss is shown. *Undecided*: the border lies inside, the data admit both. An
    interval below 0 that does not reach the border is a loss, but one that was declared tolerable. With a margin of 0 a
    candidate that is exactly as good stays undecided unless no item differs: no amount of data shows equality.
    """
    if lower >= -margin - ROUNDING:
        return Change.NOT_REGRESSED
    return Change.REGRESSED if upper < -margin - ROUNDING else Change.UNDECIDED


@dataclass(frozen=True)
class Needed:
    """How much more would decide, if the difference stays what it is; None where no amount would.

    ``tasks`` counts all tasks of the suite, each with as many takes as now; ``takes`` all takes of each task, with
    the tasks there are. ``labels`` says that unresolved labels alone leave it open, whatever the recordings.
    """

    tasks: int | None
    takes: int | None
    labels: bool = False


@dataclass(frozen=True)
class Difference:
    """One metric of a candidate against its baseline; means over tasks, each the mean of its takes.

    ``before`` and ``after`` are the means, ``difference`` is candidate minus baseline: each a pair of ends that are
    apart where labels are unresolved. ``interval`` is that of the difference, from sampling and unresolved labels,
    None with fewer than two tasks. For ``lost`` less is better.
    """

    metric: str
    tasks: int
    before: tuple[float, float]
    after: tuple[float, float]
    difference: tuple[float, float]
    interval: tuple[float, float] | None
    margin: Fraction | None = None
    change: Change | None = None
    needed: Needed | None = None


@dataclass(frozen=True)
class KindChange:
    """The intentions of one kind, over the items that both have.

    ``worse`` and ``better`` count those that are lost in one of the two only; ``undecided`` those that are unresolved
    in either. ``p`` is that of an exact sign-flip test over tasks for more losses, ``adjusted`` by Holm over all kinds.
    """

    kind: str
    intentions: int
    lost_before: int
    lost_after: int
    worse: int
    better: int
    undecided: int
    p: float
    adjusted: float
    regressed: bool = False


@dataclass(frozen=True)
class Comparison:
    """A condition against the one of the baseline that it is held against.

    ``only_before`` and ``only_after`` count items that the other one lacks; they enter nothing. ``method``, ``draws``
    and ``seed`` say how to come to the same intervals again.
    """

    condition: str
    reference: str
    items: int
    tasks: int
    only_before: int
    only_after: int
    differences: tuple[Difference, ...]
    kinds: tuple[KindChange, ...]
    method: str
    draws: int
    seed: int

    @property
    def change(self) -> Change | None:
        """The worst of its metrics and kinds; None where no margin was given."""
        found = [difference.change for difference in self.differences if difference.change is not None]
        if not found:
            return None
        if Change.REGRESSED in found or any(kind.regressed for kind in self.kinds):
            return Change.REGRESSED
        return Change.UNDECIDED if Change.UNDECIDED in found else Change.NOT_REGRESSED

    def reasons(self, *, inconclusive_passes: bool) -> list[str]:
        """Why the gate must not open, if so."""
        found = []
        for row in self.differences:
            open_ = row.change is Change.UNDECIDED and not inconclusive_passes
            if row.change is Change.REGRESSED or open_:
                found.append(f"{self.condition}: {_sentence(row, self.reference)}")
        for kind in self.kinds:
            if kind.regressed:
                found.append(
                    f"{self.condition}: regressed: {kind.kind} intentions lost {kind.lost_before} -> {kind.lost_after}"
                    f" of {kind.intentions} (p = {kind.adjusted:.2g}, adjusted for all kinds)"
                )
        return found

    def hints(self) -> list[str]:
        """What is undecided, and what would decide it; metrics of which the same would are in one line."""
        found: dict[str, list[str]] = {}
        for row in self.differences:
            if row.change is Change.UNDECIDED:
                found.setdefault(needed_text(row), []).append(row.metric)
        lines = [f"{self.condition}: {', '.join(names)} undecided: {text}" for text, names in found.items()]
        if any(_is_out_of_reach(row) for row in self.differences):
            lines.append(
                f"{self.condition}: {counted(self.tasks, 'task')}, far too few for such a margin: a loss beyond it is"
                " neither shown nor ruled out; set a wider --t2a-margin, or leave it out and let each item decide"
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = asdict(self)
        for row in plain["differences"]:
            row["margin"] = None if row["margin"] is None else str(row["margin"])
            row["change"] = None if row["change"] is None else row["change"].value
        return plain | {"change": None if self.change is None else self.change.value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Comparison:
        """The inverse of `to_json`."""
        own = {name: value for name, value in data.items() if name != "change"}
        kinds = tuple(KindChange(**kind) for kind in data["kinds"])
        return cls(**{**own, "differences": tuple(map(_difference, data["differences"])), "kinds": kinds})


def _difference(data: Mapping[str, Any]) -> Difference:
    ends = ("before", "after", "difference", "interval")
    read: dict[str, Any] = {name: None if data[name] is None else tuple(data[name]) for name in ends}
    read |= {
        "margin": None if data["margin"] is None else read_fraction(data["margin"]),
        "change": None if data["change"] is None else Change(data["change"]),
        "needed": None if data["needed"] is None else Needed(**data["needed"]),
    }
    return Difference(**{**data, **read})


def _sentence(row: Difference, reference: str) -> str:
    change = "" if row.change is None else f"{row.change.value}: "
    limit = "" if row.margin is None else f", margin {show(row.margin)}"
    if row.interval is None:
        return f"{change}{row.metric} on {row.tasks} task against {reference}{limit}"
    low, high = row.interval
    return f"{change}{row.metric} by [{low:+.3f}, {high:+.3f}] against {reference}{limit}"


OUT_OF_REACH = 20
"""How many times as many tasks, or takes of each, are too many to be recorded to open a gate."""


def _is_out_of_reach(row: Difference) -> bool:
    needed = row.needed
    if row.change is not Change.UNDECIDED or needed is None:
        return False
    ways = [*([needed.tasks / row.tasks] if needed.tasks else []), *([needed.takes] if needed.takes else [])]
    return bool(ways) and min(ways) > OUT_OF_REACH


def needed_text(row: Difference) -> str:
    """In words, what would decide an undecided metric."""
    needed = row.needed
    if needed is None:
        return "one task says nothing of others"
    if needed.labels:
        return "unresolved labels leave it open, whatever is recorded"
    ways = []
    if needed.tasks is not None:
        ways.append(f"about {counted(needed.tasks, 'task')} ({row.tasks} now)")
    if needed.takes is not None and (needed.tasks is None or needed.takes <= OUT_OF_REACH):
        ways.append(f"{counted(needed.takes, 'take')} of each task")
    if not ways:
        return "the difference is about the margin: no number of recordings decides"
    return f"{' or '.join(ways)} would decide if the difference stays"
