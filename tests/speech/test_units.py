from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from pytest_talk2agent.speech.currencies import currency_at, is_code, leads, part_of
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.speech.unit_names import names_of_unit, unit_names, written_out
from pytest_talk2agent.speech.unit_phrases import rate_at, unit_at
from pytest_talk2agent.speech.units import Unit


def unit(text: str) -> Unit:
    """The unit that the whole text names, with its rate."""
    stream = tokenise(f"7 {text}")
    found = unit_at(stream, 1)
    assert found is not None, text
    found = rate_at(stream, *found) or found
    assert found[1] >= len(stream) - (stream.norms[-1] == "."), text
    return found[0]


@pytest.mark.parametrize(
    ("names", "factor"),
    [
        ("mile;miles;mi", 1),
        ("cubic metres;cubic meters;m³;m3;cu m;metres cubed", 1),
        ("kilowatt hours;kilowatt-hours;kWh;kilo watt hours", 1),
        ("pounds;lb;lbs", 1),
        ("miles per hour;mph;miles an hour;mi/h", 1),
        ("frames per second;fps;FPS", 1),
        ("tbsp;tablespoons;Tbsp", 1),
        ("square feet;sq ft;sq. ft.;ft²;sqft", 1),
    ],
)
def test_all_names_of_one_unit_are_the_same(names: str, factor: int) -> None:
    units = [unit(name) for name in names.split(";")]
    assert all(Fraction(factor) in units[0].factors(one) for one in units)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bar", "psi"), ("square metres", "metres"), ("square feet", "cubic feet"), ("fps", "bpm"), ("rpm", "bpm"),
        ("GB", "GiB"), ("MB", "Mb"), ("MB", "MB per second"), ("kW", "kWh"), ("mW", "MW"),
        ("litres", "litres per hour"),
        ("mg", "ml"), ("volts", "watts"), ("km/h", "mph"), ("inches", "feet"), ("celsius", "fahrenheit"),
    ],
)  # fmt: skip
def test_another_unit_is_no_name_of_this_one(one: str, other: str) -> None:
    assert 1 not in unit(one).factors(unit(other))


@pytest.mark.parametrize(
    ("heard", "wanted", "factor"),
    [
        ("km", "metres", "1000"), ("feet", "inches", "12"), ("MB", "bits", "8000000"), ("bar", "hPa", "1000"),
        ("hours", "s", "3600"),
        ("years", "months", "12"), ("acres", "square feet", None), ("m/s", "km/h", "18/5"),
        ("cubic metres", "litres", "1000"),
        ("GHz", "MHz", "1000"), ("lb", "oz", "16"), ("metres", "seconds", None), ("gallons", "pints", "8"),
    ],
)  # fmt: skip
def test_factors_are_exact(heard: str, wanted: str, factor: str | None) -> None:
    found = unit(heard).factors(unit(wanted))
    if factor is None:
        assert not any(each.denominator == 1 and each < 100 for each in found)
    else:
        assert Fraction(factor) in found


def test_a_name_may_mean_several_units() -> None:
    pounds = unit("pounds")
    assert pounds.is_currency
    assert pounds.measures("mass")
    assert not pounds.of_kind("quantity").is_currency
    assert not pounds.of_kind("money").measures("mass")
    assert unit("m").of_kind("duration").measures("time")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("SEK", {"SEK"}), ("Swedish kronor", {"SEK"}), ("Canadian dollars", {"CAD"}), ("CA$", {"CAD"}),
        ("US$", {"USD"}),
        ("quid", {"GBP"}), ("rand", {"ZAR"}), ("pence", {"GBP"}),
    ],
)  # fmt: skip
def test_currencies_have_codes(text: str, codes: set[str]) -> None:
    found = currency_at(tokenise(text), 0)
    assert found is not None
    assert found[0].senses[0].codes == codes


@pytest.mark.parametrize(("bare", "codes"), [("kronor", {"SEK", "NOK", "DKK"}), ("dollars", {"USD", "CAD", "AUD"})])
def test_a_bare_name_stands_for_all_currencies_of_that_name(bare: str, codes: set[str]) -> None:
    found = currency_at(tokenise(bare), 0)
    assert found is not None
    assert codes <= found[0].senses[0].codes


@pytest.mark.parametrize("word", ["all", "try", "top", "cup", "gold", "mark", "rows"])
def test_words_are_no_currencies(word: str) -> None:
    assert currency_at(tokenise(f"Take {word}"), 1) is None


def test_cents_are_parts_of_their_currency() -> None:
    cents, dollars, kronor = unit("cents"), unit("dollars"), unit("SEK")
    assert cents.factors(dollars) == {Fraction(1, 100)}
    assert part_of(dollars, cents)
    assert not part_of(kronor, cents)
    assert is_code("sek")
    assert leads("$")
    assert not leads("cents")


@pytest.mark.parametrize(
    ("text", "is_unit"),
    [
        ("12 in", True),
        ("12 in.", True),
        ("12in the box", True),
        ("at 5 in the morning", False),
        ("5 a day", False),
        ("5 A", True),
    ],
)
def test_words_that_are_also_symbols(text: str, is_unit: bool) -> None:
    stream = tokenise(text)
    at = next(index for index, token in enumerate(stream.tokens) if token.kind == "digits") + 1
    assert (unit_at(stream, at) is not None) is is_unit


def test_a_symbol_is_written_out() -> None:
    assert written_out("gb") == written_out("gigabyte") == "gigabytes"
    assert written_out("rows") == "rows"
    assert {"kg", "kilogram", "kilograms", "kilos"} <= set(names_of_unit(unit_names().named("kilogram")))


def test_units_are_read_from_cldr_when_asked_and_not_before() -> None:
    code = (
        "import sys; import pytest_talk2agent.judging.lexical;"
        "assert 'babel' not in sys.modules and 'pint' not in sys.modules;"
        "from pytest_talk2agent.speech.measures import measures; from pytest_talk2agent.speech.tokens import tokenise;"
        "s = tokenise('5 kg of rice'); assert measures(s, 0, len(s))[0].unit;"
        "assert 'babel' in sys.modules and 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
