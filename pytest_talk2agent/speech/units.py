"""Units of measure and currencies: their names in speech and print, their dimension and size."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: two units of one dimension compare after multiplying by their size."""

    dimension: str
    size: Fraction

    @property
    def is_rate(self) -> bool:
        """So much of something in a time."""
        return "/" in self.dimension


_TABLE = """
length 1/1000 mm millimetre millimeter
length 1/1000000 µm μm micron micrometre micrometer
length 1/1000000000 nm nanometre nanometer
length 1/100 cm centimetre centimeter
length 1 m metre meter
length 1000 km kilometre kilometer
length 0.0254 inch inches
length 0.3048 ft foot feet
length 0.9144 yd yard
length 1609.344 mile
mass 1/1000 mg milligram
mass 1 g gram
mass 1000 kg kilo kilogram
mass 453.59237 lb lbs
mass 28.349523125 oz ounce
mass 1000000 ton tonne
time 1/1000000 µs microsecond
time 1/1000 ms msec millisecond
time 1 s sec second
time 60 min minute
time 3600 h hr hrs hour
time 86400 day
time 604800 week wk
month 1 month
month 12 year yr
month 3 quarter
byte 1 b byte
byte 1000 kb kilobyte
byte 1000000 mb meg megabyte
byte 1000000000 gb gig gigabyte
byte 1000000000000 tb terabyte
byte 1024 kib kibibyte
byte 1048576 mib mebibyte
byte 1073741824 gib gibibyte
byte 1099511627776 tib tebibyte
bit 1 bit
bit 1000 kbit kilobit
bit 1000000 mbit megabit
bit 1000000000 gbit gigabit
pixel 1 px pixel
density 1 dpi
density 1 ppi
share 1 ppm
percent 1 % percent
celsius 1 °c celsius centigrade
fahrenheit 1 °f fahrenheit
kelvin 1 k kelvin
degree 1 ° degree deg
frequency 1 hz hertz
frequency 1000 khz kilohertz
frequency 1000000 mhz megahertz
frequency 1000000000 ghz gigahertz
volume 1 l litre liter
volume 1/1000 ml millilitre milliliter
voltage 1 v volt
voltage 1/1000 mv millivolt
current 1 amp ampere
current 1/1000 ma milliampere milliamp
power 1 w watt
power 1000 kw kilowatt
energy 1000 kwh
pressure 1 bar
pressure 1 psi
loudness 1 db decibel
factor 1 x times fold
rate 1 fps
rate 1 bpm
rate 1/60 rpm
bit/time 1000 kbps
bit/time 1000000 mbps
bit/time 1000000000 gbps
length/time 0.44704 mph
length/time 5/18 kph kmh
length/time 463/900 kt knot
type 1 pt point
$ 1 $ dollar usd buck
€ 1 € euro eur
£ 1 £ pound gbp quid
¥ 1 ¥ yen jpy
franc 1 chf franc
krona 1 krona kronor krone kroner crown sek nok dkk
rupee 1 ₹ rupee inr
"""
UNITS_BY_NAME: dict[str, Unit] = {}
for _line in _TABLE.strip().splitlines():
    _dimension, _size, *_names = _line.split()
    for _name in _names:
        UNITS_BY_NAME[_name] = Unit(_dimension, Fraction(_size))
        if len(_name) >= 3 and _name.isalpha() and not _name.endswith("s"):
            UNITS_BY_NAME[_name + "s"] = Unit(_dimension, Fraction(_size))

PHRASES: dict[tuple[str, ...], Unit] = {
    ("degrees", "celsius"): UNITS_BY_NAME["celsius"],
    ("degree", "celsius"): UNITS_BY_NAME["celsius"],
    ("degrees", "centigrade"): UNITS_BY_NAME["celsius"],
    ("degrees", "c"): UNITS_BY_NAME["celsius"],
    ("°", "c"): UNITS_BY_NAME["celsius"],
    ("degrees", "fahrenheit"): UNITS_BY_NAME["fahrenheit"],
    ("degree", "fahrenheit"): UNITS_BY_NAME["fahrenheit"],
    ("degrees", "f"): UNITS_BY_NAME["fahrenheit"],
    ("°", "f"): UNITS_BY_NAME["fahrenheit"],
    ("dots", "per", "inch"): UNITS_BY_NAME["dpi"],
    ("pixels", "per", "inch"): UNITS_BY_NAME["ppi"],
    ("parts", "per", "million"): UNITS_BY_NAME["ppm"],
    ("frames", "per", "second"): UNITS_BY_NAME["fps"],
    ("beats", "per", "minute"): UNITS_BY_NAME["bpm"],
    ("per", "cent"): UNITS_BY_NAME["percent"],
    ("mega", "bytes"): UNITS_BY_NAME["mb"],
    ("giga", "bytes"): UNITS_BY_NAME["gb"],
    ("kilo", "bytes"): UNITS_BY_NAME["kb"],
    ("milli", "seconds"): UNITS_BY_NAME["ms"],
    ("us", "dollars"): UNITS_BY_NAME["dollar"],
    ("american", "dollars"): UNITS_BY_NAME["dollar"],
    ("swiss", "franc"): UNITS_BY_NAME["franc"],
    ("swiss", "francs"): UNITS_BY_NAME["franc"],
    ("percentage", "points"): UNITS_BY_NAME["percent"],
    ("pounds", "sterling"): UNITS_BY_NAME["pound"],
}
CURRENCY_SIGNS = frozenset("$€£¥₹")
CURRENCY_CODES = frozenset(("usd", "eur", "gbp", "jpy", "chf", "sek", "nok", "dkk", "inr"))
CENTS = frozenset(("cent", "cents", "pence", "penny", "p"))
CURRENCIES = frozenset(("$", "€", "£", "¥", "franc", "krona", "rupee"))
# Bits are told from bytes by the small b, where the text shows case at all.
BIT_TEXTS = {
    "kb": Fraction(1000), "mb": Fraction(10**6), "gb": Fraction(10**9), "tb": Fraction(10**12),
}  # fmt: skip
