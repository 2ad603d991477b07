"""What a task file says about its grader, before anything is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pytest_talk2agent.grading.exact import read_fraction


@dataclass(frozen=True)
class Group:
    """Criteria ``NAME[1]`` to ``NAME[count]``, each satisfied when every intention in ``needs`` is retained."""

    count: int
    needs: tuple[str, ...]


@dataclass(frozen=True)
class GraderSource:
    """The grader of one task, as its author wrote it (Talk2Agent, section 4).

    Attributes:
        value: the scoring expression.
        intentions: name to worth when lost; a retained intention is worth 1.
        fixed: name of a fixed criterion to whether it holds.
        let: name to the expression it stands for.
        groups: name to the criteria it declares.
        range: the lowest and highest score that the author allows.
    """

    value: str
    intentions: Mapping[str, Fraction]
    fixed: Mapping[str, bool] = field(default_factory=dict)
    let: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    range: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions are strings."""
        return {
            "value": self.value,
            "intentions": {name: str(worth) for name, worth in self.intentions.items()},
            "fixed": dict(self.fixed),
            "let": dict(self.let),
            "groups": {name: [group.count, list(group.needs)] for name, group in self.groups.items()},
            "range": [str(end) for end in self.range],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GraderSource:
        """The inverse of ``to_json``."""
        low, high = data["range"]
        return cls(
            value=data["value"],
            intentions={name: read_fraction(worth) for name, worth in data["intentions"].items()},
            fixed=dict(data["fixed"]),
            let=dict(data["let"]),
            groups={name: Group(count, tuple(needs)) for name, (count, needs) in data["groups"].items()},
            range=(read_fraction(low), read_fraction(high)),
        )
