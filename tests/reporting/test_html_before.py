"""What stands beside a result: a baseline, another run, or what the result itself was held to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.html.before import BeforeBaseline, BeforeLimits, BeforeRun, Earlier
from pytest_talk2agent.results.verdict import Limits
from tests.results.builders import ONE, baseline, interval, lossy, result, transcript

HALF = interval("1/2")


def test_the_limits_of_a_result_keep_what_it_was_held_to() -> None:
    assert BeforeLimits().of(result()) is None
    held = result(held_to=Limits({}, baseline={"shapley": HALF}))
    assert BeforeLimits().of(held) == Earlier(None, HALF, None)


def test_a_baseline_file_knows_scores_and_losses(tmp_path: Path) -> None:
    before = BeforeBaseline(baseline(tmp_path / "rc1.json", lossy(), result("other")))
    assert before.name == "baseline rc1.json"
    assert before.of(result()) == Earlier(HALF, HALF, ("port",), unresolved=())
    assert before.of(result(condition="rc2", spec="whisper:tiny.en")) == Earlier(HALF, HALF, ("port",), unresolved=())
    assert before.of(result("new")) is None
    assert before.of(result(task_sha256="2" * 64)) is None


def test_a_baseline_without_a_counterpart_compares_nothing(tmp_path: Path) -> None:
    two = baseline(tmp_path / "b.json", lossy(condition="a"), replace(lossy(condition="b"), spec="canary"))
    assert BeforeBaseline(two).of(result(condition="c", spec="other")) is None


def test_another_run_knows_its_transcripts_too(tmp_path: Path) -> None:
    earlier = replace(lossy(), transcript=transcript("set the port to 8081"))
    before = BeforeRun(tmp_path / "old", [earlier])
    assert before.name == "run old"
    for row in (result(), result(condition="rc2"), result(condition="rc2", spec="canary")):
        assert before.of(row) == Earlier(
            HALF, HALF, ("port",), {"port": "changed", "service": "retained"}, "set the port to 8081", ()
        )
    assert before.of(result(take="joe")) is None
    assert before.of(result(task_sha256="2" * 64)) is None


def test_of_two_runs_under_other_names_none_is_guessed(tmp_path: Path) -> None:
    before = BeforeRun(tmp_path, [lossy(condition="a"), replace(result(condition="b"), spec="canary")])
    found = before.of(result(condition="c", spec="canary"))
    assert found is not None
    assert found.shapley == ONE
    assert before.of(result(condition="c", spec="other")) is None


@pytest.mark.parametrize(
    ("earlier", "was"),
    [
        (Earlier(HALF, HALF, ("port",), unresolved=("who",)), ["lost", "unresolved", "retained"]),
        (Earlier(HALF, HALF, ("port",)), ["lost", None, None]),  # a baseline of schema 1
        (Earlier(ONE, ONE, None), ["retained", "retained", "retained"]),
        (Earlier(ONE, HALF, None), [None, None, None]),
        (Earlier(None, None, None), [None, None, None]),
    ],
)
def test_since_when_a_value_is_lost(earlier: Earlier, was: list[str | None]) -> None:
    assert [earlier.was(name) for name in ("port", "who", "host")] == was
    assert Earlier.from_json(json.loads(json.dumps(earlier.to_json()))) == earlier
