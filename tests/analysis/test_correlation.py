"""Correlations with ties and constant rows, and the paper's protocol on an example of which all resamples are known."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import product
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.correlation import Difference, correlate, draw_tasks, pearson, resample, spearman
from pytest_talk2agent.analysis.grid import Grid, Matrix, points

ROWS = st.lists(st.integers(-3, 3), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("xs", "ys", "r"),
    [
        ([1, 2, 3], [2, 4, 6], 1.0),
        ([1, 2, 3], [6, 4, 2], -1.0),
        ([0.1, 0.2, 0.3], [0.7, 0.8, 0.9], 1.0),
        ([1, 2, 3, 4], [1, -1, -1, 1], 0.0),
        ([1, 2, 3], [1, 2, 4], 3 / math.sqrt(2 * Fraction(14, 3))),
    ],
)
def test_pearson(xs: list[float], ys: list[float], r: float) -> None:
    assert pearson(xs, ys) == pytest.approx(r, abs=1e-14)


@pytest.mark.parametrize("constant", [[0.1] * 3, [0.4] * 3, [Fraction(1, 3)] * 3])
def test_a_constant_row_is_undefined_and_no_small_number(constant: list[float]) -> None:
    assert pearson(constant, [1, 2, 4]) is None
    assert pearson([1, 2, 4], constant) is None
    assert spearman(constant, [1, 2, 4]) is None


def test_the_trap_is_real() -> None:
    # three times 0.1 leaves a variance that is not zero in floating point
    row = [0.1] * 3
    mean = sum(row) / len(row)
    assert sum((x - mean) ** 2 for x in row) > 0
    assert pearson(row, [1, 2, 4]) is None


@pytest.mark.parametrize("length", [0, 1])
def test_too_few_pairs_are_undefined(length: int) -> None:
    assert pearson([1.0] * length, [2.0] * length) is None


def test_rows_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="rows of 2 and 3 numbers"):
        pearson([1, 2], [1, 2, 3])


def test_what_is_not_finite_is_refused() -> None:
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="not finite"):
            pearson([1.0, bad], [1.0, 2.0])


@pytest.mark.parametrize(
    ("xs", "ys", "rho"),
    [([3, 1, 3], [2, 1, 2], 1.0), ([1, 1, 2], [1, 2, 3], math.sqrt(3) / 2), ([7, 7, 7], [1, 2, 3], None)],
)
def test_equal_numbers_share_their_ranks(xs: list[float], ys: list[float], rho: float | None) -> None:
    assert spearman(xs, ys) == pytest.approx(rho)


def test_without_scipy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ValueError, match=r'^correlations need scipy; pip install "pytest-talk2agent\[metrics\]"$'):
        pearson([1, 2], [3, 4])


def test_spearman_sees_order_alone() -> None:
    assert spearman([1, 2, 3], [1, 10, 1000]) == 1.0


@given(ROWS)
def test_pearson_is_symmetric_bounded_and_blind_to_scale(xs: list[int]) -> None:
    ys = list(reversed(xs))
    r = pearson(xs, ys)
    if len(set(xs)) == 1:
        assert r is None
        return
    assert r is not None
    assert -1 <= r <= 1
    assert r == pearson(ys, xs)
    assert pearson([3 * x + 7 for x in xs], ys) == pytest.approx(r, abs=1e-14)
    assert pearson(xs, [-y for y in ys]) == -r
    assert pearson(xs, xs) == 1.0


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
    assert (len(draws.tasks), draws.seed) == (256, None)
    values = resample(grid(), draws)["task-interface", "pcc", "metric"]
    defined = [value for value in values.tolist() if not math.isnan(value)]
    assert len(defined) == 255
    assert mean(defined) == pytest.approx(0.737582, abs=5e-7)
    assert min(defined) == pytest.approx(0.313034, abs=5e-7)
    assert max(defined) == pytest.approx(0.970725, abs=5e-7)
    # the undefined one holds the task four times whose execution is constant
    assert [row for row, value in zip(draws.tasks.tolist(), values, strict=True) if math.isnan(value)] == [[1, 1, 1, 1]]


@pytest.mark.parametrize("level", ["task-interface", "type-interface", "interface"])
def test_every_resample_agrees_with_the_correlation_of_its_points(level: str) -> None:
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
    assert first.tasks.shape == (500, 30)
    assert (first.tasks == again.tasks).all()
    assert not (first.tasks == other.tasks).all()
    assert set(first.tasks.ravel().tolist()) == set(range(30))


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="give a share between 0 and 1"):
        correlate(grid(), confidence=confidence)


@pytest.mark.parametrize(("tasks", "draws"), [(0, 10), (3, 0)])
def test_nothing_to_draw_is_refused(tasks: int, draws: int) -> None:
    with pytest.raises(ValueError, match="there must be one of each"):
        draw_tasks(tasks, draws, 0)
