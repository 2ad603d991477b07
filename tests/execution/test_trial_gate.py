"""What agents decide of the gate: means, limits, baselines, margins; and what is missing is red."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.execution.trial_gate import (
    NOTHING,
    Executed,
    executed_run,
    held_to,
    rows_of,
    summarise_trials,
    with_executions,
)
from pytest_talk2agent.execution.trial_result import TrialResult, projected
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.verdict import Rules
from tests.execution.agents.conftest import load
from tests.execution.trials import trial

GREEN = Gate(passed=True, reasons=(), conditions=())


def decided(
    *trials: TrialResult, rules: Rules | None = None, baseline: Baseline | None = None, new: bool = False
) -> Gate:
    rows = executed_run(trials, {}, [row.node for row in trials])
    return with_executions(GREEN, rows, rules or Rules(), baseline, new=new)


def baseline_of(*trials: TrialResult) -> Baseline:
    empty = Baseline(Path("base.json"), "lexical/1")
    return empty.with_executions(rows_of(executed_run(trials, {}, ())), only_new=False)


def test_a_result_comes_back() -> None:
    row = trial(score="2/3", native="1/3", predicted=Interval(Fraction(1, 3), Fraction(1)), cost={"tokens": 5})
    assert TrialResult.from_json(json.loads(json.dumps(row.to_json()))) == row
    missing = trial(score=None, native=None)
    assert TrialResult.from_json(json.loads(json.dumps(missing.to_json()))) == missing


@pytest.mark.parametrize("change", [{"kind": "item"}, {"node": 5}, {"labels": {"a": 1}}, {"extra": 1}, {"record": {}}])
def test_what_is_no_result_is_refused(change: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        TrialResult.from_json({**json.loads(json.dumps(trial().to_json())), **change})


def test_a_mean_is_over_tasks_each_over_its_takes_and_rounds() -> None:
    rows = [trial(score=score, round_=n, take=take) for take in ("amy", "joe") for n, score in ((1, 1), (2, 0))]
    (found,) = summarise_trials([*rows, trial("own/other", 1, round_=1), trial("own/other", 1, round_=2)])
    assert (found.mean, found.tasks, found.trials, found.rounds) == (Fraction(3, 4), 2, 6, 2)
    assert found.sd == pytest.approx(0.35355, abs=1e-5)  # of 1 and 1/2


def test_what_has_no_score_or_is_reversed_enters_no_mean() -> None:
    (found,) = summarise_trials([trial(score="1/2"), trial("own/no", None), trial("own/bad", 0, polarity="reversal")])
    assert (found.mean, found.missing, found.left_out) == (Fraction(1, 2), 1, 1)
    (none,) = summarise_trials([trial(score=None)])
    assert none.mean is None


@given(st.lists(st.fractions(0, 1, max_denominator=20), min_size=1, max_size=8))
def test_the_mean_is_exact(scores: list[Fraction]) -> None:
    (found,) = summarise_trials([trial(score=str(score), round_=n) for n, score in enumerate(scores, 1)])
    assert found.mean == sum(scores, Fraction(0)) / len(scores)


def test_only_a_projection_that_is_one_number_can_be_met() -> None:
    open_ = Interval(Fraction(0), Fraction(1))
    (found,) = summarise_trials([trial(), trial(score=0, round_=2), trial(score=0, predicted=open_, round_=3)])
    assert (found.projected, found.as_projected) == (2, 1)


def test_every_trial_must_reach_1_where_nothing_else_is_asked() -> None:
    assert decided(trial()).passed
    gate = decided(trial(), trial(score="1/2", round_=2))
    assert gate.reasons == ("1 trial below what it must reach: own/move[rc-amy-2]",)


def test_a_limit_of_the_mean_takes_the_place_of_each() -> None:
    run = executed_run([trial(), trial(score=0, round_=2)], {}, ())
    for limit, passes in ((Fraction(1, 2), True), (Fraction(51, 100), False)):
        rules = Rules(min_execution=limit)
        gate = with_executions(GREEN, held_to(run, rules, compared=False), rules, None)
        assert gate.passed is passes
    assert gate.reasons == ("rc, obedient: mean execution 0.5 < 0.51",)
    pinned = Rules(min_execution=Fraction(0), must_pass=("own/*",))
    assert not with_executions(GREEN, held_to(run, pinned, compared=False), pinned, None).passed


def test_what_is_missing_is_red_whatever_the_mean() -> None:
    rules = Rules(min_execution=Fraction(0))
    gate = decided(trial(limit=None), trial("own/other", None, limit=None, reason="no disk"), rules=rules)
    assert gate.reasons == ("1 trial without a score: own/other[rc-amy-1]",)
    never = executed_run([trial()], {"f::own/x[rc-1]": "no transcript"}, ["f::own/y[rc-1]"])
    assert never.missing == ("f::own/y[rc-1]",)
    assert with_executions(GREEN, never, rules, None).reasons == ("2 trials without a score: own/x[rc-1], own/y[rc-1]",)
    assert with_executions(GREEN, Executed(), rules, None).reasons == (NOTHING,)


class TestBaseline:
    """The mean over rounds, against what it was."""

    def test_a_fall(self) -> None:
        before = baseline_of(trial(), trial(round_=2))
        after = [trial(limit=None), trial(score="1/2", round_=2, limit=None)]
        assert decided(*after, baseline=before).reasons == (
            "1 execution fell below the baseline: own/move[amy] under rc by obedient (1 -> 0.75)",
        )
        assert decided(*after, baseline=before, rules=Rules(tolerance=Fraction(1, 4))).passed
        pinned = [replace(row, must_pass=True) for row in after]
        assert decided(*pinned, baseline=before, rules=Rules(tolerance=Fraction(1, 4))).reasons

    def test_a_margin_is_for_the_whole(self) -> None:
        tasks = [f"own/{n}" for n in range(30)]
        before = baseline_of(*(trial(task) for task in tasks))
        rules = Rules(margin={"execution": Fraction(1, 5)})
        one = [trial(task, 0 if n == 3 else 1, limit=None) for n, task in enumerate(tasks)]
        gate = decided(*one, baseline=before, rules=rules)
        assert gate.passed
        (difference,) = gate.comparisons[0].differences
        assert difference.metric == "execution"
        assert difference.difference == pytest.approx((-1 / 30, -1 / 30))
        gate = decided(*(trial(task, 0, limit=None) for task in tasks), baseline=before, rules=rules)
        assert gate.reasons[0].startswith("rc, obedient: regressed: execution by [-1.000, -1.000] against rc, obedient")

    def test_other_agents_and_tasks_are_refused(self) -> None:
        before = baseline_of(trial())
        with pytest.raises(BaselineError, match="agent obedient is another one there: version 1 -> 2; "):
            decided(trial(identity={"name": "obedient", "version": "2"}), baseline=before)
        changed = trial()
        changed = replace(
            changed, record=replace(changed.record, key=replace(changed.record.key, task_sha256="9" * 64))
        )
        with pytest.raises(BaselineError, match="the task, its checks or its workspace have changed"):
            decided(changed, baseline=before)
        with pytest.raises(BaselineError, match=r"own/new\[amy\] was not executed under rc by obedient"):
            decided(trial("own/new"), baseline=before)
        assert decided(trial("own/new"), baseline=before, new=True).passed

    def test_a_candidate_is_held_against_the_only_one(self) -> None:
        before = baseline_of(trial())
        gate = decided(
            trial(condition="next", agent="mine", identity={"name": "x"}, score=0, limit=None), baseline=before
        )
        assert gate.reasons == ("1 execution fell below the baseline: own/move[amy] under next by mine (1 -> 0)",)

    def test_it_comes_back_from_its_file(self, tmp_path: Path) -> None:
        before = replace(baseline_of(trial(score="1/3"), trial("own/other", take="")), path=tmp_path / "base.json")
        before.save()
        assert Baseline.load(tmp_path / "base.json").executions == before.executions
        document = json.loads((tmp_path / "base.json").read_text())
        document["executions"]["items"]["rc"]["obedient"]["own/move[amy]"]["scores"] = ["1"]
        (tmp_path / "base.json").write_text(json.dumps(document))
        with pytest.raises(BaselineError, match="changed since it was written"):
            Baseline.load(tmp_path / "base.json")

    def test_what_has_rounds_without_a_score_is_not_kept(self) -> None:
        assert not baseline_of(trial(), trial(score=None, round_=2)).executions.items


def test_the_projection_is_the_score_that_is_left(tmp_path: Path) -> None:
    task = load(tmp_path)
    grader = task.grader()
    for retained, unresolved, ends in (
        (("source", "target"), (), ("1", "1")),
        (("source",), (), ("1/4", "1/4")),
        ((), ("target",), ("0", "3/4")),
    ):
        found = projected(task, grader.retention(retained, unresolved), list(retained))
        assert (found.low, found.high) == tuple(map(Fraction, ends))
