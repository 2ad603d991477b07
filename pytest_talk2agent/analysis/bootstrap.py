"""Intervals of a mean over tasks: the bootstrap that resamples tasks, each with everything it brings.

Takes of one task share its words and its difficulty, so they are no independent draws; tasks are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95
CHUNK = 500
METHOD = "bootstrap over tasks, expanded percentile, never narrower than Student's t"

_NORMAL = NormalDist()


def task_interval(
    low: Sequence[float], high: Sequence[float], *, draws: int, seed: int, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """The interval of a mean over tasks that are known up to an interval each; None with fewer than two tasks.

    ``low`` and ``high`` hold the ends of each task's value, equal where nothing is unresolved. The lower end of the
    interval comes from ``low`` and the upper one from ``high``, on the same draws: it holds whatever the unresolved
    labels turn out to be.
    """
    import numpy as np

    if len(low) < 2:
        return None
    ends = np.array([low, high], dtype=float).T
    lower, upper = task_intervals(ends, draws=draws, seed=seed, confidence=confidence)
    return float(lower[0]), float(upper[1])


def task_intervals(
    values: NDArray[np.float64], *, draws: int, seed: int, confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both ends of the interval of the mean of each column; rows are tasks.

    The quantiles of the resampled means are taken further out than nominal, by the factor that turns a normal interval
    with n in the variance into Student's with n - 1 (the expanded percentile interval: Hesterberg, The American
    Statistician 69, 2015, section 5.3): plain percentiles cover too little below a hundred tasks. Where few tasks
    changed at all even that is too narrow; there the symmetric interval of Student's t is the wider one and counts.
    """
    import numpy as np

    tasks = len(values)
    means = np.vstack([counts @ values / tasks for counts in resamples(tasks, draws, seed)])
    student = student_quantile(0.5 + confidence / 2, tasks - 1)
    level = _NORMAL.cdf(-math.sqrt(tasks / (tasks - 1)) * student)
    lower, upper = np.quantile(means, [level, 1 - level], axis=0)
    half = student * np.std(values, axis=0, ddof=1) / math.sqrt(tasks)
    mean = np.mean(values, axis=0)
    return np.minimum(lower, mean - half), np.maximum(upper, mean + half)


def resamples(tasks: int, draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each task is drawn, in each of ``draws`` samples with replacement, some samples at a time."""
    import numpy as np

    stream = np.random.Generator(np.random.PCG64(seed))
    for begin in range(0, draws, CHUNK):
        count = min(CHUNK, draws - begin)
        drawn: Any = stream.integers(tasks, size=(count, tasks)) + tasks * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * tasks).reshape(count, tasks).astype(float)


def student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t: exact for one and two degrees of freedom, else to 1 % at 3 and 0.01 % from 10 on.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5 (an expansion around the normal one).
    """
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        span = 2 * probability - 1
        return span * math.sqrt(2 / (1 - span * span))
    z = _NORMAL.inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, start=1))
