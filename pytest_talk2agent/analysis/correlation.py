"""How well each metric predicts what execution scored (Talk2Agent, section 5 and table 4).

Intervals are a bootstrap over tasks: what is random is which tasks a benchmark holds, so the cells of a task stay
together, and all metrics are recomputed on the same draws. An undefined correlation is NaN in a draw, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from pytest_talk2agent.analysis.grid import LEVELS, Grid, Number, points

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
_DIGITS = 14
"""Decimals of a correlation: what agrees perfectly is 1, and not 0.9999999999999999."""


def pearson(xs: Sequence[Number], ys: Sequence[Number]) -> float | None:
    """Pearson's r; None where it is undefined: a row is constant or has fewer than two numbers.

    Raises ValueError where the rows are not of one length or hold no numbers, or scipy is not installed.
    """
    return _correlated("pearsonr", xs, ys)


def spearman(xs: Sequence[Number], ys: Sequence[Number]) -> float | None:
    """Spearman's rho, equal numbers sharing the mean of their ranks; None and ValueError as for `pearson`."""
    return _correlated("spearmanr", xs, ys)


def _correlated(measure: Literal["pearsonr", "spearmanr"], xs: Sequence[Number], ys: Sequence[Number]) -> float | None:
    if len(xs) != len(ys):
        raise ValueError(f"rows of {len(xs)} and {len(ys)} numbers; pairs need as many of both")
    rows = [[float(number) for number in row] for row in (xs, ys)]
    if not all(isfinite(number) for row in rows for number in row):
        raise ValueError("a row holds a number that is not finite; leave it out")
    if not xs or any(max(row) - min(row) <= SAME for row in rows):
        return None
    stats = _stats()
    found = stats.pearsonr(*rows) if measure == "pearsonr" else stats.spearmanr(*rows)
    return round(float(found.statistic), _DIGITS)


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise ValueError('correlations need scipy; pip install "pytest-talk2agent[metrics]"') from None
    return stats


@dataclass(frozen=True)
class Draws:
    """``tasks``: the places of the tasks that each draw (row) holds; ``seed`` is None where they are all there are."""

    tasks: Integers
    seed: int | None


def draw_tasks(tasks: int, draws: int, seed: int) -> Draws:
    """Resamples of the tasks: every possible one, in order, if there are at most ``draws``; otherwise a random sample.

    Raises ValueError where there is nothing to draw.
    """
    import numpy as np

    if tasks < 1 or draws < 1:
        raise ValueError(f"{draws} draws of {tasks} tasks; there must be one of each at least")
    if tasks**tasks <= draws:
        return Draws(np.array(list(product(range(tasks), repeat=tasks)), dtype=np.int64), None)
    return Draws(np.random.default_rng(seed).integers(0, tasks, size=(draws, tasks)), seed)


def resample(grid: Grid, draws: Draws) -> dict[tuple[str, str, str], Floats]:
    """The correlation with execution in every draw, by level, statistic and metric; NaN where undefined."""
    import numpy as np

    execution = np.array(grid.execution, dtype=np.float64)
    metrics = {name: np.array(matrix, dtype=np.float64) for name, matrix in grid.metrics.items()}
    size = len(draws.tasks)
    found = {(level, s, name): np.empty(size) for level in grid.levels for s in STATISTICS for name in metrics}
    for level, first in product(grid.levels, range(0, size, _CHUNK)):
        drawn = draws.tasks[first : first + _CHUNK]
        outcome = _paired(grid, level, execution, drawn)
        outcome_ranks = _ranks(outcome)
        for name, matrix in metrics.items():
            values = _paired(grid, level, matrix, drawn)
            undefined = _constant(values) | _constant(outcome)
            for statistic, left, right in (("pcc", values, outcome), ("spearman", _ranks(values), outcome_ranks)):
                found[level, statistic, name][first : first + _CHUNK] = _pearson_rows(left, right, undefined)
    return found


def _paired(grid: Grid, level: str, matrix: Floats, drawn: Integers) -> Floats:
    """The values that a level pairs, draws x points; NaN for the points of a type of which a draw has no task."""
    import numpy as np

    cells = matrix[drawn]
    if level == LEVELS[0]:
        return np.reshape(cells, (len(drawn), -1))
    if level == LEVELS[2]:
        return np.asarray(cells.mean(axis=1))
    assert grid.types is not None, "the level of types needs types"
    types = np.array(grid.types)[drawn]
    member = np.stack([types == kind for kind in sorted(set(grid.types))], axis=1).astype(np.float64)
    with np.errstate(invalid="ignore"):
        means: Floats = member @ cells / member.sum(axis=2, keepdims=True)
    return means.reshape(len(drawn), -1)


