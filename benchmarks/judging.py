"""What the lexical judge costs.

Run: ``python benchmarks/judging.py [--cases CASES] [--words N] [--intentions N]``.

Long texts: the processor seconds of one judgement of N words with N intentions of all kinds, for a request that is as
long itself, for one of 600 words, and for transcripts that run on in loops of words and of numbers, at N, N/2 and N/4
words: a linear cost halves with them. Cases: the median of cold judgements (what the judge remembers of texts is
dropped before each), and the time to import it.
"""

from __future__ import annotations

import argparse
import functools
import gc
import statistics
import subprocess
import sys
import time
from pathlib import Path

from table import print_table

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.labelled_cases import read_cases
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.words import listed
from pytest_talk2agent.tasks.intention import Intention

_PROSE = listed(
    "the crew of the small boat on the lake saw how the wind turned and took in the sails before the rain came over "
    "the hills while the children at the landing waved and the old dog slept under a bench as if nothing happened"
)
_NAMES = [f"{first}{second}" for first in listed("bor dal fen gim kes lun mor nad") for second in listed("an ek il os")]


def _values(count: int) -> dict[str, tuple[str, str, str]]:
    """Name to kind, value and how it is said: kinds in turn, every value another one."""
    found = {}
    for number in range(count):
        name, other = _NAMES[number % len(_NAMES)], _NAMES[(number * 7 + 3) % len(_NAMES)]
        kind, value, said = (
            ("path", f"/srv/{name}/{number}", f"/srv/{name}/{number}"),
            ("filename", f"{name}_{number}.csv", f"{name}_{number}.csv"),
            ("number", str(1000 + number), f"number {1000 + number}"),
            ("duration", f"{number + 2} minutes", f"{number + 2} minutes"),
            ("date", f"2027-03-{number % 28 + 1:02}", f"March {number % 28 + 1}, 2027"),
            ("time", f"{number % 12 + 1:02}:15", f"{number % 12 + 1}:15 am"),
            ("term", f"{name.title()} {other.title()}", f"{name.title()} {other.title()}"),
            ("email", f"{name}{number}@example.org", f"{name}{number}@example.org"),
            ("gist", f"do not open {name}{number}", f"do not open {name}{number}"),
            ("money", f"{number + 5} dollars", f"{number + 5} dollars"),
        )[number % 10]
        found[f"v{number}"] = (kind, value, said)
    return found


def request(words: int, count: int) -> tuple[str, dict[str, Intention]]:
    """A request of so many words that holds so many values."""
    values = _values(count)
    pieces, gap = [], max(1, words // count - 4)
    for number, (_, _, said) in enumerate(values.values()):
        text = [_PROSE[(number * 13 + index) % len(_PROSE)] for index in range(gap)]
        pieces.append(f"{' '.join(text)} {said}.")
    intentions = {
        name: Intention.model_validate(
            {"say": value, "kind": kind, **({"keywords": [["open"], [value.split()[-1]]]} if kind == "gist" else {})}
        )
        for name, (kind, value, _) in values.items()
    }
    return " ".join(pieces), intentions


def transcripts(text: str, words: int) -> dict[str, str]:
    """What may be heard of a request, by what it shows."""
    short = " ".join(text.split()[:40])
    loops = {"okay": "okay", "1": "1,", "1.5": "1.5,", "999": "nine hundred ninety nine", "0": "0 0 1"}
    return {
        "itself": text,
        "another long text": " ".join(_PROSE[index * 5 % 31] for index in range(words)),
        "all in one word": "a" * words,
        "digits": "1" * words,
        "no blank": text.replace(" ", ""),
        **{
            f"loop of {name}": f"{short} {' '.join([loop] * (words // len(loop.split())))}"
            for name, loop in loops.items()
        },
    }


def forget() -> None:
    """Drop what the judge remembers of texts; tables that are read once stay."""
    for thing in gc.get_objects():
        remembers = isinstance(thing, functools._lru_cache_wrapper)
        if not remembers or not str(thing.__module__).startswith("pytest_talk2agent"):
            continue
        if thing.__wrapped__.__code__.co_argcount:
            thing.cache_clear()


def seconds(case: Case) -> float:
    """The processor time of one judgement with nothing remembered."""
    forget()
    start = time.process_time()
    judge(case)
    return time.process_time() - start


def long_texts(words: int, count: int) -> None:
    """The table of long texts."""
    sizes = (words, words // 2, words // 4)
    rows: dict[str, list[str]] = {}
    for size in sizes:
        text, intentions = request(size, count)
        for name, transcript in transcripts(text, size).items():
            rows.setdefault(name, [name]).append(f"{seconds(Case(text, text, intentions, transcript)):.2f}")
        brief, values = request(600, count)
        for name, transcript in transcripts(brief, size).items():
            if name.startswith(("loop", "another")):
                rows.setdefault(f"600 words, {name}", [f"600 words, {name}"]).append(
                    f"{seconds(Case(brief, brief, values, transcript)):.2f}"
                )
    print_table(("transcript", *(f"{size} words" for size in sizes)), list(rows.values()))


def cases(path: Path, most: int) -> None:
    """The median of cold judgements."""
    found = [each.case for each in read_cases(path)][:most]
    for case in found[:5]:
        judge(case)  # tables that are read once
    times = sorted(seconds(case) for case in found)
    print(f"{len(times)} cases of {path.name}: median {1000 * statistics.median(times):.1f} ms", end=", ")
    print(f"95th percentile {1000 * times[int(0.95 * len(times))]:.1f} ms, longest {1000 * times[-1]:.1f} ms")
    code = (
        "import time; a = time.perf_counter(); import pytest_talk2agent.judging.lexical; print(time.perf_counter() - a)"
    )
    took = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(5)
    ]
    print(f"import: {1000 * min(took):.0f} ms")


def main() -> None:
    """Print both (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=Path(__file__).parents[1] / "tests" / "judging" / "cases.jsonl")
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--words", type=int, default=10_000)
    parser.add_argument("--intentions", type=int, default=50)
    options = parser.parse_args()
    cases(options.cases, options.most)
    long_texts(options.words, options.intentions)


if __name__ == "__main__":
    main()
