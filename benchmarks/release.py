"""How often the release gate is wrong: python benchmarks/release.py [--runs N] [--tasks N ..] [--takes N ..] [--rare].

A synthetic study. Tasks have four intentions of four kinds. Half of the tasks are easy and half are hard: an intention
is lost with probability 0.1 or 0.4 (--rare: 0.02 or 0.12). The candidate hears each task as the baseline does, but for
one task in five, where easy and hard are swapped: it is another model, no better and no worse. On top of that it loses
every intention with a probability that is higher by the true difference, which is therefore exactly that of Shapley
retention and of lost intentions; that of Native (a gate on the first intention) is about twice as large. Both hear the
same recordings: of three intentions two meet the same noise. Each task is drawn anew in each run.

Shown, in percent of runs: the verdict of the whole gate (three metrics and four kinds) for two margins, and how often
the interval of the difference in Shapley retention holds the true one, beside the intervals of those who resample
items, or items of the two runs by themselves.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from table import print_table

from pytest_talk2agent.analysis.significance import holm, sign_flip_p, task_intervals
from pytest_talk2agent.results.comparison import KIND_LEVEL, Change, change_of

INTENTIONS = 4
SWAPPED = 0.2
SHARED = 2 / 3
HARD = {False: (0.1, 0.4), True: (0.02, 0.12)}
MARGINS = (0.0, 0.05)
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Runs:
    """Many runs of one design: arrays over run, task and take; ``lost`` also over intention (candidate, baseline)."""

    native: tuple[Numbers, Numbers]
    shapley: tuple[Numbers, Numbers]
    lost: tuple[NDArray[np.bool_], NDArray[np.bool_]]


def simulate(stream: np.random.Generator, runs: int, tasks: int, takes: int, difference: float, *, rare: bool) -> Runs:
    """Draw runs; ``difference`` is how much more often the candidate loses an intention."""
    easy, hard = HARD[rare]
    before = np.where(stream.random((runs, tasks, 1, 1)) < 0.5, easy, hard)
    swapped = stream.random(before.shape) < SWAPPED
    after = np.where(swapped, easy + hard - before, before) + difference
    shape = (runs, tasks, takes, INTENTIONS)
    noise = stream.random(shape)
    own = np.where(stream.random(shape) < SHARED, noise, stream.random(shape))
    weights = stream.dirichlet(np.full(INTENTIONS, 3.0), size=(runs, tasks))[:, :, None, :]
    lost = own < after, noise < before
    shapley = tuple(1 - (weights * one).sum(axis=-1) for one in lost)
    native = tuple(np.where(one[..., 0], 0.0, value) for one, value in zip(lost, shapley, strict=True))
    return Runs((native[0], native[1]), (shapley[0], shapley[1]), lost)


def by_task(after: Numbers, before: Numbers) -> Numbers:
    """The mean difference of each task: rows are tasks and columns are runs, as the bootstrap takes them."""
    means: Numbers = (after - before).mean(axis=2).T
    return means


def verdicts(found: Runs, draws: int) -> dict[float, list[Change]]:
    """The verdict of the gate on each run for each margin, by the functions that the gate itself calls."""
    shares = tuple(one.mean(axis=-1) for one in found.lost)
    metrics = [by_task(*found.native), by_task(*found.shapley), -by_task(shares[0], shares[1])]
    # One call, since all metrics of one run are resampled alike.
    lower, upper = task_intervals(np.hstack(metrics), draws=draws, seed=0)
    bounds = list(
        zip(lower.reshape(len(metrics), -1).T.tolist(), upper.reshape(len(metrics), -1).T.tolist(), strict=True)
    )
    adjusted = [holm(chances) for chances in kind_chances(found)]
    excess = (found.lost[0].mean(axis=(1, 2)) - found.lost[1].mean(axis=(1, 2))).tolist()
    return {
        margin: [
            _verdict(*ends, kinds, more, margin) for ends, kinds, more in zip(bounds, adjusted, excess, strict=True)
        ]
        for margin in MARGINS
    }


def _verdict(
    lower: Sequence[float], upper: Sequence[float], kinds: Sequence[float], excess: Sequence[float], margin: float
) -> Change:
    changes = {change_of(low, high, margin) for low, high in zip(lower, upper, strict=True)}
    worse = any(p < KIND_LEVEL and more > margin for p, more in zip(kinds, excess, strict=True))
    if worse or Change.REGRESSED in changes:
        return Change.REGRESSED
    return Change.UNDECIDED if Change.UNDECIDED in changes else Change.NOT_REGRESSED


def kind_chances(found: Runs) -> list[list[float]]:
    """The p-value of each kind in each run; every intention of the design has a kind of its own."""
    net = found.lost[0].sum(axis=2, dtype=int) - found.lost[1].sum(axis=2, dtype=int)
    return [[sign_flip_p(run[:, kind].tolist()) for kind in range(INTENTIONS)] for run in net]


def coverage(found: Runs, difference: float, draws: int) -> dict[str, float]:
    """The share of runs whose interval of the difference in Shapley retention holds the true one."""
    after, before = found.shapley
    runs, tasks, takes = after.shape
    lower, upper = task_intervals(by_task(after, before), draws=draws, seed=0)
    items = (after - before).reshape(runs, tasks * takes)
    z = NormalDist().inv_cdf(0.975)
    # Resampling items comes to the normal interval of their mean, as soon as there are more than a few.
    paired = z * items.std(axis=1, ddof=1) / math.sqrt(tasks * takes)
    apart = z * np.sqrt((after.var(axis=(1, 2), ddof=1) + before.var(axis=(1, 2), ddof=1)) / (tasks * takes))
    centre, true = items.mean(axis=1), -difference
    return {
        "tasks": float(np.mean((lower <= true) & (true <= upper))),
        "items": float(np.mean(np.abs(centre - true) <= paired)),
        "unpaired": float(np.mean(np.abs(centre - true) <= apart)),
    }


def study(
    tasks: int, takes: int, difference: float, *, runs: int, draws: int, seed: int, rare: bool
) -> list[dict[str, float]]:
    """One row for each margin: rates over all runs."""
    stream = np.random.default_rng([seed, tasks, takes, round(1000 * difference)])
    batch = max(1, 2_000_000 // (tasks * takes * INTENTIONS))
    counts = {margin: dict.fromkeys(Change, 0) for margin in MARGINS}
    covered = {"tasks": 0.0, "items": 0.0, "unpaired": 0.0}
    for begin in range(0, runs, batch):
        size = min(batch, runs - begin)
        found = simulate(stream, size, tasks, takes, difference, rare=rare)
        for margin, changes in verdicts(found, draws).items():
            for verdict in changes:
                counts[margin][verdict] += 1
        for name, share in coverage(found, difference, draws).items():
            covered[name] += share * size
    return [
        {
            "tasks": tasks,
            "takes": takes,
            "true": difference,
            "margin": margin,
            **{verdict.value: count / runs for verdict, count in counts[margin].items()},
            **{f"covers: {name}": total / runs for name, total in covered.items()},
        }
        for margin in MARGINS
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=2000, help="of the bootstrap; the gate's own default is 10,000")
    parser.add_argument("--tasks", type=int, nargs="+", default=[30, 60, 351])
    parser.add_argument("--takes", type=int, nargs="+", default=[1, 5, 10])
    parser.add_argument("--difference", type=float, nargs="+", default=[0.0, 0.02, 0.05, 0.1])
    parser.add_argument("--rare", action="store_true", help="losses are rare, so that few tasks differ at all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    start = time.process_time()
    rows: list[dict[str, float]] = []
    for tasks in options.tasks:
        for takes in options.takes:
            for difference in options.difference:
                rows.extend(
                    study(
                        tasks,
                        takes,
                        difference,
                        runs=options.runs,
                        draws=options.draws,
                        seed=options.seed,
                        rare=options.rare,
                    )
                )
    shown = [
        [f"{100 * value:.1f}" if place >= 4 else value for place, value in enumerate(row.values())] for row in rows
    ]
    print_table(list(rows[0]), shown)
    quiet = [row for row in rows if row["true"] == 0]
    if quiet:
        worst = max(quiet, key=lambda row: row[Change.REGRESSED.value])
        rate = worst[Change.REGRESSED.value]
        error = 1.96 * math.sqrt(rate * (1 - rate) / options.runs)
        print(
            f"worst false alarm rate {rate:.1%} (+-{error:.1%}) at {worst['tasks']} tasks, {worst['takes']} takes,"
            f" margin {worst['margin']}; target 5 %: {'met' if rate <= 0.05 else 'missed'}"
        )
    print(
        f"{options.runs} runs each, {options.draws} draws, seed {options.seed}, {time.process_time() - start:.0f} s CPU"
    )


if __name__ == "__main__":
    main()
