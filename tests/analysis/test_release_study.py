"""The statistics of the gate on synthetic runs with a known truth: a small form of ``benchmarks/release.py``.

Bounds are three binomial standard errors wide, and seeds are fixed.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RUNS = 400
Study = Callable[..., list[dict[str, float]]]


@pytest.fixture(scope="module")
def study() -> Iterator[Study]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield lambda *design, **more: importlib.import_module("release").study(
            *design, runs=RUNS, draws=500, seed=1, **more
        )
        for name in ("release", "table"):
            sys.modules.pop(name, None)


def error(rate: float) -> float:
    return 3 * math.sqrt(rate * (1 - rate) / RUNS)


@pytest.mark.parametrize("rare", [False, True], ids=["often", "rare"])
@pytest.mark.parametrize(("tasks", "takes"), [(30, 1), (30, 5), (60, 1)])
def test_a_candidate_that_is_as_good_is_rarely_called_worse(study: Study, tasks: int, takes: int, rare: bool) -> None:
    strict, tolerant = study(tasks, takes, 0.0, rare=rare)
    assert (strict["margin"], tolerant["margin"]) == (0.0, 0.05)
    assert strict["regressed"] <= 0.05 + error(0.05)
    assert tolerant["regressed"] <= 0.01 + error(0.01)


@pytest.mark.parametrize(("tasks", "takes"), [(30, 5), (60, 1)])
def test_intervals_over_tasks_cover_at_their_rate(study: Study, tasks: int, takes: int) -> None:
    row, _ = study(tasks, takes, 0.05, rare=False)
    assert abs(row["covers: tasks"] - 0.95) <= error(0.95)


def test_intervals_over_items_do_not(study: Study) -> None:
    row, _ = study(30, 5, 0.0, rare=False)
    assert row["covers: items"] < 0.9


def test_a_loss_as_large_as_the_margin_is_rarely_let_through(study: Study) -> None:
    _, row = study(60, 5, 0.05, rare=False)
    assert row["not regressed"] <= 0.025 + error(0.025)


def test_power_grows_with_the_loss_and_with_the_tasks(study: Study) -> None:
    small, _ = study(30, 1, 0.05, rare=False)
    large, _ = study(30, 1, 0.1, rare=False)
    more, _ = study(60, 1, 0.1, rare=False)
    assert small["regressed"] + 0.1 < large["regressed"] < more["regressed"]


def test_a_study_comes_out_the_same_again(study: Study) -> None:
    assert study(30, 1, 0.05, rare=False) == study(30, 1, 0.05, rare=False)
