"""The paper's protocol (Talk2Agent, section 5, table 4): how well each metric predicts what execution scored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_talk2agent.analysis.correlation import pearson, spearman
from pytest_talk2agent.analysis.grid import Grid, points
from pytest_talk2agent.analysis.resamples import SAME, STATISTICS, draw_tasks, resample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_EXACT = {"pcc": pearson, "spearman": spearman}


@dataclass(frozen=True)
class Estimate:
    """One correlation: its exact value (None where undefined), the interval of its draws, how many were undefined."""

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
            found = {name: _EXACT[statistic](row, outcome) for name, row in values.items()}
            for name, value in found.items():
                low, high, undefined = _interval(resampled[level, statistic, name], confidence)
                estimates.append(Estimate(level, statistic, name, len(outcome), value, low, high, undefined))
            for earlier, later in combinations(found, 2):
                gaps = resampled[level, statistic, later] - resampled[level, statistic, earlier]
                first, second = found[later], found[earlier]
                gap = None if first is None or second is None else first - second
                differences.append(Difference(level, statistic, later, earlier, gap, *_compared(gaps, confidence)))
    return Correlations(grid, len(drawn.counts), drawn.seed, confidence, tuple(estimates), tuple(differences))


def _interval(values: Floats, confidence: float) -> tuple[float | None, float | None, int]:
    """Percentile interval of the defined values, linear between two; and how many are undefined."""
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
