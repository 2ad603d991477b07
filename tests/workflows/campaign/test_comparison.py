from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.results.comparison import Change
from pytest_talk2agent.workflows.campaign.comparison import compare, interleaved, ranked
from pytest_talk2agent.workflows.campaign.published import read_passes
from pytest_talk2agent.workflows.campaign.rates import NotApplicable
from pytest_talk2agent.workflows.campaign.reliability import Passes, Reliability
from tests.workflows.apex_data import apex_path


def build(*passes: int, k: int = 3) -> Reliability:
    return Reliability(k, {f"w{number:03}": Passes(count, 0, k) for number, count in enumerate(passes)}, {})


def test_the_two_best_models_do_not_differ() -> None:
    results = read_passes(apex_path("per_task.csv"))
    pair = ("grok", results["grok-voice"]), ("gpt", results["gpt-realtime"])
    found = compare(*pair, margins={"pass": Fraction(1, 20)}, draws=2000)
    passes, reliable = found.metrics
    assert f"{float(100 * passes.difference.low):.1f}" == "0.6"
    assert (reliable.before.low, reliable.after.low) == (Fraction(6, 120), Fraction(13, 120))
    assert passes.interval is not None
    half = (passes.interval[1] - passes.interval[0]) / 2
    assert round(100 * half / 1.98, 1) == 3.3  # its standard error, from the interval of Student's t
    assert (found.reliable.worse, found.reliable.better, found.reliable.open) == (5, 12, 0)
    assert found.reliable.p == pytest.approx(0.143463134765625)
    assert found.change is Change.UNDECIDED
    assert found.reasons() == [f"gpt: undecided: {passes} against grok, margin 5"]
    assert found.lines[2] == ("gpt against grok: Reliable@3 6 -> 13: 5 workflows worse, 12 better (p = 0.14, McNemar)")
    assert found.reasons(inconclusive_passes=True) == []


def test_agents_are_ranked_as_published() -> None:
    results = read_passes(apex_path("per_task.csv"))
    assert ranked(results) == ["grok-voice", "gpt-realtime", "gemini-live", "gpt-live-1", "step-audio3"]


def test_the_three_outcomes_of_a_release() -> None:
    before = build(*[3] * 30, *[0] * 30)
    worse = compare(("old", before), ("new", build(*[0] * 60)), margins={"pass": Fraction(1, 20)}, draws=500)
    same = compare(("old", before), ("new", before), margins={"pass": Fraction(1, 20)}, draws=500)
    open_ = compare(("old", before), ("new", build(*[2] * 30, *[1] * 30)), margins={"pass": Fraction(1, 20)}, draws=500)
    assert [one.change for one in (worse, same, open_)] == [Change.REGRESSED, Change.NOT_REGRESSED, Change.UNDECIDED]
    assert compare(("old", before), ("new", before)).change is None
    assert "regressed: Pass@1 by -50.0 points" in worse.reasons()[0]


def test_one_workflow_decides_nothing() -> None:
    found = compare(("old", build(3)), ("new", build(3)), margins={"pass": Fraction(1, 20)})
    assert found.metrics[0].interval is None
    assert found.change is Change.UNDECIDED
    assert "one workflow says nothing of others" in found.lines[0]


def test_builds_are_compared_on_what_both_have() -> None:
    before, after = build(3, 3, 0), Reliability(3, {"w001": Passes(3, 0, 3), "x": Passes(0, 0, 3)}, {})
    found = compare(("old", before), ("new", after))
    assert (found.workflows, found.only_before, found.only_after) == (1, ("w000", "w002"), ("x",))
    with pytest.raises(ValueError, match="old and new have no workflow in common"):
        compare(("old", build(1)), ("new", Reliability(3, {"x": Passes(0, 0, 3)}, {})))


def test_identical_runs_that_differ_are_the_noise_that_a_difference_stands_against() -> None:
    found = compare(("old", build(*[1] * 20)), ("new", build(*[2] * 20)), draws=500)
    assert str(found.noise) == "identical runs flip 66.7 % of workflows (± 20.7 points)"
    single = compare(("old", build(1, 0, k=1)), ("new", build(1, 1, k=1)))
    assert isinstance(single.noise, NotApplicable)
    assert "identical runs were not repeated" in single.lines[0]


def test_what_is_unjudged_widens_a_difference() -> None:
    before = Reliability(2, {f"w{i}": Passes(1, 0, 2) for i in range(12)}, {})
    after = Reliability(2, {f"w{i}": Passes(1, 1, 2) for i in range(12)}, {})
    found = compare(("old", before), ("new", after), margins={"pass": Fraction(0)}, draws=200)
    assert [found.metrics[0].difference.low, found.metrics[0].difference.high] == [0, Fraction(1, 2)]
    assert (found.reliable.open, found.reliable.p) == (12, 1.0)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_builds_run_side_by_side_and_every_workflow_once_before_any_twice(
    workflows: int, builds: int, repetitions: int
) -> None:
    names = [f"w{number}" for number in range(workflows)]
    order = interleaved(names, list(range(builds)), repetitions)
    assert len(set(order)) == len(order) == workflows * builds * repetitions
    assert [rep for _, _, rep in order] == sorted(rep for _, _, rep in order)
    for start in range(0, len(order), builds):
        assert len({workflow for workflow, _, _ in order[start : start + builds]}) == 1
    assert [one for one, *_ in [order[start][1:] for start in range(0, len(order), builds * workflows)]] == [
        repetition % builds for repetition in range(repetitions)
    ]
