"""The published field graders, with what they get wrong (APEX-Voice, section 4.4 of our notes).

They stay as they are: only so can the published totals be reached. `graders` has the mended ones. Known faults: weekday
dates and texts without a date share a key, two phones without digits are equal, the first number of an identifier is
its value, ``Sept`` and street abbreviations are not understood, and a scalar is a list of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

from pytest_talk2agent.workflows.scoring.grade import ONE, ZERO, plain

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "(" + "|".join(f"{name}|{name[:3]}" for name in _MONTHS) + ")"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\.?\s+{_DAY},?\s+(\d{{4}})\b")
_DAY_FIRST = re.compile(rf"\b{_DAY}\s+{_MONTH}\.?,?\s+(\d{{4}})\b")
_YEAR_FIRST = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _key(year: str, month: int, day: str) -> str:
    return f"{year}-{month:02d}-{int(day):02d}"


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3]))


def date_key(value: object) -> str:
    """The key that two dates are compared by; without a calendar check, and one for all texts without a date."""
    text = plain(value).lower()
    if found := _MONTH_FIRST.search(text):
        return _key(found[3], _month(found[1]), found[2])
    if found := _DAY_FIRST.search(text):
        return _key(found[3], _month(found[2]), found[1])
    if found := _YEAR_FIRST.search(text):
        return _key(found[1], int(found[2]), found[3])
    if found := _SLASHES.search(text):
        return _key(found[3], int(found[1]), found[2])
    return re.sub(r"[^\d:apm ]+", "-", text.replace("t", " ")).strip(" -")


def first_number(value: object) -> float | None:
    """The first number in a text, commas dropped; None where it has none."""
    found = _NUMBER.search(plain(value).replace(",", ""))
    return float(found[0]) if found else None


def digits(value: object) -> str:
    """The digits of a text."""
    return re.sub(r"\D", "", plain(value))


def address_key(value: object) -> str:
    """Lower case, with one space for everything that is neither letter nor digit."""
    return re.sub(r"[^a-z0-9]+", " ", plain(value).lower()).strip()


def _items(value: object) -> Sequence[object]:
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Collection) and not isinstance(value, str | dict) else (value,)


def _set(value: object) -> frozenset[str]:
    return frozenset(plain(item).casefold() for item in _items(value))


def set_scores(found: frozenset[str], wanted: frozenset[str]) -> tuple[Fraction, Fraction, Fraction]:
    """Precision, recall and F1 of two sets; all 1 where both are empty."""
    if not found and not wanted:
        return ONE, ONE, ONE
    common = len(found & wanted)
    precision = Fraction(common, len(found)) if found else ZERO
    recall = Fraction(common, len(wanted)) if wanted else ZERO
    return precision, recall, Fraction(2 * common, len(found) + len(wanted))


def jaccard(found: tuple[Fraction, Fraction], wanted: tuple[Fraction, Fraction]) -> Fraction:
    """How much two intervals share of what they cover together; 0 where that has no length."""
    union = max(found[1], wanted[1]) - min(found[0], wanted[0])
    common = min(found[1], wanted[1]) - max(found[0], wanted[0])
    return max(ZERO, common) / union if union > 0 else ZERO


def _ends(value: object) -> tuple[Fraction, Fraction] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    try:
        start, end = (Fraction(str(float(part))) for part in value)
    except (TypeError, ValueError):
        return None
    return start, end


def _interval(pred: object, gold: object, tolerance: float | None) -> Fraction:
    found, wanted = _ends(pred), _ends(gold)
    return ZERO if found is None or wanted is None else jaccard(found, wanted)


def _numeric(pred: object, gold: object, tolerance: float | None) -> Fraction:
    found, wanted = first_number(pred), first_number(gold)
    # Binary floats, as published: 1.1 is not within 0.1 of 1.
    return _yes(found is not None and wanted is not None and abs(found - wanted) <= float(tolerance or 0))


def _yes(value: bool) -> Fraction:
    return ONE if value else ZERO


def _ordered(pred: object, gold: object) -> bool:
    found, wanted = _items(pred), _items(gold)
    return [plain(item) for item in found] == [plain(item) for item in wanted]


Grader = Callable[[object, object, float | None], Fraction]

GRADERS: dict[str, Grader] = {
    "exact": lambda pred, gold, _: _yes(plain(pred) == plain(gold)),
    "casefold_exact": lambda pred, gold, _: _yes(plain(pred).casefold() == plain(gold).casefold()),
    "enum": lambda pred, gold, _: _yes(plain(pred) == plain(gold)),
    "normalized_phone": lambda pred, gold, _: _yes(digits(pred) == digits(gold)),
    "normalized_date": lambda pred, gold, _: _yes(date_key(pred) == date_key(gold)),
    "normalized_address": lambda pred, gold, _: _yes(address_key(pred) == address_key(gold)),
    "numeric_tolerance": _numeric,
    "set_exact": lambda pred, gold, _: _yes(_set(pred) == _set(gold)),
    "set_precision": lambda pred, gold, _: set_scores(_set(pred), _set(gold))[0],
    "set_recall": lambda pred, gold, _: set_scores(_set(pred), _set(gold))[1],
    "set_f1": lambda pred, gold, _: set_scores(_set(pred), _set(gold))[2],
    "ordered_list": lambda pred, gold, _: _yes(_ordered(pred, gold)),
    "interval_overlap": _interval,
    "semantic": lambda pred, gold, _: _yes(plain(pred).casefold() == plain(gold).casefold()),
    "claim_atoms": lambda pred, gold, _: ZERO,
}
"""Each grader by its name: (what the agent wrote, what is expected, tolerance) -> score."""

JUDGED = frozenset(("exact", "casefold_exact", "enum", "semantic", "numeric_tolerance"))
"""Graders whose miss goes to the judge; the others never reach it."""
