"""Correlations of many resamples: tasks are drawn with replacement, each with all its interfaces.

The bootstrap of Talk2Agent, section 5: what is random is which tasks a benchmark holds, so the cells of a task stay
together, and all metrics are recomputed on the same draws. An undefined correlation is NaN here, and counted there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from pytest_talk2agent.analysis.grid import LEVELS, Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

STATISTICS = ("pcc", "spearman")
SAME = 1e-9
"""Numbers that differ by no more are equal: means of equal numbers may differ in their last bits.

Whether a row is constant is decided so, on its values; its variance would be near 1e-32 and not zero.
"""

_CHUNK = 250


@dataclass(frozen=True)
class Draws:
    """``counts``: how often each draw (row) holds each task (column); ``seed`` is None where they are all there are."""

    counts: Integers
    seed: int | None


def draw_tasks(tasks: int, draws: int, seed: int) -> Draws:
    """Resamples of as many tasks: all of them, in order, where they are not more than ``draws``, else a random sample.

    Raises ValueError where there is nothing to draw.
    """
    import numpy as np

    if tasks < 1 or draws < 1:
        raise ValueError(f"{draws} draws of {tasks} tasks; there must be one of each at least")
    exhaustive = tasks**tasks <= draws
    if exhaustive:
        drawn = np.array(list(product(range(tasks), repeat=tasks)), dtype=np.int64)
    else:
        drawn = np.random.default_rng(seed).integers(0, tasks, size=(draws, tasks))
    counts = np.zeros((len(drawn), tasks), dtype=np.int64)
    np.add.at(counts, (np.arange(len(drawn))[:, None], drawn), 1)
    return Draws(counts, None if exhaustive else seed)


def resample(grid: Grid, draws: Draws) -> dict[tuple[str, str, str], Floats]:
    """For each level, statistic and metric its correlation with execution in every draw, NaN where undefined."""
    import numpy as np

    execution = np.array(grid.execution, dtype=np.float64)
    metrics = {name: np.array(matrix, dtype=np.float64) for name, matrix in grid.metrics.items()}
    size = len(draws.counts)
    found = {(level, s, name): np.empty(size) for level in grid.levels for s in STATISTICS for name in metrics}
    for first in range(0, size, _CHUNK):
        counts = draws.counts[first : first + _CHUNK].astype(np.float64)
        for level, statistic, name, values in _correlations(grid, execution, metrics, counts):
            found[level, statistic, name][first : first + _CHUNK] = values
    return found


def _correlations(
    grid: Grid, execution: Floats, metrics: Mapping[str, Floats], counts: Floats
) -> Iterator[tuple[str, str, str, Floats]]:
    for level in grid.levels:
        outcome, outcome_ranks, weights = _level(grid, level, execution, counts)
        for name, matrix in metrics.items():
            values, ranks, _ = _level(grid, level, matrix, counts)
            undefined = _constant(values, weights) | _constant(outcome, weights)
            for statistic, left, right in (("pcc", values, outcome), ("spearman", ranks, outcome_ranks)):
                yield level, statistic, name, _pearson(left, right, weights, undefined)


def _level(grid: Grid, level: str, matrix: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """What a level pairs: values, their ranks, and how often each counts; draws x points, values may be of one draw."""
    import numpy as np

    conditions = matrix.shape[1]
    if level == LEVELS[0]:
        weights = np.repeat(counts, conditions, axis=1)
        values = matrix.reshape(1, -1)
        return values, _weighted_ranks(values[0], weights), weights
    if level == LEVELS[2]:
        means = counts @ matrix / counts.sum(axis=1, keepdims=True)
        weights = np.ones_like(means)
        return means, _ranks(means, weights), weights
    assert grid.types is not None, "the level of types needs types"
    kinds = sorted(set(grid.types))
    member = np.array([[kind == one for one in grid.types] for kind in kinds], dtype=np.float64)
    drawn = counts @ member.T
    sums = np.einsum("dt,kt,tc->dkc", counts, member, matrix, optimize=True)
    # A type of which a draw has no task has no mean in it: its points count nothing.
    means = (sums / np.maximum(drawn, 1)[:, :, None]).reshape(len(counts), -1)
    weights = np.repeat((drawn > 0).astype(np.float64), conditions, axis=1)
    return means, _ranks(means, weights), weights


def _pearson(left: Floats, right: Floats, weights: Floats, undefined: NDArray[np.bool_]) -> Floats:
    import numpy as np

    total = weights.sum(axis=1, keepdims=True)
    x = left - (weights * left).sum(axis=1, keepdims=True) / total
    y = right - (weights * right).sum(axis=1, keepdims=True) / total
    spread = (weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1)
    together = (weights * x * y).sum(axis=1)
    spread[undefined] = 1
    r = np.clip(together / np.sqrt(spread), -1, 1)
    return np.where(undefined, np.nan, r)


def _constant(values: Floats, weights: Floats) -> NDArray[np.bool_]:
    """The draws in which all points that count have one value."""
    import numpy as np

    counted = weights > 0
    most = np.where(counted, values, -np.inf).max(axis=1)
    least = np.where(counted, values, np.inf).min(axis=1)
    return np.asarray(most - least <= SAME)


def _weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Average ranks in every draw of the same values, each as often as its weight says."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    starts = np.diff(values[order], prepend=-np.inf) > SAME
    group = np.empty(len(values), dtype=np.int64)
    group[order] = np.cumsum(starts) - 1
    sizes = np.add.reduceat(weights[:, order], np.flatnonzero(starts), axis=1)
    ranks: Floats = (np.cumsum(sizes, axis=1) - (sizes - 1) / 2)[:, group]
    return ranks


def _ranks(values: Floats, weights: Floats) -> Floats:
    """Average ranks of each draw's own values among those that count: half of who is less, minus who is more."""
    import numpy as np

    gaps = values[:, :, None] - values[:, None, :]
    signs = (gaps > SAME).astype(np.float64) - (gaps < -SAME)
    ranks: Floats = np.einsum("dij,dj->di", signs, weights) / 2 + (weights.sum(axis=1, keepdims=True) + 1) / 2
    return ranks
