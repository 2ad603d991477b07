"""Exact paired tests on counts, and what to do with several of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


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
