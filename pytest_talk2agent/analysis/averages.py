"""Two ways to make one rate of many, both named: they can rank interfaces differently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Averages:
    """Errors of many utterances (WER, CER, AER, Semantic WER; or utterances with an error, each of one unit).

    Attributes:
        pooled: all errors divided by all units, so a long utterance weighs more; None without a unit.
        mean: the mean of the utterances' own rates, so each weighs the same; likewise.
        utterances: how many have a rate.
        empty: how many have none, as their reference has no unit. They are in neither average.
        inserted: the errors in those: what was heard where nothing was said.
    """

    pooled: Fraction | None
    mean: Fraction | None
    utterances: int
    empty: int
    inserted: int


def averages(counts: Iterable[tuple[int, int]]) -> Averages:
    """Average the errors and units of each utterance. Raises ValueError on a negative count."""
    pairs = list(counts)
    for errors, units in pairs:
        if errors < 0 or units < 0:
            raise ValueError(f"{errors} errors of {units} units: a count is never negative")
    rated = [(errors, units) for errors, units in pairs if units]
    rates = [Fraction(errors, units) for errors, units in rated]
    return Averages(
        pooled=Fraction(sum(errors for errors, _ in rated), sum(units for _, units in rated)) if rated else None,
        mean=sum(rates, Fraction(0)) / len(rates) if rates else None,
        utterances=len(rated),
        empty=len(pairs) - len(rated),
        inserted=sum(errors for errors, units in pairs if not units),
    )
