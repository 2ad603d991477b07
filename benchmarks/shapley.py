"""Exact Shapley values, against shapiq's exact computer: python benchmarks/shapley.py [--repeat N].

The games are those of graders in the expression language. shapiq (a development tool, not a dependency: pip install
shapiq) is given the finished value table, so that only its own work is timed; ours includes parsing, checking and
compiling. Where shapiq cannot be imported, ours is printed alone. At n = 46 and 100 nothing that enumerates can take
part.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from pytest_talk2agent.grading.grader import Grader, GraderSource, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError

COMPARED = (10, 12, 15)
WIDE = (46, 100)
TARGETS = {("gate x sum", 46): 5.0, ("cap on a 1/200 grid", 46): 60.0}


def weighted(names: list[str], grid: int) -> str:
    """A weighted sum of all names, on a grid of 1/``grid``, that adds up to about 1."""
    parts = [1 + index * 7 % 5 for index in range(len(names))]
    sizes = [max(1, round(grid * part / sum(parts))) for part in parts]
    return " + ".join(f"{size}/{grid}*{name}" for size, name in zip(sizes, names, strict=True))


def forms(names: list[str]) -> dict[str, str]:
    """Name of a form to its expression over all names."""
    gates, rest = names[:2], names[2:]
    half = len(names) // 2
    penalties = " - ".join(f"0.05*{name}" for name in names[-2:])
    windows = ", ".join(f"all({', '.join(names[start : start + 3])})" for start in range(len(names) - 2))
    return {
        "gate x sum": f"gate(all({', '.join(gates)}), {weighted(rest, 200)})",
        "any of all": f"any({', '.join(names)})",
        "cap on a 1/200 grid": f"gate({names[0]}, cap(floor({weighted(names[1:-2], 200)} - {penalties}, 0), 0.9))",
        "threshold on a 1/200 grid": f"steps({weighted(names, 200)}, 0.6, 1, 0)",
        "threshold on a 1/1000 grid": f"steps({weighted(names, 1000)}, 0.6, 1, 0)",
        "tiers": f"steps({weighted(names, 100)}, 0.9, 1, 0.6, 0.7, 0.3, 0.4, 0)",
        "cap x floor of halves": f"cap({weighted(names[:half], 100)}, 0.5)*floor({weighted(names[half:], 100)}, 0.5)",
        "at least two thirds": f"atleast({2 * len(names) // 3}, {', '.join(names)})",
        "mean of 3-windows": f"mean({windows})",
        "threshold of 3-windows": f"steps(mean({windows}), 0.5, 1, 0)",
    }


def ours(expression: str, names: list[str]) -> Grader:
    """Compile and value one grader."""
    lost = dict.fromkeys(names, Fraction(0))
    grader = compile_grader(GraderSource(expression, lost, range=(Fraction(-1), Fraction(2))))
    grader.shapley()
    return grader


def best_of(repeat: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of the fastest of several runs, and its result."""
    times, result = [], None
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3, result


def theirs(grader: Grader) -> Callable[[], list[float]] | None:
    """Shapley values of the same game by shapiq from the value table, or None where it is not installed."""
    try:
        import numpy as np
        from shapiq import ExactComputer
    except ImportError:
        return None
    count = len(grader.intentions)
    table = np.array(
        [
            float(grader.value([name for bit, name in enumerate(grader.intentions) if mask >> bit & 1]) - grader.base)
            for mask in range(1 << count)
        ]
    )
    powers = 1 << np.arange(count)

    def run() -> list[float]:
        computer = ExactComputer(game=lambda coalitions: table[coalitions.astype(int) @ powers], n_players=count)
        values = computer(index="SV", order=1)
        return [float(values[(player,)]) for player in range(count)]

    return run


def main() -> None:
    """Print both tables (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="how often; the best is printed")
    repeat = parser.parse_args().repeat
    print(f"{'form':<28}{'n':>4}{'ours ms':>10}{'shapiq ms':>12}{'ratio':>9}{'largest difference':>21}")
    installed = True
    for count in COMPARED:
        names = [f"x{index}" for index in range(count)]
        for form, expression in list(forms(names).items())[:4]:
            milliseconds, grader = best_of(repeat, partial(ours, expression, names))
            other = theirs(grader)
            if other is None:
                installed = False
                print(f"{form:<28}{count:>4}{milliseconds:>10.2f}{'-':>12}{'-':>9}{'-':>21}")
                continue
            longer, values = best_of(1, other)
            apart = max(abs(a - b) for a, b in zip(values, map(float, grader.shapley().values()), strict=True))
            print(
                f"{form:<28}{count:>4}{milliseconds:>10.2f}{longer:>12.1f}{longer / milliseconds:>8.0f}x{apart:>21.1e}"
            )
    if not installed:
        print("shapiq cannot be imported, so ours is shown alone; pip install shapiq")
    print()
    print(f"{'form':<28}{'n':>4}{'ours ms':>10}{'target ms':>12}")
    for count in WIDE:
        names = [f"x{index}" for index in range(count)]
        for form, expression in forms(names).items():
            try:
                milliseconds, _ = best_of(repeat, partial(ours, expression, names))
            except GraderError as error:
                print(f"{form:<28}{count:>4}{'refused':>10}  {error.message}")
                continue
            target = TARGETS.get((form, count))
            verdict = f"{target:>12.0f}  {'met' if milliseconds < target else 'missed'}" if target else ""
            print(f"{form:<28}{count:>4}{milliseconds:>10.1f}{verdict}")


if __name__ == "__main__":
    main()
