"""What a task file says about its grader, before anything is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


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
