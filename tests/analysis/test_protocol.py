"""The paper's protocol on a worked example of four tasks and three interfaces, all 256 resamples of which are known."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from statistics import mean

import pytest

from pytest_talk2agent.analysis.correlation import pearson, spearman
from pytest_talk2agent.analysis.grid import Grid, Matrix, points
from pytest_talk2agent.analysis.protocol import Difference, correlate
from pytest_talk2agent.analysis.resamples import draw_tasks, resample

METRIC = ((1, 0.5, 0), (0.5, 0.5, 1), (1, 0.75, 0.25), (0, 0.25, 0.5))
EXECUTION = ((0.8, 0.6, 0.1), (0.4, 0.4, 0.4), (0.9, 0.5, 0.5), (0.2, 0, 0.3))
TYPES = ("A", "A", "B", "B")


def exact(matrix: Matrix) -> Matrix:
    return tuple(tuple(Fraction(str(value)) for value in row) for row in matrix)


def grid(execution: Matrix = EXECUTION, types: tuple[str, ...] | None = TYPES, **metrics: Matrix) -> Grid:
    return Grid(
        tasks=tuple(f"t{index}" for index in range(len(execution))),
        conditions=tuple(f"c{index}" for index in range(len(execution[0]))),
        metrics={name: exact(matrix) for name, matrix in (metrics or {"metric": METRIC}).items()},
        execution=exact(execution),
        types=types,
        left_out={},
    )


@pytest.mark.parametrize(
    ("level", "size", "pcc", "rho"),
    [
        ("task-interface", 12, 0.759536, 0.713391),
        ("type-interface", 6, 0.505746, 0.514496),
        ("interface", 3, 0.989743, 1.0),
    ],
)
def test_correlations_of_the_worked_example(level: str, size: int, pcc: float, rho: float) -> None:
    found = correlate(grid())
    for statistic, expected in (("pcc", pcc), ("spearman", rho)):
        estimate = found.estimate(level, statistic, "metric")
        assert estimate.points == size
        assert estimate.value == pytest.approx(expected, abs=5e-7)


def test_all_256_resamples_of_the_worked_example() -> None:
    draws = draw_tasks(4, 10_000, seed=1)
    assert (len(draws.counts), draws.seed) == (256, None)
    values = resample(grid(), draws)["task-interface", "pcc", "metric"]
    defined = [value for value in values.tolist() if not math.isnan(value)]
    assert len(defined) == 255
    assert mean(defined) == pytest.approx(0.737582, abs=5e-7)
    assert min(defined) == pytest.approx(0.313034, abs=5e-7)
    assert max(defined) == pytest.approx(0.970725, abs=5e-7)
    # the undefined one holds the task four times whose execution is constant
    assert [row for row, value in zip(draws.counts.tolist(), values, strict=True) if math.isnan(value)] == [
        [0, 4, 0, 0]
    ]


@pytest.mark.parametrize("level", ["task-interface", "type-interface", "interface"])
def test_every_resample_agrees_with_exact_arithmetic(level: str) -> None:
    whole = grid()
    found = resample(whole, draw_tasks(4, 256, seed=0))
    for place, drawn in enumerate(product(range(4), repeat=4)):
        metric = tuple(whole.metrics["metric"][task] for task in drawn)
        execution = tuple(whole.execution[task] for task in drawn)
        part = grid(execution, tuple(TYPES[task] for task in drawn), metric=metric)
        xs, ys = points(part, part.metrics["metric"], level), points(part, part.execution, level)
        for statistic, measure in (("pcc", pearson), ("spearman", spearman)):
            value, expected = float(found[level, statistic, "metric"][place]), measure(xs, ys)
            if expected is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(expected, abs=1e-12)


def test_undefined_draws_are_counted_and_in_no_interval() -> None:
    found = correlate(grid())
    estimate = found.estimate("task-interface", "pcc", "metric")
    assert (found.draws, estimate.undefined) == (256, 1)
    assert estimate.low is not None
    assert estimate.high is not None
    assert 0.313034 < estimate.low < 0.759536 < estimate.high < 0.970726


def test_a_constant_metric_is_undefined_everywhere() -> None:
    constant = tuple((0.1, 0.1, 0.1) for _ in range(4))
    found = correlate(grid(metric=constant))
    for one in found.estimates:
        assert (one.value, one.low, one.high, one.undefined) == (None, None, None, 256)


def test_metrics_are_compared_on_the_same_draws() -> None:
    worse = ((0, 0.5, 1), (1, 0, 0.5), (0.5, 0.5, 0.5), (0.5, 1, 0))
    found = correlate(grid(worse=worse, same=METRIC, metric=METRIC))
    pairs = {(one.metric, one.against): one for one in found.differences if one.level == "task-interface"}
    assert set(pairs) == {("same", "worse"), ("metric", "worse"), ("metric", "same")}
    twins = pairs["metric", "same"]
    assert (twins.value, twins.low, twins.high, twins.higher, twins.equal) == (0, 0, 0, 0, 1)
    better = next(d for d in found.differences if (d.level, d.statistic, d.metric) == ("task-interface", "pcc", "same"))
    values = resample(found.grid, draw_tasks(4, 256, 0))
    gaps = values["task-interface", "pcc", "same"] - values["task-interface", "pcc", "worse"]
    assert better.higher == pytest.approx(sum(g > 1e-9 for g in gaps.tolist()) / sum(not math.isnan(g) for g in gaps))
    assert better.undefined == sum(map(math.isnan, gaps.tolist())) > 0
    assert better.value is not None
    assert better.value > 0


def test_opposite_metrics_differ_by_twice_their_correlation() -> None:
    opposite = tuple(tuple(1 - value for value in row) for row in METRIC)
    found = correlate(grid(opposite=opposite, metric=METRIC))
    difference: Difference = next(one for one in found.differences if one.level == "interface")
    assert difference.value == pytest.approx(2 * 0.989743, abs=1e-6)


def test_without_types_there_is_no_level_of_types() -> None:
    found = correlate(grid(types=None))
    assert [one.level for one in found.estimates] == ["task-interface"] * 2 + ["interface"] * 2


def test_types_of_unequal_size_count_equally() -> None:
    uneven = grid(types=("A", "A", "A", "B"))
    assert points(uneven, uneven.metrics["metric"], "type-interface")[3:] == [0, Fraction(1, 4), Fraction(1, 2)]
    assert points(uneven, uneven.metrics["metric"], "type-interface")[0] == Fraction(5, 6)


def test_a_sample_is_what_its_seed_says() -> None:
    first, again, other = (draw_tasks(30, 500, seed) for seed in (7, 7, 8))
    assert first.seed == 7
    assert first.counts.shape == (500, 30)
    assert (first.counts == again.counts).all()
    assert not (first.counts == other.counts).all()
    assert (first.counts.sum(axis=1) == 30).all()


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="give a share between 0 and 1"):
        correlate(grid(), confidence=confidence)


@pytest.mark.parametrize(("tasks", "draws"), [(0, 10), (3, 0)])
def test_nothing_to_draw_is_refused(tasks: int, draws: int) -> None:
    with pytest.raises(ValueError, match="there must be one of each"):
        draw_tasks(tasks, draws, 0)
