"""Numbers that an agent writes into a field. Digits of an identifier or a range are no number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.speech.measures import Measure, measures
from pytest_talk2agent.speech.numerals import SCALE_LETTERS, may_start
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.units import Unit
from pytest_talk2agent.tasks.exact import exact
from pytest_talk2agent.workflows.scoring.grade import Truth, plain


@dataclass(frozen=True)
class Amount:
    """A number with its unit, where one is written beside it."""

    value: Fraction
    unit: Unit | None = None


def read_amount(value: object) -> Amount | None:
    """The one number that a value is; None where it is none, or has several.

    A letter or hyphen glued to the digits makes an identifier (``E4471``, ``CC-330``) or a range (``10-20``).
    """
    if isinstance(value, bool) or value is None:
        return None
    text = format(value, ".12g") if isinstance(value, float) else plain(value)  # 0.1 + 0.2 is 0.3
    try:
        return Amount(exact(text.replace(",", "") if text.count(",") == 1 and _is_grouped(text) else text))
    except ValueError:
        pass
    stream = tokenise(text)
    found = measures(stream, 0, len(stream))
    if len(found) != 1:
        return None
    measure = found[0]
    end, scale = _scale(stream, measure)
    rest = [index for index in range(len(stream)) if not measure.start <= index < end]
    if len(measure.values) != 1 or any(stream[index].kind == "digits" for index in rest):
        return None
    before = measure.start - 1
    if before >= 0 and stream[measure.start].glued and stream.norms[before] not in ("(", "[", "+", "~", "≈", "="):
        return None
    if end < len(stream) and stream[end].glued and stream[end].kind == "word" and stream.norms[end] not in _SUFFIXES:
        return None
    return Amount(next(iter(measure.values)) * scale, measure.unit)


_SUFFIXES = frozenset(("st", "nd", "rd", "th"))


def _is_grouped(text: str) -> bool:
    return len(text.partition(",")[2].partition(".")[0]) == 3


def _scale(stream: Stream, measure: Measure) -> tuple[int, Fraction]:
    """Where a measure ends, and what a letter glued to it multiplies it by: ``$4.5k``."""
    end = measure.end
    if end < len(stream) and stream[end].glued and stream.norms[end] in SCALE_LETTERS:
        return end + 1, Fraction(SCALE_LETTERS[stream.norms[end]])
    return end, Fraction(1)


def same_number(pred: object, gold: object, tolerance: Fraction) -> Truth:
    """Whether a value is the number that is expected, within the tolerance, exactly; None where a rule cannot tell."""
    found, wanted = read_amount(pred), read_amount(gold)
    if wanted is None:
        return True if plain(pred).casefold() == plain(gold).casefold() else None
    if found is None:
        return None if any(may_start(norm) for norm in tokenise(plain(pred)).norms) else False
    factors = frozenset((Fraction(1),))
    if found.unit is not None and wanted.unit is not None:
        factors = found.unit.factors(wanted.unit)
    return any(abs(found.value * factor - wanted.value) <= tolerance for factor in factors)
