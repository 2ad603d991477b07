"""Baselines: what they pin, what they refuse, what an update writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import Baseline
from tests.conftest import LOSSY, PERFECT, PORT, REPORT, TASKS, Run, Transcripts

BASE = "--t2a-baseline=base.json"


@pytest.fixture
def base(pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> Path:
    """A baseline in which the port is lost already."""
    spec = f"--t2a-interface=transcripts:{transcripts(LOSSY)}"
    result = pytester.runpytest_subprocess(tasks, spec, BASE, "--t2a-update-baseline", "-p", "no:xdist")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["baseline *base.json: 2 items written, 2 in all", "GATE PASSED"])
    return pytester.path / "base.json"


def test_what_was_lost_before_may_stay_lost(alone: Run, tasks: Path, base: Path) -> None:
    result = alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_what_was_kept_before_must_stay(run: Run, tasks: Path, base: Path, transcripts: Transcripts) -> None:
    transcripts(LOSSY | {REPORT: "Copy report_final.docx to /srv/archiv and overwrite anything."})
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["target: wanted /srv/archive, heard *; native 0 < baseline 1; shapley * < baseline 1"])


def test_a_candidate_of_another_name_is_compared(alone: Run, tasks: Path, base: Path, transcripts: Transcripts) -> None:
    transcripts(PERFECT, "rc.jsonl")
    alone(tasks, "--t2a-interface=rc1=transcripts:rc.jsonl", BASE).assert_outcomes(passed=2)


def test_a_tolerance(alone: Run, tasks: Path, base: Path, transcripts: Transcripts) -> None:
    transcripts(LOSSY | {REPORT: "Copy report_final.docx to /srv/archive and overwrite anything."})
    spec = "--t2a-interface=transcripts:asr.jsonl"
    alone(tasks, spec, BASE, "--t2a-tolerance=0.3").assert_outcomes(passed=2)
    result = alone(tasks, spec, BASE, "--t2a-tolerance=0.29")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["keep: wanted do not overwrite anything, heard *; native 0.7 < baseline 1 - 0.29"])


def test_a_given_threshold_holds_beside_the_baseline(alone: Run, tasks: Path, base: Path) -> None:
    result = alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE, "--t2a-min-native=0.6")
    result.assert_outcomes(passed=1, failed=1)


def test_the_baseline_of_another_suite_is_refused(run: Run, tasks: Path, base: Path) -> None:
    tasks.write_text(TASKS.replace("0.5*port + 0.5*service", "0.4*port + 0.6*service"), encoding="utf-8")
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *base.json: this is the baseline of another suite: task changed: files/set-port*"]
    )
    assert "INTERNALERROR" not in result.stdout.str()


def test_a_task_that_the_baseline_lacks_is_refused(
    alone: Run, tasks: Path, base: Path, transcripts: Transcripts
) -> None:
    extra = TASKS.split("---\n")[1].replace("set-port", "set-another")
    tasks.write_text(f"{TASKS}---\n{extra}", encoding="utf-8")
    transcripts(LOSSY | {"files/set-another": PERFECT[PORT]})
    spec = "--t2a-interface=transcripts:asr.jsonl"
    result = alone(tasks, spec, BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*not in the baseline: files/set-another?1]*--t2a-update-baseline=new*"])
    alone(tasks, spec, BASE, "--t2a-update-baseline=new").assert_outcomes(passed=3)
    alone(tasks, spec, BASE).assert_outcomes(passed=3)


def test_new_writes_only_what_is_missing(alone: Run, tasks: Path, base: Path, transcripts: Transcripts) -> None:
    before = base.read_text(encoding="utf-8")
    transcripts(PERFECT)
    alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE, "--t2a-update-baseline=new").assert_outcomes(passed=2)
    assert base.read_text(encoding="utf-8") == before


def test_all_writes_everything_and_a_partial_run_deletes_nothing(
    run: Run, tasks: Path, base: Path, transcripts: Transcripts
) -> None:
    transcripts(PERFECT)
    run(tasks, "-k", "port", "--t2a-interface=transcripts:asr.jsonl", BASE, "--t2a-update-baseline=all")
    items = json.loads(base.read_text(encoding="utf-8"))["items"]["transcripts-asr"]
    assert items[f"{PORT}[1]"]["native"] == ["1", "1"]
    assert f"{REPORT}[1]" in items


def test_another_build_of_the_same_spec_is_refused(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    spec = "python:fake_asr:Recogniser"
    run(heard_tasks, f"--t2a-interface={spec}", BASE, "--t2a-update-baseline").assert_outcomes(passed=2)
    module = pytester.path / "fake_asr.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n# another build\n", encoding="utf-8")
    result = run(heard_tasks, f"--t2a-interface={spec}", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *is now another build of {spec}: module_sha256 * -> *"])
    run(heard_tasks, f"--t2a-interface=rc={spec}", BASE).assert_outcomes(passed=2)


def test_another_recording_is_refused(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    spec = "--t2a-interface=python:fake_asr:Recogniser"
    run(heard_tasks, spec, BASE, "--t2a-update-baseline").assert_outcomes(passed=2)
    (pytester.path / "audio" / "port.wav").write_bytes((pytester.path / "audio" / "report.wav").read_bytes())
    result = run(heard_tasks, spec, BASE)
    assert result.ret == 1
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*recording changed: files/set-port?amy]*"])


def test_another_judge_is_refused(alone: Run, base: Path, tasks: Path) -> None:
    edit(base, lambda document: document.update(judge="lexical/0"))
    accept(base)
    result = alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *made by judge lexical/0, this run judges with lexical/*"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the baseline"),
        ("not json", "not a baseline file"),
        ("[]", "not a baseline file"),
        ('{"schema": 99}', "a baseline of schema 99"),
        ('{"schema": 3, "judge": "lexical/1"}', "not a baseline file"),
        ("[" * 100_000, "not a baseline file (it is nested too deeply)"),
    ],
)
def test_a_file_that_is_no_baseline(pytester: pytest.Pytester, tasks: Path, content: str | None, message: str) -> None:
    if content is not None:
        (pytester.path / "base.json").write_text(content, encoding="utf-8")
    result = pytester.runpytest(tasks, "--t2a-interface=text", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *base.json: {message}*"])


def edit(base: Path, change: Callable[[Any], object]) -> None:
    document = json.loads(base.read_text(encoding="utf-8"))
    change(document)
    base.write_text(json.dumps(document), encoding="utf-8")


def accept(base: Path) -> None:
    """What `talk2agent accept` does."""
    Baseline.reviewed(base)[0].save()


def every_entry(**values: object) -> Callable[[Any], object]:
    return lambda document: [
        entry.update(values) for entries in document["items"].values() for entry in entries.values()
    ]


CONTRADICTORY = [
    every_entry(native=["0", "0"], shapley=["0", "0"]),
    every_entry(native=["-5", "-5"], shapley=["-5", "-5"]),
    every_entry(native=["0", "1"], shapley=["0", "1"]),
    every_entry(native=None, shapley=None),
    every_entry(native=["1e999999999", "1e999999999"]),
    every_entry(native=["1/0", "1/0"]),
    every_entry(task_sha256=None),
]


@pytest.mark.parametrize("change", CONTRADICTORY)
def test_a_baseline_that_cannot_be_is_a_usage_error(
    alone: Run, tasks: Path, base: Path, transcripts: Transcripts, change: Callable[[Any], object]
) -> None:
    edit(base, change)
    transcripts(dict.fromkeys(LOSSY, ""), "lose.jsonl")
    result = alone(tasks, "--t2a-interface=next=transcripts:lose.jsonl", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *base.json: not a baseline file (*); restore it, or delete it*"])
    assert "Traceback" not in result.stderr.str()
    assert "GATE PASSED" not in result.stdout.str()


def drop_scores(document: Any) -> None:
    every_entry(native=None, shapley=None, scored=False)(document)


def lower_one(document: Any) -> None:
    document["items"]["transcripts-asr"][f"{PORT}[1]"].update(native=["0", "0"])


@pytest.mark.parametrize("change", [drop_scores, lower_one])
def test_an_edit_is_a_usage_error_that_says_how_to_accept_it(
    run: Run, tasks: Path, base: Path, change: Callable[[Any], object]
) -> None:
    edit(base, change)
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *base.json: * items changed since they were written: *{PORT}?1]*"])
    result.stderr.fnmatch_lines(["*accept it as it is with `talk2agent accept *base.json`*"])


def test_an_edit_that_was_accepted_is_the_baseline(alone: Run, tasks: Path, base: Path) -> None:
    edit(base, lower_one)
    accept(base)
    alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE).assert_outcomes(passed=2)


@pytest.mark.parametrize("margin", [(), ("--t2a-margin=0.02",)])
def test_what_the_baseline_has_no_score_of_does_not_pass(
    run: Run, tasks: Path, base: Path, transcripts: Transcripts, margin: tuple[str, ...]
) -> None:
    edit(base, drop_scores)
    accept(base)
    transcripts(dict.fromkeys(LOSSY, ""), "lose.jsonl")
    result = run(tasks, "--t2a-interface=next=transcripts:lose.jsonl", BASE, *margin)
    assert result.ret == 1
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"*{PORT}?1]: no native, shapley in the baseline; the task is the same*"])
    result.stdout.fnmatch_lines(["GATE FAILED: *2 items could not be judged*"])


def test_a_pipe_in_place_of_a_baseline_holds_no_run(alone: Run, tasks: Path, base: Path) -> None:
    base.unlink()
    os.mkfifo(base)
    result = alone(tasks, "--t2a-interface=transcripts:asr.jsonl", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *base.json: cannot read the baseline (not a regular file)*"])


def test_an_update_says_where_each_item_was_collected(base: Path) -> None:
    entries = json.loads(base.read_text(encoding="utf-8"))["items"]["transcripts-asr"].values()
    assert {entry["file"] for entry in entries} == {"tasks.yaml"}


def test_a_refusal_reaches_a_test_function_on_a_worker(pytester: pytest.Pytester, tasks: Path, base: Path) -> None:
    pytest.importorskip("xdist")
    tasks.write_text(TASKS.replace("0.5*port + 0.5*service", "0.4*port + 0.6*service"), encoding="utf-8")
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.mark.t2a("tasks.yaml", task="files/set-port")
        def test_port(t2a_retention): pass
        """
    )
    result = pytester.runpytest_subprocess("-n", "2", "test_mine.py", "--t2a-interface=text", BASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *base.json: *files/set-port*"])
    assert "AssertionError" not in result.stdout.str()


@pytest.mark.parametrize("update", [(), ("--t2a-update-baseline",), ("--t2a-update-baseline=new",)])
def test_two_tasks_of_one_id_are_refused(run: Run, tasks: Path, base: Path, update: tuple[str, ...]) -> None:
    before = base.read_text(encoding="utf-8")
    other = tasks.with_name("other.yaml")
    other.write_text(TASKS.split("---\n")[1].replace("8080", "9090"), encoding="utf-8")
    result = run(tasks, other, "--t2a-interface=text", BASE, *update)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *two tasks are called {PORT} (*tasks.yaml:11 and *other.yaml:1); change*"])
    assert base.read_text(encoding="utf-8") == before


def test_an_update_needs_a_file(pytester: pytest.Pytester, tasks: Path) -> None:
    result = pytester.runpytest(tasks, "--t2a-interface=text", "--t2a-update-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-update-baseline needs --t2a-baseline=FILE*"])