def _ranks(values: Floats) -> Floats:
    """Average ranks of each draw's own values, NaN where they are."""
    import numpy as np

    absent = np.isnan(values)
    ranks: Floats = _stats().rankdata(np.where(absent, np.inf, values.round(9)), axis=1)
    return np.where(absent, np.nan, ranks)


def _pearson_rows(left: Floats, right: Floats, undefined: NDArray[np.bool_]) -> Floats:
    import numpy as np

    x = left - np.nanmean(left, axis=1, keepdims=True)
    y = right - np.nanmean(right, axis=1, keepdims=True)
    spread = np.nansum(x * x, axis=1) * np.nansum(y * y, axis=1)
    spread[undefined] = 1
    r = np.clip(np.nansum(x * y, axis=1) / np.sqrt(spread), -1, 1)
    return np.where(undefined, np.nan, r)


def _constant(values: Floats) -> NDArray[np.bool_]:
    """The draws in which all points have one value."""
    import numpy as np

    return np.asarray(np.nanmax(values, axis=1) - np.nanmin(values, axis=1) <= SAME)


@dataclass(frozen=True)
class Estimate:
    """One correlation: its value (None where undefined), the interval of its draws, how many were undefined."""

    level: str
    statistic: str
    metric: str
    points: int
    value: float | None
    low: float | None
    high: float | None
    undefined: int


@dataclass(frozen=True)
class Difference:
    """The correlation of one metric minus that of another, on the same draws.

    ``higher`` and ``equal`` are the shares of the defined draws in which the first is higher, or both are the same;
    ``undefined`` counts the draws in which one of them is undefined. ``value`` is the difference of the estimates.
    """

    level: str
    statistic: str
    metric: str
    against: str
    value: float | None
    low: float | None
    high: float | None
    higher: float | None
    equal: float | None
    undefined: int


@dataclass(frozen=True)
class Correlations:
    """Everything that `correlate` found; ``seed`` is None where the draws are all that there are."""

    grid: Grid
    draws: int
    seed: int | None
    confidence: float
    estimates: tuple[Estimate, ...]
    differences: tuple[Difference, ...]

    def estimate(self, level: str, statistic: str, metric: str) -> Estimate:
        """The one of this name; raises StopIteration where there is none."""
        wanted = (level, statistic, metric)
        return next(one for one in self.estimates if (one.level, one.statistic, one.metric) == wanted)


def correlate(grid: Grid, *, draws: int = 10_000, seed: int = 0, confidence: float = 0.95) -> Correlations:
    """PCC and Spearman of every metric at every level, with percentile intervals over resampled tasks.

    The later of two metrics is compared with the earlier. Raises ValueError where ``confidence`` is not between 0 and 1
    or there are no draws.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence:g}; give a share between 0 and 1, such as 0.95")
    drawn = draw_tasks(len(grid.tasks), draws, seed)
    resampled = resample(grid, drawn)
    estimates, differences = [], []
    for level in grid.levels:
        outcome = points(grid, grid.execution, level)
        values = {name: points(grid, matrix, level) for name, matrix in grid.metrics.items()}
        for statistic in STATISTICS:
            found = {name: (pearson if statistic == "pcc" else spearman)(row, outcome) for name, row in values.items()}
            for name, value in found.items():
                low, high, undefined = _interval(resampled[level, statistic, name], confidence)
                estimates.append(Estimate(level, statistic, name, len(outcome), value, low, high, undefined))
            for earlier, later in combinations(found, 2):
                gaps = resampled[level, statistic, later] - resampled[level, statistic, earlier]
                first, second = found[later], found[earlier]
                gap = None if first is None or second is None else first - second
                differences.append(Difference(level, statistic, later, earlier, gap, *_compared(gaps, confidence)))
    return Correlations(grid, len(drawn.tasks), drawn.seed, confidence, tuple(estimates), tuple(differences))


def _interval(values: Floats, confidence: float) -> tuple[float | None, float | None, int]:
    """The percentile interval of the defined values, interpolated linearly, and how many are undefined."""
    import numpy as np

    defined = values[~np.isnan(values)]
    if not len(defined):
        return None, None, len(values)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high), len(values) - len(defined)


def _compared(gaps: Floats, confidence: float) -> tuple[float | None, float | None, float | None, float | None, int]:
    import numpy as np

    low, high, undefined = _interval(gaps, confidence)
    defined = gaps[~np.isnan(gaps)]
    if not len(defined):
        return low, high, None, None, undefined
    equal = np.abs(defined) <= SAME
    return low, high, float(((defined > 0) & ~equal).mean()), float(equal.mean()), undefined
