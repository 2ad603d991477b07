"""The names of units of measure in English speech and print: CLDR's, in both spellings, and what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.speech.libraries import LOCALES, english
from pytest_talk2agent.speech.tokens import Stream, fold, tokenise
from pytest_talk2agent.speech.units import Sense, Unit, pint_name
from pytest_talk2agent.speech.words import lines_of, listed

# Categories of CLDR that hold unlike things: each unit is a dimension of its own there.
_MIXED = frozenset(("electric", "graphics", "concentr", "light", "magnetic", "temperature", "angle", "acceleration"))
# What CLDR calls other than what it is composed of here.
_DIMENSIONS = {"area": "length^2", "volume": "length^3", "speed": "length/time", "duration": "time"}
_LONG_TIMES = frozenset(("month", "quarter", "year", "decade", "century"))
# Of one country, of science, or words of everyday speech that count nothing (`3 parts`, `2 points`).
_EXCLUDED = re.compile(
    r".*-(?:jp|it|person)$|.*(?:shaku|earth|solar|ofglucose).*|length-(?:sun|rin|ken|chain|rod|milliinch)$"
    r"|mass-(?:fun|slug|dalton)$|area-(?:cho|dunam)$|volume-(?:koku|kosaji|osaji|sai|dram|drop|pinch)$"
    r"|concentr-(?:item|part|karat|permyriad)$|speed-(?:beaufort|light-speed)$|graphics-(?:em|dot)$"
    r"|pressure-(?:ofhg|gasoline-energy-density)$|duration-(?:night|fortnight)$|temperature-(?:generic|rankine)$"
    r"|energy-(?:therm-us|electronvolt|gray|sievert)$|length-mile-scandinavian$|acceleration-g-force$"
    r"|force-(?:dyne|poundal|kilowatt-hour-per-100-kilometer)$"
)
# Symbols that are words, letters or other things far more often.
_NO_SYMBOLS = frozenset(
    listed(
        "in a at as to q y w c d h i n s t j u # ch rd fur fth gr fw mc dec dr bu pc cd da kat tn rev "
        "dot dots light mths mth mpt pn st mb m/guk em ac pa ps pm nl cal"
    )
)
_SYMBOLS = {  # of one letter, or wanted though above: the text as it must be written, and the unit
    "A": "ampere", "V": "volt", "W": "watt", "N": "newton", "J": "joule", "K": "kelvin", "m": "meter", "g": "gram",
    "L": "liter", "l": "liter", "s": "second", "h": "hour", "t": "tonne", "B": "byte", "ac": "acre", "d": "day",
}  # fmt: skip
# What speakers and recognisers say for them, by CLDR's identifier without its category.
_MORE: Mapping[str, str] = dict(line.split("\t") for line in lines_of(__package__, "unit_words.txt"))
_OTHERS: Mapping[str, Sense] = {  # CLDR has none of these
    "decibel": Sense("loudness", "decibel"), "times": Sense("factor", "times"), "frame": Sense("frame", "frame"),
    "beat": Sense("beat", "beat"), "fortnight": Sense("time", "fortnight"), "degree": Sense("degree", "degree"),
    "celsius": Sense("celsius", "celsius"), "fahrenheit": Sense("fahrenheit", "fahrenheit"),
    "kelvin": Sense("kelvin", "kelvin"), "revolution": Sense("revolution", "turn"),
}  # fmt: skip
_HOURS = (("watt", "Wh"), ("megawatt", "MWh"), ("gigawatt", "GWh"), ("terawatt", "TWh"), ("milliampere", "mAh"),
          ("ampere", "Ah"))  # fmt: skip
_RATES = {  # one word for `x per time`
    "fps": ("frame", "second"), "bpm": ("beat", "minute"), "rpm": ("revolution", "minute"), "kbps": ("kilobit",
    "second"),
    "mbps": ("megabit", "second"), "gbps": ("gigabit", "second"), "bps": ("bit", "second"), "tbps": ("terabit",
    "second"),
}  # fmt: skip
# Units that take the prefixes of CLDR, which itself lists only their most frequent multiples.
_BASES: Mapping[str, tuple[str, str]] = {  # its symbol and those of them that occur
    "meter": ("m", "pico nano micro milli centi deci kilo"), "gram": ("g", "nano micro milli kilo"),
    "liter": ("L", "micro milli centi deci hecto kilo mega"), "second": ("s", "pico nano micro milli"),
    "watt": ("W", "micro milli kilo mega giga tera"), "volt": ("V", "micro milli kilo mega"),
    "ampere": ("A", "micro milli kilo"), "ohm": ("Ω", "milli kilo mega"), "hertz": ("Hz", "kilo mega giga tera"),
    "byte": ("B", "kilo mega giga tera peta"), "bit": ("bit", "kilo mega giga tera"), "joule": ("J", "kilo mega giga"),
    "pascal": ("Pa", "hecto kilo mega giga"), "newton": ("N", "milli kilo mega"), "farad": ("F",
    "pico nano micro milli"),
    "calorie": ("cal", "kilo"), "pixel": ("px", "mega"), "bar": ("bar", "milli"), "henry": ("H", "micro milli"),
    "tesla": ("T", "micro milli"), "mole": ("mol", "micro milli"),
}  # fmt: skip
_POWERS = {"pico": "10p-12", "nano": "10p-9", "micro": "10p-6", "milli": "10p-3", "centi": "10p-2", "deci": "10p-1",
           "hecto": "10p2", "kilo": "10p3", "mega": "10p6", "giga": "10p9", "tera": "10p12", "peta": "10p15",
           "kibi": "1024p1", "mebi": "1024p2", "gibi": "1024p3", "tebi": "1024p4"}  # fmt: skip
_BINARY = "kibi mebi gibi tebi"
_SPELLINGS = {"meter": ("meter", "metre"), "liter": ("liter", "litre"), "ampere": ("ampere", "amp"),
              "gram": ("gram", "gramme")}  # fmt: skip


@dataclass(frozen=True)
class Names:
    """``phrases`` by their first word: compared forms and the unit, longest first; ``exact`` symbols by their text.

    ``by_identifier`` has CLDR's own names without the category, ``texts`` all names of a sense as they are written.
    """

    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Unit], ...]]
    exact: Mapping[str, Unit]
    by_identifier: Mapping[str, Sense]
    texts: Mapping[Sense, tuple[str, ...]]

    def at(self, stream: Stream, index: int) -> tuple[Unit, int] | None:
        """The longest name that starts at the token, and where it ends."""
        for words, unit in self.phrases.get(stream.norms[index], ()):
            if stream.norms[index : index + len(words)] == words:
                return unit, index + len(words)
        return None

    def named(self, identifier: str) -> Unit:
        """The unit that CLDR calls so."""
        return Unit((self.by_identifier[identifier],))

    def single(self, word: str) -> Unit | None:
        """The unit that one word names."""
        return next((unit for words, unit in self.phrases.get(word, ()) if words == (word,)), None)


def _words(name: str) -> tuple[str, ...]:
    """The compared forms of a name; the longer way for those with symbols alone."""
    parts = name.split(" ")
    return tuple(map(fold, parts)) if all(map(str.isalpha, parts)) else tokenise(name).norms


@lru_cache(maxsize=1)
def unit_names() -> Names:
    """All names; CLDR is read at the first call (about 50 ms)."""
    phrases: dict[tuple[str, ...], dict[Sense, None]] = {}
    exact: dict[str, dict[Sense, None]] = {}
    by_identifier: dict[str, Sense] = {}
    texts: dict[Sense, dict[str, None]] = {}
    for identifier, name, sense in _named():
        by_identifier.setdefault(identifier, sense)
        texts.setdefault(sense, {})[name] = None
        words = _words(name) if not name.endswith("Bps") else ()  # told from bits by its capital alone
        for each in {words, tuple(word for word in words if word not in "-⋅")}:
            if each:
                phrases.setdefault(each, {})[sense] = None
        if len(words) < 2 and not name.islower():
            exact.setdefault(name, {})[sense] = None
    by_first: dict[str, list[tuple[tuple[str, ...], Unit]]] = {}
    for words, senses in phrases.items():
        by_first.setdefault(words[0], []).append((words, Unit(tuple(senses))))
    return Names(
        {first: tuple(sorted(some, key=lambda one: -len(one[0]))) for first, some in by_first.items()},
        {name: Unit(tuple(senses)) for name, senses in exact.items()},
        by_identifier,
        {sense: tuple(names) for sense, names in texts.items()},
    )


def _named() -> Iterator[tuple[str, str, Sense]]:
    """CLDR's identifier (or what stands for one), a name, and what it means."""
    senses: dict[str, Sense] = dict(_OTHERS)
    names: dict[str, dict[str, None]] = {}
    for identifier, name, is_symbol in _from_cldr():
        category, _, unit = identifier.partition("-")
        senses.setdefault(unit, _sense(category, unit))
        if not is_symbol or ((len(name) > 1 or not name.isalpha()) and name.casefold() not in _NO_SYMBOLS):
            names.setdefault(unit, {})[name] = None
    for prefix, symbol, base in _prefixed():
        unit = f"{prefix}{base}"
        senses.setdefault(unit, Sense(senses[base].dimension, unit))
        stems = [f"{prefix}{stem}{ending}" for stem in _SPELLINGS.get(base, (base,)) for ending in ("", "s")]
        apart = [f"{prefix} {each.removeprefix(prefix)}" for each in stems]
        names.setdefault(unit, {}).update(dict.fromkeys((*stems, *apart)))
        if symbol.casefold() not in _NO_SYMBOLS:
            names[unit][symbol] = None
    for unit, more in _MORE.items():
        names.setdefault(unit, {}).update(dict.fromkeys(more.split(";")))
    for top, symbol in _HOURS:
        unit = f"{top}-hour"
        senses.setdefault(unit, senses[top].times(senses["hour"]))
        names.setdefault(unit, {})[symbol] = None
    for symbol, unit in _SYMBOLS.items():
        names.setdefault(unit, {})[symbol] = None
    for unit, some in names.items():
        for name in some:
            yield unit, name, senses[unit]
    for name, (top, bottom) in _RATES.items():
        yield name, name, senses[top].over(senses[bottom])
    for prefix, unit in (("k", "kilobyte"), ("M", "megabyte"), ("G", "gigabyte")):
        yield f"{prefix}Bps", f"{prefix}Bps", senses[unit].over(senses["second"])


