"""Pass@1, Pass@k, Reliable@k and pass^j: how often a workflow succeeds, and how often every time.

``Pass@1`` is the mean share of passes, ``Pass@k`` the share of workflows with a pass among k repetitions,
``Reliable@k`` the share with k passes (APEX-Voice, section 4.6 of our notes). ``pass^j`` for j below k is the unbiased
estimate of the chance that j fresh repetitions all pass: the mean of C(c, j) / C(k, j) over workflows with c passes
(Yao et al., tau-bench, 2024); for j = k it is Reliable@k. Only workflows with all k repetitions count.

A repetition that nobody could judge makes every figure an interval. One that the infrastructure lost is no repetition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.workflows.campaign.rates import Rate, mean_interval
from pytest_talk2agent.workflows.scoring.grade import Truth


@dataclass(frozen=True)
class Passes:
    """The repetitions of one workflow: how many passed, and how many are open."""

    passed: int
    open: int
    total: int

    @classmethod
    def of(cls, outcomes: Sequence[Truth]) -> Passes:
        """Count outcomes; None is open."""
        return cls(outcomes.count(True), outcomes.count(None), len(outcomes))

    @property
    def share(self) -> Interval:
        """The share of passes."""
        return Interval(Fraction(self.passed, self.total), Fraction(self.passed + self.open, self.total))

    def every(self, j: int) -> Interval:
        """The unbiased chance that j repetitions all pass."""
        low, high = (Fraction(comb(count, j), comb(self.total, j)) for count in (self.passed, self.passed + self.open))
        return Interval(low, high)

    def any(self, j: int) -> Interval:
        """The unbiased chance that one of j repetitions passes."""
        low, high = (
            1 - Fraction(comb(self.total - count, j), comb(self.total, j))
            for count in (self.passed, self.passed + self.open)
        )
        return Interval(low, high)


@dataclass(frozen=True)
class Reliability:
    """The workflows of one agent that have all ``k`` repetitions, by id; ``incomplete`` are the others."""

    k: int
    workflows: Mapping[str, Passes]
    incomplete: Mapping[str, int]

    @property
    def n(self) -> int:
        """How many workflows count."""
        return len(self.workflows)

    @property
    def runs(self) -> int:
        """Repetitions of all workflows, complete or not."""
        return self.k * self.n + sum(self.incomplete.values())

    @property
    def passes(self) -> int:
        """Repetitions that passed."""
        return sum(one.passed for one in self.workflows.values())

    @property
    def unjudged(self) -> int:
        """Repetitions that are open."""
        return sum(one.open for one in self.workflows.values())

    @cached_property
    def histogram(self) -> dict[int, int]:
        """How many workflows have 0, 1, .., k passes."""
        counts = Counter(one.passed for one in self.workflows.values())
        return {number: counts[number] for number in range(self.k + 1)}

    @property
    def pass_1(self) -> Interval:
        """Mean share of passes."""
        return _mean([one.share for one in self.workflows.values()])

    @property
    def pass_1_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of Pass@1, over workflows."""
        return mean_interval([one.share for one in self.workflows.values()])

    @property
    def pass_k(self) -> Rate:
        """Workflows with a pass."""
        passed = [one.passed > 0 for one in self.workflows.values()]
        open_ = [not one.passed and one.open > 0 for one in self.workflows.values()]
        return Rate(sum(passed), self.n, sum(open_))

    @property
    def reliable_k(self) -> Rate:
        """Workflows with nothing but passes."""
        passed = [one.passed == one.total for one in self.workflows.values()]
        open_ = [one.passed < one.total == one.passed + one.open for one in self.workflows.values()]
        return Rate(sum(passed), self.n, sum(open_))

    def pass_hat(self, j: int) -> Interval:
        """pass^j. Raises ValueError where j is not between 1 and k."""
        if not 1 <= j <= self.k:
            raise ValueError(f"pass^{j} cannot be estimated from {self.k} repetitions")
        return _mean([one.every(j) for one in self.workflows.values()])

    @property
    def flips(self) -> Fraction | None:
        """The chance that two repetitions of one workflow differ, over workflows; None with one repetition.

        It is the noise floor: what a difference between builds has to rise above. Open repetitions count as failed.
        """
        if self.k < 2 or not self.n:
            return None
        pairs = [Fraction(one.passed * (one.total - one.passed), comb(one.total, 2)) for one in self.workflows.values()]
        return sum(pairs, Fraction(0)) / self.n

    @property
    def rank(self) -> tuple[Fraction, Fraction, Fraction]:
        """The published order of agents: Pass@k, then Reliable@k, then Pass@1; larger is better."""
        return self.pass_k.share.low, self.reliable_k.share.low, self.pass_1.low


def _mean(values: Sequence[Interval]) -> Interval:
    low = sum((value.low for value in values), Fraction(0)) / len(values)
    return Interval(low, sum((value.high for value in values), Fraction(0)) / len(values))


def reliability(outcomes: Mapping[str, Mapping[int, Truth]], k: int) -> Reliability:
    """Count the outcomes of one agent: workflow id -> repetition (0 to k-1) -> passed, failed or open.

    What has fewer than k repetitions is incomplete and does not count.
    """
    complete = {name: [runs[rep] for rep in range(k)] for name, runs in outcomes.items() if _has_all(runs, k)}
    return Reliability(
        k,
        {name: Passes.of(runs) for name, runs in sorted(complete.items())},
        {name: len(runs) for name, runs in sorted(outcomes.items()) if name not in complete},
    )


def _has_all(runs: Mapping[int, Truth], k: int) -> bool:
    return all(rep in runs for rep in range(k))
