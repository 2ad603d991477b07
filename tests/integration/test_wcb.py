"""``--t2a-wcb``: the words of compiled tasks come from a checkout, and are those they were compiled from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run, Transcripts
from tests.integration.foreign import FENCE, SHED, WORDS, compiled, wcb_checkout
from tests.tasks.importers.foreign import sha256

TEXT = "--t2a-interface=text"
LEFT_OUT = (
    "note: 2 tasks left out: their words are those of wildclawbench and are not shipped;"
    " name a checkout of it with --t2a-wcb=PATH"
)


@pytest.fixture
def checkout(pytester: pytest.Pytester) -> Path:
    return wcb_checkout(pytester.path / "checkout")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Path:
    return compiled(pytester.path / "suites" / "garden.yaml", "wildclawbench", FENCE, SHED)


def test_the_words_are_those_of_the_checkout(run: Run, suite: Path, checkout: Path, transcripts: Transcripts) -> None:
    heard = transcripts({FENCE: WORDS[FENCE].replace("green", "blue"), SHED: WORDS[SHED]})
    result = run(suite, f"--t2a-wcb={checkout}", f"--t2a-interface=transcripts:{heard}", "--t2a-report=report")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: wildclawbench/07_Garden_task_1_fence?transcripts-*"])
    rows = [json.loads(line) for line in Path("report/results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["said"] for row in rows} == {WORDS[FENCE], WORDS[SHED]}
    assert {row["proposed"] for row in rows} == {False}


@pytest.mark.parametrize("part", ["", "tasks", "tasks/07_Garden"])
def test_a_checkout_may_be_named_from_further_down(alone: Run, suite: Path, checkout: Path, part: str) -> None:
    result = alone(suite, f"--t2a-wcb={checkout / part}", TEXT)
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_the_ini_key_is_relative_to_its_file(run: Run, pytester: pytest.Pytester, suite: Path, checkout: Path) -> None:
    pytester.makeini(f"[pytest]\nt2a_wcb = {checkout.name}\nt2a_interface = text\n")
    result = run(suite)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["GATE PASSED"])


def test_a_rerun_names_the_checkout(alone: Run, suite: Path, checkout: Path, transcripts: Transcripts) -> None:
    heard = transcripts({FENCE: "paint the fence", SHED: WORDS[SHED]})
    result = alone(suite, f"--t2a-wcb={checkout}", f"--t2a-interface=transcripts:{heard}")
    result.stdout.fnmatch_lines([f"rerun *pytest *{FENCE}*--t2a-wcb={checkout}*"])


def test_a_named_file_without_its_checkout_is_one_line(run: Run, suite: Path) -> None:
    result = run(suite, TEXT)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    result.stdout.fnmatch_lines(
        [
            f"*garden.yaml:1:5: the words of `wildclawbench/{FENCE}` and 1 more are those of wildclawbench and are not"
            " shipped; name a checkout of it with --t2a-wcb=PATH"
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_in_a_folder_they_are_left_out_and_counted(
    run: Run, pytester: pytest.Pytester, suite: Path, tasks: Path
) -> None:
    result = run(pytester.path, TEXT, "--t2a-report=report")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines([LEFT_OUT, "GATE PASSED"])
    assert json.loads(Path("report/run.json").read_text(encoding="utf-8"))["remarks"] == [
        LEFT_OUT.removeprefix("note: ")
    ]


def test_a_folder_of_nothing_else_is_never_green(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    pytester.makepyfile(test_other="def test_one(): pass")
    result = run(pytester.path)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([LEFT_OUT, "GATE FAILED: nothing was judged"])


def test_a_listing_says_what_is_left_out(alone: Run, suite: Path) -> None:
    result = alone(suite.parent, TEXT, "--collect-only", "-q")
    result.stdout.fnmatch_lines([LEFT_OUT.removeprefix("note: ")])


def test_a_mark_on_tasks_without_words_is_an_error(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    mark = '@pytest.mark.t2a("suites/garden.yaml")'
    pytester.makepyfile(test_marked=f"import pytest\n\n{mark}\ndef test_one(t2a_retention): pass\n")
    result = alone("test_marked.py", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*garden.yaml:1:5: the words of *--t2a-wcb=PATH*"])


def test_another_prompt_is_an_error_that_says_what_to_review(run: Run, suite: Path, checkout: Path) -> None:
    wcb_checkout(checkout, **{FENCE: "Paint the fence red by 14:30."})
    result = run(suite, f"--t2a-wcb={checkout}", TEXT)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    new = sha256("Paint the fence red by 14:30.")
    result.stdout.fnmatch_lines(
        [
            f"*garden.yaml:*: `wildclawbench/{FENCE}`: its prompt in *{FENCE}.md is another one than it was compiled"
            f" from; review the intentions (colour, until), then set prompt_sha256 to {new}"
        ]
    )
    assert SHED not in result.stdout.str(), "what did not change is not named"
    assert "Traceback" not in result.stdout.str()


def test_another_grader_is_an_error_that_says_what_to_review(alone: Run, suite: Path, checkout: Path) -> None:
    wcb_checkout(checkout, grader="def grade():\n    return {}")
    result = alone(suite, f"--t2a-wcb={checkout}", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            f"*: `wildclawbench/{name}`: its grader in *is another one*; review `value`, then set grader_sha256 to *"
            for name in (FENCE, SHED)
        ]
    )


def test_a_checkout_without_graders_is_compared_by_its_prompts_and_the_run_says_so(
    alone: Run, suite: Path, checkout: Path
) -> None:
    for path in (checkout / "tasks").rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.partition("## Automated Checks")[0], encoding="utf-8")
    result = alone(suite, f"--t2a-wcb={checkout}", TEXT)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["note: 2 tasks compared by the prompt alone: the checkout has no grader"])


def test_a_task_that_the_checkout_lacks_is_an_error(alone: Run, suite: Path, checkout: Path) -> None:
    (checkout / "tasks" / "07_Garden" / f"{SHED}.md").unlink()
    result = alone(suite, f"--t2a-wcb={checkout}", TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*`wildclawbench/{SHED}`: the checkout has no task *{SHED}*"])


def test_drift_is_an_error_also_in_a_folder(alone: Run, suite: Path, checkout: Path) -> None:
    wcb_checkout(checkout, **{FENCE: "Paint the fence red by 14:30."})
    assert alone(suite.parent, f"--t2a-wcb={checkout}", TEXT).ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("place", ["nowhere", "suites"])
def test_a_place_that_is_no_checkout_is_a_usage_error(run: Run, suite: Path, place: str) -> None:
    result = run(suite, f"--t2a-wcb={place}", TEXT)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: *{place}: no WildClawBench task; name a checkout with tasks/<category>/<id>.md"]
    )
