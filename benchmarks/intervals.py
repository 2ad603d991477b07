"""6,000 exact intervals over 60 graders: python benchmarks/intervals.py [--repeat N].

The graders are synthetic: 2 to 46 intentions (mean 9), gates over sums, caps with penalties, tiers with alternatives.
For each, a hundred transcripts are scored with up to three unresolved intentions, so that N and S are intervals. The
time covers compiling, Shapley values and intervals, in one thread, best of N repeats.
"""

from __future__ import annotations

import argparse
import random
import time
from fractions import Fraction

from pytest_talk2agent.grading.grader import GraderSource, compile_grader

SIZES = (2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 14, 16, 46)
FORMS = ("gate", "penalty", "tiers")
TRANSCRIPTS = 100

# the retained and the unresolved names
Transcript = tuple[list[str], list[str]]


def weighted(names: list[str], draw: random.Random) -> str:
    """A weighted sum on a grid of 1/200 that adds up to at most 1."""
    parts = [draw.randint(1, 5) for _ in names]
    grid = [max(1, part * 200 // sum(parts)) for part in parts]
    return " + ".join(f"{size / 200}*{name}" for size, name in zip(grid, names, strict=True))


def expression(form: str, names: list[str], draw: random.Random) -> str:
    """One grader over all of ``names``."""
    first, rest = names[0], names[1:]
    if form == "gate":
        return f"gate({first}, {weighted(rest, draw)})"
    if form == "penalty":
        return f"clamp({weighted(rest, draw)} + 0.1 - 0.3*{first}, 0, 0.9)"
    alternatives = f"any({', '.join(rest[:2])})"
    return f"0.5*steps({weighted(names, draw)}, 0.9, 1, 0.6, 0.7, 0.3, 0.3, 0) + 0.25*{alternatives} + 0.25*{first}"


def build(seed: int = 0) -> tuple[list[GraderSource], list[list[Transcript]]]:
    """The sources and, for each, the retained and unresolved names of every transcript."""
    draw = random.Random(seed)
    sources, transcripts = [], []
    for size in SIZES:
        for form in FORMS:
            names = [f"x{index}" for index in range(size)]
            sources.append(GraderSource(expression(form, names, draw), dict.fromkeys(names, Fraction(0))))
            cases = []
            for _ in range(TRANSCRIPTS):
                unresolved = draw.sample(names, draw.randint(0, min(3, size)))
                retained = [name for name in names if name not in unresolved and draw.random() < 0.8]
                cases.append((retained, unresolved))
            transcripts.append(cases)
    return sources, transcripts


def run(sources: list[GraderSource], transcripts: list[list[Transcript]]) -> tuple[float, float, float, int]:
    """Seconds for compiling, for Shapley values and for intervals, and how many intervals are not points."""
    start = time.perf_counter()
    graders = [compile_grader(source) for source in sources]
    compiled = time.perf_counter()
    for grader in graders:
        grader.shapley()
    valued = time.perf_counter()
    wide = 0
    for grader, cases in zip(graders, transcripts, strict=True):
        for retained, unresolved in cases:
            native = grader.retention(retained, unresolved).native
            wide += native is not None and not native.is_point
    return compiled - start, valued - compiled, time.perf_counter() - valued, wide


def main() -> None:
    """Print a table of times (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="how often; the best is printed")
    options = parser.parse_args()
    sources, transcripts = build()
    runs = [run(sources, transcripts) for _ in range(options.repeat)]
    compiling, valuing, scoring, wide = min(runs, key=lambda row: sum(row[:3]))
    count = sum(map(len, transcripts))
    total = compiling + valuing + scoring
    print(f"{len(sources)} graders, mean n {sum(SIZES) / len(SIZES):.1f}, max n {max(SIZES)}")
    print(f"{count} intervals, {wide} of them wide")
    print(f"{'step':<16}{'seconds':>9}{'each':>14}{'share':>8}")
    for step, seconds, number in (
        ("compile", compiling, len(sources)),
        ("Shapley values", valuing, len(sources)),
        ("intervals", scoring, count),
        ("all", total, count),
    ):
        print(f"{step:<16}{seconds:>9.3f}{seconds / number * 1e6:>11.0f} us{seconds / total:>8.0%}")
    print(f"target 1 s: {'met' if total < 1 else 'missed'}, ratio {total:.2f}")


if __name__ == "__main__":
    main()
