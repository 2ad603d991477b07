"""Literals that come back from their spoken forms: python benchmarks/spoken_forms.py [--values N] [--seed S] [DATA].

Says N generated literals of every kind (5,000 by default) and judges each heard as it was said, in both styles; then
makes the scripts of the shipped suites, and of OSWorld's and WildClawBench's instructions where the folder DATA has
them (osworld/evaluation_examples, wcb/tasks), and judges every literal in its whole script. What does not come back is
listed with the reason of the judge.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import string
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from forms import KINDS
from table import print_table

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.recording.script import literals_of, script_of
from pytest_talk2agent.recording.spoken import STYLES, say
from pytest_talk2agent.tasks.intention import Kind
from pytest_talk2agent.tasks.loader import load_tasks

_SUITES = Path(__file__).resolve().parents[1] / "suites"
_WORDS = ("report", "budget", "notes", "tides", "archive", "build", "status", "upload", "src", "cfg", "HTTP", "Draft")
_SUFFIXES = ("txt", "py", "json", "tar.gz", "docx", "md", "mp4", "yaml", "csv", "xlsx")


def _name(draw: random.Random) -> str:
    joiner = draw.choice(["_", "-", "", "."])
    return joiner.join(draw.choice([*_WORDS, str(draw.randint(0, 2030))]) for _ in range(draw.randint(1, 3)))


def _path(draw: random.Random) -> str:
    start = draw.choice(["/", "~/", "./", "../", ""])
    return start + "/".join(_name(draw) for _ in range(draw.randint(1, 3))) + draw.choice(["", f"/{_file(draw)}"])


def _file(draw: random.Random) -> str:
    return f"{_name(draw)}.{draw.choice(_SUFFIXES)}"


def _windows(draw: random.Random) -> str:
    return f"{draw.choice('CDEZ')}:\\" + "\\".join(draw.choice(_WORDS) for _ in range(2)) + f"\\{_file(draw)}"


def _flag(draw: random.Random) -> str:
    long = "-".join(draw.choice(_WORDS).lower() for _ in range(draw.randint(1, 3)))
    return draw.choice([f"--{long}", f"-{draw.choice(string.ascii_letters)}"])


def _url(draw: random.Random) -> str:
    host = f"{draw.choice(_WORDS).lower()}.example.{draw.choice(['com', 'org', 'net'])}"
    scheme = draw.choice(["https://", "http://", "https://www.", ""])
    tail = draw.choice(
        ["", f"/{draw.choice(_WORDS).lower()}", f":{draw.randint(80, 9000)}/x", f"/a?v={draw.randint(1, 99)}"]
    )
    return scheme + host + tail


def _identifier(draw: random.Random) -> str:
    words = [draw.choice(_WORDS).lower() for _ in range(draw.randint(2, 3))]
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    return draw.choice(["_".join(words), camel, "_".join(words).upper(), f"{'-'.join(words)}-{draw.randint(1, 99)}"])


def _code(draw: random.Random) -> str:
    return draw.choice(
        [
            f"{''.join(draw.sample(string.ascii_uppercase, 2))}-{draw.randint(1, 9999):04d}",
            f"{draw.choice(string.ascii_uppercase)}{draw.randint(1, 99)}",
            "".join(draw.choice("0123456789ABCDEF") for _ in range(6)),
            f"{draw.randint(0, 999):04d}",
            f"#{draw.randint(0, 0xFFFFFF):06X}",
        ]
    )


MORE: dict[str, tuple[Kind, Callable[[random.Random], str]]] = {
    "long path": ("path", _path),
    "file": ("filename", _file),
    "windows path": ("path", _windows),
    "flag": ("flag", _flag),
    "address": ("url", _url),
    "identifier": ("identifier", _identifier),
    "mixed code": ("code", _code),
}


def generated(count: int, seed: int) -> Iterator[tuple[str, Kind, str]]:
    """Literals of every kind in turn: the name of its family, its kind and the value."""
    draw = random.Random(seed)
    families = {**KINDS, **MORE}
    for number in range(count):
        name = list(families)[number % len(families)]
        kind, make = families[name]
        value = make(draw)
        yield name, next(one for one in _KINDS if one == kind), value


_KINDS: tuple[Kind, ...] = (
    "path", "filename", "flag", "url", "email", "identifier", "code", "number", "quantity", "money", "percent",
    "duration", "version", "date", "time",
)  # fmt: skip


def instructions(data: Path | None) -> Iterator[tuple[str, str, list[tuple[str, Kind]]]]:
    """Where each instruction is from, its text, and the literals that its task names."""
    for path in sorted(_SUITES.glob("*/tasks.yaml")):
        for task in load_tasks(path):
            if task.is_bound:
                yield f"suites/{task.id}", task.instruction, literals_of(task)
    if data is None:
        return
    for path in sorted((data / "osworld" / "evaluation_examples").glob("examples*/*/*.json")):
        yield f"osworld/{path.stem}", json.loads(path.read_text(encoding="utf-8"))["instruction"], []
    for path in sorted((data / "wcb" / "tasks").glob("*/*.md")):
        prompt = re.search(r"^## Prompt\n(.*?)(?=^## |\Z)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        if prompt is not None:
            yield f"wcb/{path.stem}", prompt[1].strip(), []


def main() -> None:
    """Print both tables (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--values", type=int, default=5000, metavar="N")
    parser.add_argument("--seed", type=int, default=15)
    options = parser.parse_args()
    begin = time.perf_counter()
    counts: Counter[tuple[str, str]] = Counter()
    for name, kind, value in generated(options.values, options.seed):
        counts[name, "values"] += 1
        for style in STYLES:
            if say(kind, value, style) is None:
                print(f"generated {name} {value!r} ({kind}, {style}): no reading of it comes back")
            else:
                counts[name, style] += 1
    names = list(dict.fromkeys(name for name, _ in counts))
    rows = [[name, *(str(counts[name, column]) for column in ("values", *STYLES))] for name in names]
    print_table(["family", "values", *STYLES], rows)
    print(f"{time.perf_counter() - begin:.1f} s\n")
    begin = time.perf_counter()
    totals: Counter[tuple[str, str]] = Counter()
    for place, text, known in instructions(options.data):
        source = place.partition("/")[0]
        script = script_of(text, "people", known)
        totals[source, "instructions"] += 1
        totals[source, "literals"] += len(script.literals)
        totals[source, "come back"] += len(script.literals) - len(script.lost)
        for one in script.lost:
            print(f"{place}: {one.value!r} ({one.kind}), said as {one.said!r}: {one.reason}")
    sources = list(dict.fromkeys(source for source, _ in totals))
    columns = ("instructions", "literals", "come back")
    print_table(["source", *columns], [[one, *(str(totals[one, column]) for column in columns)] for one in sources])
    lost = 0
    for path in sorted(_SUITES.glob("*/tasks.yaml")):
        for task in load_tasks(path):
            if task.is_bound:
                text = script_of(task.instruction, "people", literals_of(task)).text
                findings = judge(Case(task.instruction, text, task.intentions, text)).findings
                for name, finding in findings.items():
                    if finding.label is not Label.RETAINED:
                        lost += 1
                        print(f"intention {task.id} {name} {task.intentions[name].say}: {finding.reason}")
    print(f"{lost} intentions of the shipped suites do not come back; {time.perf_counter() - begin:.1f} s")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
