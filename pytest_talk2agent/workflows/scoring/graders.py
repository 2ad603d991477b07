"""The field graders of the default mode: those of APEX-Voice with their known faults mended.

A rule says 1, 0, or a part of it, or leaves the value open where only its meaning can decide; what is open goes to the
judge. A rule that is certain is never asked again: the published judge leans towards passing.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pytest_talk2agent.tasks.files import parse_json
from pytest_talk2agent.workflows.scoring import apex_graders
from pytest_talk2agent.workflows.scoring.calendar_values import read_calendar, same_date
from pytest_talk2agent.workflows.scoring.contact_values import same_address, same_phone
from pytest_talk2agent.workflows.scoring.grade import ONE, ZERO, Compat, Grade, Truth, is_blank, plain
from pytest_talk2agent.workflows.scoring.number_values import read_amount, same_number

Rule = Callable[[object, object, Fraction], Fraction | None]
"""(what the agent wrote, what is expected, tolerance) -> score, None where a rule cannot tell."""

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+", re.MULTILINE)
_SEPARATOR = re.compile(r"\s*[,;\n]\s*(?:and\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_CLOCK = re.compile(r"\d:\d\d|\d\s*[ap]\.?m\b|noon|midday|midnight", re.IGNORECASE)
_RANGE = re.compile(r"(.+?)(?:\s*(?:\bto\b|\buntil\b|–|—)\s*|\s-\s)(.+)|([^-]+)-([^-]+)", re.IGNORECASE)
_ENDS = (("start", "end"), ("from", "to"), ("low", "high"), ("min", "max"))


def folded(value: object) -> str:
    """A value in one case, one form of each character and one space for white space."""
    return " ".join(unicodedata.normalize("NFKC", plain(value)).casefold().split())


def _same_exactly(pred: object, gold: object) -> bool:
    """Equal as texts; a number of JSON equals its other spellings, a truth value its name."""
    if isinstance(gold, bool) or isinstance(pred, bool):
        return folded(pred) == folded(gold)
    if isinstance(gold, int | float) or isinstance(pred, int | float):
        found, wanted = read_amount(pred), read_amount(gold)
        return found is not None and found == wanted and found.unit is None
    return " ".join(plain(pred).split()) == " ".join(plain(gold).split())


def _word(value: object) -> str:
    return re.sub(r"[\s_-]+", " ", folded(value))


def items(value: object, known: Collection[str] = ()) -> tuple[object, ...]:
    """The members of a list, however it was written: as one, as JSON, or as a text with commas, lines or ``and``.

    A part that is ``known`` as it stands keeps its ``and``.
    """
    if value is None:
        return ()
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(value)
    if not isinstance(value, str):
        return (value,)
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            found = parse_json(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return tuple(found)
    if folded(text) in known:
        return (text,)
    parts = [part for part in _SEPARATOR.split(_BULLET.sub("", text)) if part]
    return tuple(one for part in parts for one in ([part] if folded(part) in known else _AND.split(part)))


def _members(pred: object, gold: object) -> tuple[Sequence[str], Sequence[str]]:
    """Both lists, folded. Gold is a list only where it is written as one."""
    wanted = [folded(item) for item in (_one(gold) if isinstance(gold, str) else items(gold))]
    return [folded(item) for item in items(pred, wanted)], wanted


def _one(value: object) -> tuple[object, ...]:
    return () if is_blank(value) else (value,)


def _sets(which: int) -> Rule:
    def rule(pred: object, gold: object, tolerance: Fraction) -> Fraction:
        found, wanted = _members(pred, gold)
        return apex_graders.set_scores(frozenset(found), frozenset(wanted))[which]

    return rule


def _set_exact(pred: object, gold: object, tolerance: Fraction) -> Fraction:
    found, wanted = _members(pred, gold)
    return _yes(set(found) == set(wanted))


def _ordered(pred: object, gold: object, tolerance: Fraction) -> Fraction:
    found, wanted = _members(pred, gold)
    return _yes(list(found) == list(wanted))


def _end(value: object) -> Fraction | None:
    """An end of an interval: a number, or else minutes of a day or since the first day of the calendar."""
    text = plain(value)
    moments = read_calendar(text).moments
    if not _CLOCK.search(text) and not any(moment.day for moment in moments):
        amount = read_amount(value)
        return None if amount is None else amount.value
    if len(moments) != 1:
        return None
    day, minutes = moments[0].day, min(moments[0].minutes, default=0)
    if day is None:
        return Fraction(minutes)
    if day.year is None or day.month is None or day.day is None:
        return None
    try:
        return Fraction(datetime.date(day.year, day.month, day.day).toordinal() * 1440 + minutes)
    except ValueError:
        return None


def ends(value: object) -> tuple[Fraction, Fraction] | None:
    """Both ends of an interval of numbers, times or days: a pair, an object with two ends, or a text with ``to``."""
    if isinstance(value, Mapping):
        pair: Any = next(([value[one], value[two]] for one, two in _ENDS if one in value and two in value), None)
    elif isinstance(value, str):
        found = _RANGE.fullmatch(value.strip())
        pair = [part for part in found.groups() if part is not None] if found else items(value)
    else:
        pair = value
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return None
    start, end = map(_end, pair)
    return None if start is None or end is None or end < start else (start, end)


def _interval(pred: object, gold: object, tolerance: Fraction) -> Fraction | None:
    wanted, found = ends(gold), ends(pred)
    if wanted is None:
        return None
    if found is None:
        return ZERO
    return ONE if found == wanted else apex_graders.jaccard(found, wanted)


def _yes(value: bool) -> Fraction:
    return ONE if value else ZERO


def _scored(value: Truth) -> Fraction | None:
    return None if value is None else _yes(value)


def _or_meaning(value: bool) -> Fraction | None:
    return ONE if value else None


RULES: dict[str, Rule] = {
    "exact": lambda pred, gold, _: _or_meaning(_same_exactly(pred, gold)),
    "casefold_exact": lambda pred, gold, _: _or_meaning(folded(pred) == folded(gold) or _same_exactly(pred, gold)),
    "enum": lambda pred, gold, _: _or_meaning(_word(pred) == _word(gold)),
    "normalized_phone": lambda pred, gold, _: _yes(same_phone(pred, gold)),
    "normalized_date": lambda pred, gold, _: _scored(same_date(pred, gold)),
    "normalized_address": lambda pred, gold, _: _yes(same_address(pred, gold)),
    "numeric_tolerance": lambda pred, gold, tolerance: _scored(same_number(pred, gold, tolerance)),
    "set_exact": _set_exact,
    "set_precision": _sets(0),
    "set_recall": _sets(1),
    "set_f1": _sets(2),
    "ordered_list": _ordered,
    "interval_overlap": _interval,
    "semantic": lambda pred, gold, _: _or_meaning(folded(pred) == folded(gold)),
    "claim_atoms": lambda pred, gold, _: None,
}


def rule_grade(
    grader: str, pred: object, gold: object, tolerance: float | Fraction | None = None, *, compat: Compat | None = None
) -> Grade | None:
    """What the rule alone says of one value; None where the judge has to decide.

    Raises KeyError for an unknown grader.
    """
    if compat is not None:
        score = apex_graders.GRADERS[grader](pred, gold, None if tolerance is None else float(tolerance))
        if score >= 1 or grader not in apex_graders.JUDGED:
            return Grade(score, "rule")
        return Grade(ZERO, "blank", "nothing was written") if is_blank(pred) else None
    rule = RULES[grader]
    if is_blank(pred) and not is_blank(gold) and gold != []:
        return Grade(ZERO, "blank", "nothing was written")
    found = rule(pred, gold, Fraction(str(tolerance or 0)))
    return None if found is None else Grade(found, "rule")
