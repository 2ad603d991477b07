"""``--t2a-osworld`` and ``--t2a-osworld-subset``: words from a checkout, and the tasks of the paper as far as known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.integration.foreign import CLOCK, DRIVE, FENCE, RADIO, WORDS, compiled, osworld_checkout, wcb_checkout

TEXT = "--t2a-interface=text"
SUBSET = "--t2a-osworld-subset=talk2agent"
NOTE = "note: 1 item left out: outside the OSWorld subset talk2agent, which is inferred"


@pytest.fixture
def checkout(pytester: pytest.Pytester) -> Path:
    return osworld_checkout(pytester.path / "checkout")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Path:
    return compiled(pytester.path / "suites" / "os.yaml", "osworld", CLOCK, RADIO, DRIVE)


def test_the_words_are_those_of_the_checkout(run: Run, suite: Path, checkout: Path) -> None:
    result = run(suite, f"--t2a-osworld={checkout}", TEXT, "--t2a-report=report")
    result.assert_outcomes(passed=3)
    assert result.ret == 0
    rows = [json.loads(line) for line in Path("report/results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["said"] for row in rows} == {WORDS[name] for name in (CLOCK, RADIO, DRIVE)}


@pytest.mark.parametrize("part", ["evaluation_examples", "evaluation_examples/examples"])
def test_a_checkout_may_be_named_from_further_down(alone: Run, suite: Path, checkout: Path, part: str) -> None:
    assert alone(suite, f"--t2a-osworld={checkout / part}", TEXT).ret == 0


def test_the_subset_leaves_out_the_rest_and_says_how_many(run: Run, suite: Path, checkout: Path) -> None:
    result = run(suite, f"--t2a-osworld={checkout}", SUBSET, TEXT, "--t2a-report=report")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines([NOTE, "GATE PASSED"])
    assert json.loads(Path("report/run.json").read_text(encoding="utf-8"))["remarks"] == [NOTE.removeprefix("note: ")]


def test_what_is_left_out_is_deselected(alone: Run, suite: Path, checkout: Path) -> None:
    alone(suite, f"--t2a-osworld={checkout}", SUBSET, TEXT).assert_outcomes(passed=2, deselected=1)
    two = alone(suite, f"--t2a-osworld={checkout}", SUBSET, TEXT, "--t2a-interface=script")
    two.assert_outcomes(passed=4, deselected=2)
    two.stdout.fnmatch_lines([NOTE.replace("1 item", "2 items")])


def test_tasks_of_others_are_in_every_subset(alone: Run, pytester: pytest.Pytester, suite: Path, tasks: Path) -> None:
    checkouts = (osworld_checkout(pytester.path / "os"), wcb_checkout(pytester.path / "wcb"))
    more = compiled(pytester.path / "garden.yaml", "wildclawbench", FENCE)
    options = [f"--t2a-{name}={path}" for name, path in zip(("osworld", "wcb"), checkouts, strict=True)]
    alone(suite, tasks, more, *options, SUBSET, TEXT).assert_outcomes(passed=2 + 2 + 1, deselected=1)


def test_a_subset_of_nothing_is_not_green(run: Run, pytester: pytest.Pytester, checkout: Path) -> None:
    suite = compiled(pytester.path / "desk.yaml", "osworld", DRIVE)
    pytester.makepyfile(test_other="def test_one(): pass")
    result = run(suite, "test_other.py", f"--t2a-osworld={checkout}", SUBSET)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([NOTE, "GATE FAILED: nothing was judged"])


def test_one_benchmark_does_not_bind_another(alone: Run, suite: Path, pytester: pytest.Pytester) -> None:
    result = alone(suite, f"--t2a-wcb={wcb_checkout(pytester.path / 'wcb')}", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*os.yaml:1:5: the words of `osworld/os/clock` and 2 more*--t2a-osworld=PATH"])


def test_another_evaluator_is_an_error_that_says_what_to_review(alone: Run, suite: Path, checkout: Path) -> None:
    path = checkout / "evaluation_examples" / "examples" / "os" / "clock.json"
    task = json.loads(path.read_text(encoding="utf-8"))
    task["evaluator"]["func"] = "check_another"
    path.write_text(json.dumps(task), encoding="utf-8")
    result = alone(suite, f"--t2a-osworld={checkout}", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["*: `osworld/os/clock`: its grader in *clock.json is another one*set grader_sha256 to*"]
    )


def test_a_broken_original_is_an_error_of_its_file(alone: Run, suite: Path, checkout: Path) -> None:
    (checkout / "evaluation_examples" / "examples" / "os" / "clock.json").write_text("{", encoding="utf-8")
    result = alone(suite, f"--t2a-osworld={checkout}", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*`osworld/os/clock`: the checkout has no task*os/clock*clock.json:1:*not JSON*"])
