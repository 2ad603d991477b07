"""The same takes under two conditions: paired gains, by hand, and everything that is no pair."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.analysis.spread import Spread
from pytest_talk2agent.analysis.transfer import Transfer, transfer
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import interval, result, retention, undefined

F = Fraction


def item(task: str, take: str, condition: str, native: str, shapley: str = "1", polarity: str = "normal") -> TaskResult:
    kept = retention(interval(*native.split("..")), interval(shapley))
    return result(task, take=take, condition=condition, kept=kept, polarity=polarity)


def takes(condition: str, **scores: str) -> list[TaskResult]:
    """Two tasks, and for each take a score of the first; the second loses everything."""
    return [
        found
        for take, score in scores.items()
        for found in (item("a", take, condition, score, score), item("b", take, condition, "0", "0"))
    ]


BEFORE = takes("raw", one="1/5", two="2/5", three="3/5")
AFTER = takes("fix", one="3/5", two="1", three="1")


def test_gains_are_paired_by_take() -> None:
    found = transfer([*BEFORE, *AFTER], "raw", "fix", "native")
    # Means over two tasks: 0.1, 0.2, 0.3 become 0.3, 0.5, 0.5, so the gains are 0.2, 0.3, 0.2.
    assert (found.metric, found.tasks) == ("native", 2)
    assert found.before == Spread(F(1, 5), 0.1, 3)
    assert found.after.mean == F(13, 30)
    assert found.after.sd == pytest.approx((0.04 / 3) ** 0.5)
    assert found.gain.mean == F(7, 30) == found.after.mean - found.before.mean
    assert found.gain.sd == pytest.approx((0.01 / 3) ** 0.5)
    assert found.gain.repetitions == 3


def test_the_order_of_results_does_not_matter() -> None:
    assert transfer([*reversed(AFTER), *BEFORE], "raw", "fix", "native") == transfer(
        [*BEFORE, *AFTER], "raw", "fix", "native"
    )


@pytest.mark.parametrize("metric", ["native", "shapley", "flat"])
def test_a_condition_against_itself_gains_nothing(metric: str) -> None:
    found = transfer(BEFORE, "raw", "raw", metric)
    assert found.gain == Spread(F(0), 0.0, 3)


def test_another_metric() -> None:
    results = [item("a", "1", "raw", "0", "1/4"), item("a", "1", "fix", "0", "3/4")]
    single = Transfer("shapley", 1, Spread(F(1, 4), None, 1), Spread(F(3, 4), None, 1), Spread(F(1, 2), None, 1))
    assert transfer(results, "raw", "fix", "shapley") == single


def test_an_interval_counts_by_its_midpoint() -> None:
    results = [item("a", "1", "raw", "0..1/2"), item("a", "1", "fix", "1")]
    assert transfer(results, "raw", "fix", "native").gain.mean == F(3, 4)


def test_what_has_no_score_and_reversed_tasks_are_not_in_it() -> None:
    odd = [
        found
        for condition in ("raw", "fix")
        for found in (
            item("c", "one", condition, "1", polarity="reversal"),
            result("d", take="four", condition=condition, kept=undefined()),
        )
    ]
    assert transfer([*BEFORE, *odd, *AFTER], "raw", "fix", "native") == transfer(
        [*BEFORE, *AFTER], "raw", "fix", "native"
    )


@pytest.mark.parametrize(
    ("results", "after", "metric", "fault"),
    [
        ([*BEFORE, *AFTER], "fixed", "native", "no condition 'fixed' in these runs; they have raw, fix"),
        ([*BEFORE, *AFTER], "fix", "wer", "no metric 'wer'; known: native, shapley, flat"),
        ([*BEFORE, *AFTER[:-2]], "fix", "native", "takes are not paired: three is under one of the two conditions al"),
        ([*BEFORE[:-1], *AFTER], "fix", "native", "condition 'raw': repetition 'three' lacks b, which others have"),
        ([*BEFORE, *AFTER[::2]], "fix", "native", "conditions 'raw' and 'fix' are not of the same tasks"),
        (
            [result("d", condition=condition, kept=undefined()) for condition in ("raw", "fix")],
            *("fix", "native", "no task has a score under condition 'raw'"),
        ),
    ],
    ids=["condition", "metric", "unpaired", "gap", "tasks", "no-score"],
)
def test_what_cannot_be_paired_is_refused(results: list[TaskResult], after: str, metric: str, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{fault}"):
        transfer(results, "raw", after, metric)
