"""Values read back from their own forms: python benchmarks/forms.py [--values N] [--seed S] [--list N].

Draws N values (20,000 by default) of the kinds that inverse text normalisation is tested with (cardinal, ordinal,
decimal, fraction, money, measure, duration, date, time, percent, version, code, telephone, electronic), says and prints
each in every form that `speech.saying` knows, and judges every form twice: heard where the script is the written value
(the way a recogniser prints it), and heard word for word as it was said. Everything must be retained; as a
control, a form of another value of the same kind must not be.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable

from table import print_table

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.saying import forms
from pytest_talk2agent.speech.unit_names import unit_names
from pytest_talk2agent.tasks.intention import Intention

_CONSONANTS = "BCDFGHKLMNPQRTVWXZ"
_WORDS = ("report", "budget", "notes", "summary", "archive", "build", "status", "upload")


def _suffix(number: int) -> str:
    return "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _cardinal(draw: random.Random) -> str:
    return str(
        draw.choice(
            [draw.randint(0, 100), draw.randint(100, 9999), draw.randint(10**4, 10**7), draw.randint(1, 999) * 1000]
        )
    )


def _ordinal(draw: random.Random) -> str:
    number = draw.randint(1, 999)
    return f"{number}{_suffix(number)}"


def _decimal(draw: random.Random) -> str:
    return f"{draw.choice(['', '-'])}{draw.randint(0, 999)}.{draw.randint(1, 9999)}"


def _fraction(draw: random.Random) -> str:
    return f"{draw.choice(['', '1 ', '12 '])}{draw.choice(['1/2', '1/3', '2/3', '3/4', '3/5', '5/8', '7/10'])}"


def _money(draw: random.Random) -> str:
    amount = draw.choice([str(draw.randint(1, 5000)), f"{draw.randint(0, 500)}.{draw.randint(1, 99):02d}"])
    pattern = draw.choice(
        ["${}", "£{}", "€{}", "₹{}", "{} SEK", "{} NOK", "{} CHF", "CA${}", "{} euros", "{} Mexican pesos", "¥{}"]
    )
    return draw.choice([pattern.format(amount), f"{draw.randint(1, 99)} cents"])


def _measure(draw: random.Random) -> str:
    names = unit_names()
    long_times = ("time", "month", "percent")
    unit = draw.choice(sorted(one for one, sense in names.by_identifier.items() if sense.dimension not in long_times))
    number = draw.choice([str(draw.randint(1, 900)), f"{draw.randint(0, 90)}.{draw.randint(1, 9)}"])
    return f"{number} {draw.choice(names.texts[names.by_identifier[unit]])}"


def _duration(draw: random.Random) -> str:
    return draw.choice(
        [
            f"{draw.randint(1, 200)} {unit}"
            for unit in ("minutes", "seconds", "hours", "days", "weeks", "months", "years")
        ]
        + [f"{draw.randint(2, 40) * 15} minutes", f"{draw.randint(1, 9)}.5 hours"]
    )


def _date(draw: random.Random) -> str:
    year, month, day = draw.randint(1000, 2099), draw.randint(1, 12), draw.randint(1, 28)
    return draw.choice([f"{year}-{month:02d}-{day:02d}", f"20{year % 100:02d}-{month:02d}-{day:02d}", f"March {year}"])


def _time(draw: random.Random) -> str:
    return f"{draw.randint(0, 23):02d}:{draw.choice([0, 15, 30, 45, draw.randint(0, 59)]):02d}"


def _code(draw: random.Random) -> str:
    letters = "".join(draw.choice(_CONSONANTS) for _ in range(draw.randint(1, 3)))
    return letters + "".join(draw.choice("23456789") for _ in range(draw.randint(2, 4)))


def _electronic(draw: random.Random) -> str:
    one, two = draw.choice(_WORDS), draw.choice(_WORDS)
    return draw.choice([f"{one}.{two}@example.org", f"{one}_{two}@mail.example.com"])


KINDS: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "cardinal": ("number", _cardinal),
    "ordinal": ("number", _ordinal),
    "decimal": ("number", _decimal),
    "fraction": ("number", _fraction),
    "money": ("money", _money),
    "measure": ("quantity", _measure),
    "percent": ("percent", lambda draw: f"{draw.randint(0, 200)}{draw.choice(['', '.5', '.25'])}%"),
    "duration": ("duration", _duration),
    "date": ("date", _date),
    "time": ("time", _time),
    "version": ("version", lambda draw: ".".join(str(draw.randint(0, 30)) for _ in range(3))),
    "code": ("code", _code),
    "telephone": ("code", lambda draw: f"555-{draw.randint(0, 9999):04d}"),
    "electronic": ("email", _electronic),
    "path": ("path", lambda draw: f"/{draw.choice(_WORDS)}/{draw.choice(_WORDS)}_{draw.randint(2, 99)}.txt"),
}


def is_retained(kind: str, value: str, script: str, heard: str) -> bool:
    """One value in one sentence."""
    intention = Intention(say=value, kind=kind)
    return judge(Case(script, script, {"it": intention}, heard)).findings["it"].label is Label.RETAINED


def main() -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--list", type=int, default=5, metavar="N", help="how many misread forms of a kind are shown")
    options = parser.parse_args()
    draw, start = random.Random(options.seed), time.perf_counter()
    read: Counter[tuple[str, str]] = Counter()
    shown: Counter[str] = Counter()
    for number in range(options.values):
        name = list(KINDS)[number % len(KINDS)]
        kind, make = KINDS[name]
        value, other = make(draw), make(draw)
        script, said = f"set the value to {value} now", forms(kind, value)
        for form in said:
            read[name, "forms"] += 1
            printed = is_retained(kind, value, script, f"Set the value to {form} now.")
            spoken = is_retained(kind, value, f"set the value to {form} now", f"set the value to {form} now")
            read[name, "good"] += printed and spoken
            if not (printed and spoken) and shown[name] < options.list:
                shown[name] += 1
                print(f"{name} {value!r} as {form!r}: lost {'word for word' if printed else 'in print'}")
        read[name, "values"] += 1
        wrong = draw.choice(forms(kind, other))
        # Two values may be equal (`1 kg`, `1000 g`): then each reads the other.
        if wrong not in said and is_retained(kind, value, script, f"Set the value to {wrong} now."):
            back = f"set the value to {other} now"
            same = is_retained(kind, other, back, f"Set the value to {value} now.")
            read[name, "confused"] += not same
            if not same:
                print(f"{name} {value!r} called retained in {wrong!r}")
    rows = [
        [name, str(read[name, "values"]), str(read[name, "forms"]),
         f"{read[name, 'good'] / max(1, read[name, 'forms']):.4f}",
         str(read[name, "confused"])]
        for name in KINDS
    ]  # fmt: skip
    print_table(("kind", "values", "forms", "read back", "other value called retained"), rows)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