def _sense(category: str, unit: str) -> Sense:
    """What CLDR's identifier means, composed as its words are."""
    top, per, bottom = unit.partition("-per-")
    if per and bottom[0].isalpha() and "force" not in unit:
        return _sense(_category(top), top).over(_sense(_category(bottom), bottom))
    for word, exponent in (("square-", 2), ("cubic-", 3)):
        if unit.startswith(word):
            base = unit.removeprefix(word)
            return _sense(_category(base), base).power(exponent)
    if category == "duration":
        return Sense("month" if unit in _LONG_TIMES else "time", pint_name(unit))
    dimension = _DIMENSIONS.get(category, category)
    if category in _MIXED:
        angle = unit in ("radian", "arc-minute", "arc-second")
        dimension = "angle" if angle else re.sub("^(?:milli|kilo|mega|giga)", "", unit)
    return _OTHERS.get(unit) or Sense(dimension, pint_name(unit))


@lru_cache(maxsize=1)
def _categories() -> Mapping[str, str]:
    return {unit: category for category, _, unit in (identifier.partition("-") for identifier, _, _ in _from_cldr())}


def _category(unit: str) -> str:
    return _categories().get(unit, "length")


@lru_cache(maxsize=1)
def _from_cldr() -> tuple[tuple[str, str, bool], ...]:
    """CLDR's identifier, a name, and whether it is a symbol; the names of English in its two spellings."""
    return tuple(
        (identifier, pattern.removeprefix("{0}").strip(), length != "long")
        for locale in LOCALES
        for identifier, lengths in english(locale)["unit_patterns"].items()
        if not _EXCLUDED.fullmatch(identifier)
        for length, forms in lengths.items()
        for count, pattern in forms.items()
        if count in ("one", "other") and pattern.startswith("{0}")
    )


