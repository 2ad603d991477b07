"""Units of measure and currencies: what a name beside a number can mean, and how two of them compare.

A name may mean several units (`pounds` is a mass and a currency, `m` a metre and a minute): a `Unit` is the set of its
senses, and two units agree where any two of their senses do. Which names there are comes from CLDR (`unit_names`,
`currencies`); how many of one unit make another comes from pint, which is loaded when two different units of one
dimension meet for the first time, and from `datetime` for times of a fixed length.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pytest_talk2agent.speech.libraries import quiet_import

CURRENCY = "currency"
# What pint calls a unit otherwise than CLDR does.
_PINT_NAMES = {
    "ofglucose": "", "pound-force-per-square-inch": "psi", "inch-ofhg": "inHg", "millimeter-ofhg": "mmHg",
    "foodcalorie": "kilocalorie", "gallon-imperial": "imperial_gallon", "pint-imperial": "imperial_pint",
    "quart-imperial": "imperial_quart", "cup-imperial": "imperial_cup", "fluid-ounce-imperial": "imperial_fluid_ounce",
    "ounce-troy": "troy_ounce", "tonne": "metric_ton", "arc-minute": "arcminute", "arc-second": "arcsecond",
    "acre-foot": "acre_foot", "kilogram-force": "kilogram_force", "pound-force": "pound_force",
    "part-per-1e6": "ppm", "part-per-1e9": "ppm/1000", "permyriad": "percent/100", "quarter": "(3*month)",
    "revolution": "turn", "point": "point", "milliinch": "thou", "therm-us": "US_therm",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that the name of a unit can mean.

    ``dimension`` is what it measures, composed with `^` and `/` (`length^2`, `digital/time`); ``name`` is the unit
    itself in terms that pint reads; a rate is so much of it ``per`` something else. A currency has ``codes`` (ISO 4217,
    more than one for `dollars`) and the ``part`` of it that is meant (1/100 for cents).
    """

    dimension: str
    name: str
    codes: frozenset[str] = frozenset()
    part: Fraction = Fraction(1)
    per: Sense | None = None

    def over(self, other: Sense) -> Sense:
        """So much of this in one of the other."""
        return Sense(f"{self.dimension}/{other.dimension}", self.name, self.codes, self.part, other)

    def power(self, exponent: int) -> Sense:
        """The square or the cube of a length."""
        return Sense(f"{self.dimension}^{exponent}", f"({self.name})**{exponent}")

    def times(self, other: Sense) -> Sense:
        """The product, such as kilowatt hours."""
        product = f"{self.dimension}*{other.dimension}"
        return Sense(_PRODUCTS.get(product, product), f"({self.name})*({other.name})")


_PRODUCTS = {"power*time": "energy", "force*length": "torque"}


@dataclass(frozen=True, slots=True)
class Unit:
    """The senses of a name."""

    senses: tuple[Sense, ...]

    @property
    def is_rate(self) -> bool:
        """So much of something in something else."""
        return all("/" in sense.dimension for sense in self.senses)

    @property
    def is_currency(self) -> bool:
        """It can be money."""
        return any(sense.dimension == CURRENCY for sense in self.senses)

    def measures(self, *dimensions: str) -> bool:
        """It can measure one of the dimensions."""
        return any(sense.dimension in dimensions for sense in self.senses)

    def of_kind(self, kind: str) -> Unit:
        """The senses that a value of the kind can have; all of them where none fits."""
        if kind == "money":
            fitting = [one for one in self.senses if one.dimension.startswith(CURRENCY)]
        elif kind == "duration":
            fitting = [one for one in self.senses if one.dimension in ("time", "month")]
        else:
            fitting = [one for one in self.senses if not one.dimension.startswith(CURRENCY)]
        return Unit(tuple(fitting)) if fitting else self

    def shares(self, other: Unit) -> bool:
        """Both can measure the same thing; all currencies do."""
        return any(_alike(one, two) for one in self.senses for two in other.senses)

    def factors(self, wanted: Unit) -> frozenset[Fraction]:
        """How many of ``wanted`` one of these can be; empty where they are not the same sort of thing."""
        found = (ratio(one, two) for one in self.senses for two in wanted.senses)
        return frozenset(each for each in found if each is not None)

    def fits(self, wanted: Unit) -> bool:
        """An amount in this unit can be one in the other."""
        return bool(self.factors(wanted))

    def over(self, other: Unit) -> Unit:
        """So much of this in one of the other."""
        return Unit(tuple(one.over(two) for one in self.senses for two in other.senses))


def _alike(one: Sense, two: Sense) -> bool:
    return one.dimension == two.dimension or (one.dimension in _DEGREES and two.dimension in _DEGREES)


_DEGREES = frozenset(("degree", "celsius", "fahrenheit"))


def ratio(heard: Sense, wanted: Sense) -> Fraction | None:
    """How many of ``wanted`` make one of ``heard``; None where they measure different things.

    A scale of temperature is a dimension of its own; bare degrees that are wanted fit each of them.
    """
    if heard.dimension != wanted.dimension:
        return Fraction(1) if wanted.dimension == "degree" and heard.dimension in _DEGREES else None
    if heard.per is not None and wanted.per is not None:
        top, bottom = ratio(_counted(heard), _counted(wanted)), ratio(heard.per, wanted.per)
        return None if top is None or bottom is None else top / bottom
    if heard.codes or wanted.codes:
        return heard.part / wanted.part if heard.codes & wanted.codes else None
    if heard.name == wanted.name:
        return Fraction(1)
    if heard.name in _SECONDS and wanted.name in _SECONDS:
        return _SECONDS[heard.name] / _SECONDS[wanted.name]
    return _pint_ratio(heard.name, wanted.name)


def _counted(rate: Sense) -> Sense:
    """What a rate counts, without what it is counted in."""
    return Sense(rate.dimension.rpartition("/")[0], rate.name, rate.codes, rate.part)


_SECONDS: dict[str, Fraction] = {
    name: Fraction(length // datetime.timedelta(microseconds=1), 10**6)
    for name, length in (
        (name, datetime.timedelta(**{f"{name}s": 1}))
        for name in ("microsecond", "millisecond", "second", "minute", "hour", "day", "week")
    )
}


@lru_cache(maxsize=1)
def _registry() -> Any:
    """All units of pint with exact factors; it takes a quarter of a second to load."""
    with quiet_import():
        import pint

    return pint.UnitRegistry(non_int_type=Fraction)


@lru_cache(maxsize=1024)
def _pint_ratio(heard: str, wanted: str) -> Fraction | None:
    units = _registry()
    import pint

    try:
        found = units.Quantity(Fraction(1), heard).to(wanted).magnitude
    except (pint.PintError, AttributeError, TypeError, ValueError, ZeroDivisionError):
        return None  # what is no unit to pint equals itself alone
    return Fraction(found).limit_denominator(10**15)


def pint_name(cldr: str) -> str:
    """What pint calls the unit that CLDR calls ``cldr`` (`square-foot`, `mile-per-gallon` without its dimension)."""
    return _PINT_NAMES.get(cldr, cldr.replace("-", "_"))
