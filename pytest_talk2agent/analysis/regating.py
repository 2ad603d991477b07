"""A saved run, decided again under other rules or against another baseline: nothing is heard and nothing judged."""

from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.analysis.release import decide_run
from pytest_talk2agent.results.baseline import Baseline, BaselineError, Candidate, Pins
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.reading import listed
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.release import Rules
from pytest_talk2agent.results.saved import SavedRun
from pytest_talk2agent.results.verdict import decide


def regate(run: SavedRun, rules: Rules, baseline: Baseline | None) -> tuple[list[TaskResult], Gate]:
    """Decide a finished run anew; returns its results with their new verdicts, and the gate.

    Comes to what pytest comes to under the same rules. What cannot be seen in the records stays as the run had it:
    errors, items without a result, tests that failed for another reason, and what a hook had against the run. Raises
    ValueError where the run did not come to its end, BaselineError where it must not be compared.
    """
    if run.passed is None:
        raise ValueError(f"{run.folder}: the run did not come to its end (no run.json); make it again")
    references = {} if baseline is None else _references(run, baseline)
    results = [_again(result, rules, baseline, references) for result in run.results]
    known = {result.node for result in results} | run.errors.keys()
    gate = decide_run(
        results,
        run.errors,
        known.union(run.missing),
        rules,
        failed_tests=run.failed_otherwise,
        uncollected=run.uncollected,
        unseen=run.unseen,
        baseline=baseline,
    )
    return results, replace(gate.with_reasons(run.added), added=run.added)


def baseline_of(run: SavedRun) -> Baseline:
    """The baseline that a saved run would leave behind; raises BaselineError where several judges made its labels."""
    judges = sorted({result.judgement.judge for result in run.results})
    if len(judges) != 1:
        raise BaselineError(f"{run.folder}: labels of {len(judges)} judges ({listed(judges) or 'no result'})")
    return Baseline(run.folder, judges[0]).updated(run.results, judges[0], only_new=False)


def _references(run: SavedRun, baseline: Baseline) -> dict[str, str]:
    """Map each condition to its counterpart, after the checks that pytest makes before it hears anything."""
    candidate = baseline_of(run)
    references = {name: baseline.reference(name, pins.spec) for name, pins in candidate.conditions.items()}
    items = [_candidate(result) for result in run.results if result.limits.own is not None]
    baseline.refuse_other_suite(references, items, candidate.judge)
    for name, pins in candidate.conditions.items():
        baseline.refuse_other_build(name, Pins(pins.spec, pins.fingerprint, pins.identity))
    return references


def _candidate(result: TaskResult) -> Candidate:
    return Candidate(result.condition, result.key, result.task_sha256, result.transcript.audio_sha256)


def _again(result: TaskResult, rules: Rules, baseline: Baseline | None, references: dict[str, str]) -> TaskResult:
    own = result.limits.own
    if own is None:
        return result  # a test function: its assertions are not in the record
    before = None
    if baseline is not None:
        reference = references[result.condition]
        baseline.refuse_other_scores(reference, result.key, result.retention.intervals())
        before = baseline.items[reference][result.key].intervals()
    limits = rules.limits(
        own,
        before,
        must_pass=result.limits.must_pass or rules.pins(result.task),
        compared=baseline is not None,
    )
    verdict = decide(result.retention, result.judgement, result.critical, limits, result.transcript.state)
    return replace(result, limits=limits, verdict=verdict)