def _prefixed() -> Iterator[tuple[str, str, str]]:
    """Prefix, symbol with the prefix, and the base unit."""
    compounds = english()["compound_unit_patterns"]
    for base, (symbol, prefixes) in _BASES.items():
        for prefix in f"{prefixes} {_BINARY if base in ('byte', 'bit') else ''}".split():
            yield prefix, compounds[_POWERS[prefix]]["short"]["prefix"].format(symbol), base


_MAIN = {
    "m": "meter",
    "kb": "kilobyte",
    "mb": "megabyte",
    "gb": "gigabyte",
    "tb": "terabyte",
    "tons": "tonne",
    "ton": "tonne",
}


@lru_cache(maxsize=1)
def _longest() -> Mapping[Sense, str]:
    longest: dict[Sense, str] = {}
    for words in unit_names().phrases.values():
        for phrase, unit in words:
            if len(phrase) == 1 and len(phrase[0]) > len(longest.get(unit.senses[0], "")):
                longest[unit.senses[0]] = phrase[0]
    return longest


def written_out(word: str) -> str:
    """The longest name of the unit that the word names (`gigabytes` for `gb`), the word itself where it names none."""
    unit = unit_names().named(_MAIN[word]) if word in _MAIN else unit_names().single(word)
    return word if unit is None else _longest().get(unit.senses[0], word)


def names_of_unit(unit: Unit) -> tuple[str, ...]:
    """How the unit is written: all names and symbols of its senses."""
    return tuple(dict.fromkeys(name for sense in unit.senses for name in unit_names().texts.get(sense, ())))
