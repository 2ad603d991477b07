"""The statistics of a comparison: intervals of a mean over tasks, exact paired tests, and the recordings needed.

Takes of one task share its words and its difficulty, so they are no independent draws; tasks are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, harmonic_mean, variance
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.results.comparison import Needed

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


def sign_flip_p(net: Sequence[int]) -> float:
    """One-sided p-value of a sum of paired net counts, one a task, where any sign was as likely as the other.

    The null hypothesis: candidate and baseline are exchangeable within each task, so the sign of a task's net count
    flips with probability 1/2, all of the task together. The distribution of the sum is exact, by convolution, not
    sampled. With counts of one it is McNemar's exact test (Fisher, The Design of Experiments, section 21).
    """
    import numpy as np

    sizes = Counter(abs(count) for count in net if count)
    chances = np.ones(1)  # of each sum of those counts whose sign is minus
    for size, number in sorted(sizes.items()):
        binomial = np.zeros(size * number + 1)
        binomial[::size] = [math.comb(number, minus) / 2**number for minus in range(number + 1)]
        chances = np.convolve(chances, binomial)
    minus = (sum(size * number for size, number in sizes.items()) - sum(net)) // 2
    return min(1.0, float(chances[: minus + 1].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (Scandinavian Journal of Statistics 6, 1979), whatever the tests' dependence."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    adjusted, worst = [0.0] * len(values), 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = worst
    return adjusted


@dataclass(frozen=True)
class Components:
    """Variance components of a score: between tasks, and between takes of a task.

    ``between`` is the variance of the tasks' true values, ``within`` that of takes of one task (None where no task has
    two), ``means`` that of the tasks' means as observed, ``takes`` the harmonic mean of takes of a task.
    """

    tasks: int
    takes: float
    means: float
    between: float
    within: float | None


def components_of(groups: Sequence[Sequence[float]]) -> Components:
    """The components of a one-way random layout, one group a task; needs two tasks.

    With unequal groups the harmonic mean stands for their size (Searle, Casella, McCulloch, Variance Components, 3.6).
    """
    centres = [fmean(group) for group in groups]
    means, takes = variance(centres), harmonic_mean([len(group) for group in groups])
    freedom = sum(len(group) - 1 for group in groups)
    if not freedom:
        return Components(len(groups), takes, means, means, None)
    squares = math.fsum((value - c) ** 2 for group, c in zip(groups, centres, strict=True) for value in group)
    within = squares / freedom
    return Components(len(groups), takes, means, max(0.0, means - within / takes), within)


def needed_for(
    now: Components, difference: tuple[float, float], interval: tuple[float, float], margin: float
) -> Needed:
    """How much data would decide a difference that is undecided now; higher is better.

    ``difference`` holds both ends of what was observed, apart where labels are unresolved; ``interval`` is the one
    around them. What lies between the two shrinks with the square root of the data; it must become smaller than what
    lies between the difference and ``-margin``, on the side on which the difference is.
    """
    (low, high), (lower, upper) = difference, interval
    room, width = (low + margin, low - lower) if low > -margin else (-(high + margin), upper - high)
    if room <= 0:
        return Needed(None, None, labels=low < high)
    if now.means <= 0:
        return Needed(None, None)
    means = now.means * (room / width) ** 2  # the variance of a task's mean that would do
    tasks = _whole(now.tasks * now.means / means)
    if now.within is None:
        return Needed(tasks, None)
    return Needed(tasks, _whole(now.within / (means - now.between)) if means > now.between else None)


def _whole(number: float) -> int:
    return math.ceil(number - 1e-9)
