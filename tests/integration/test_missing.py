"""A baseline speaks for its suite: what it has and neither ran nor was left out by the user is missing, and red."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import PERFECT, PORT, REPORT, TASKS, Run, Transcripts

SPEC, BASE = "--t2a-interface=rc=transcripts:asr.jsonl", "--t2a-baseline=base.json"
MORE = """\
id: files/wait
instruction: Wait 30 minutes.
intentions:
  time: {say: 30 minutes, kind: duration}
value: time
"""
MISSING = "GATE FAILED: *1 item of the baseline did not run: files/wait[[]1]; to shrink the suite on purpose use *"


@pytest.fixture
def suite(pytester: pytest.Pytester, transcripts: Transcripts) -> Path:
    """Two files of tasks, and a baseline over all of them."""
    folder = pytester.path / "suite"
    folder.mkdir()
    (folder / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    (folder / "more.yaml").write_text(MORE, encoding="utf-8")
    transcripts(PERFECT | {"files/wait": "Wait 30 minutes."})
    pytester.makepyfile("def test_plain(): pass")
    made = pytester.runpytest_subprocess("-p", "no:xdist", "suite", SPEC, BASE, "--t2a-update-baseline")
    assert made.ret == 0
    return folder


def keys(pytester: pytest.Pytester) -> list[str]:
    return sorted(json.loads((pytester.path / "base.json").read_text(encoding="utf-8"))["items"]["rc"])


def test_a_whole_suite_misses_nothing(run: Run, suite: Path) -> None:
    assert run("suite", SPEC, BASE).ret == 0


@pytest.mark.parametrize("failed", [(), ("tests/gone.py::test_a",)], ids=["nothing", "what is gone"])
def test_what_failed_before_leaves_nothing_out_where_it_is_not_there(
    suite: Path, pytester: pytest.Pytester, failed: tuple[str, ...]
) -> None:
    known = pytester.path / ".pytest_cache" / "v" / "cache" / "lastfailed"
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps(dict.fromkeys(failed, True)), encoding="utf-8")
    (suite / "more.yaml").unlink()
    result = pytester.runpytest_subprocess("-p", "no:xdist", "suite", SPEC, BASE, "--lf")
    assert result.ret == 1
    result.stdout.fnmatch_lines([MISSING])


def test_what_failed_before_leaves_the_rest_out(
    suite: Path, pytester: pytest.Pytester, transcripts: Transcripts
) -> None:
    words = ("-p", "no:xdist", "suite", SPEC, BASE)
    transcripts(PERFECT | {"files/wait": "Wait 13 minutes."})
    assert pytester.runpytest_subprocess(*words).ret == 1
    transcripts(PERFECT | {"files/wait": "Wait 30 minutes."})
    result = pytester.runpytest_subprocess(*words, "--lf")
    result.assert_outcomes(passed=1)
    assert result.ret == 0


@pytest.mark.parametrize("how", ["emptied", "removed", "renamed"])
def test_what_is_gone_is_missing(run: Run, suite: Path, how: str) -> None:
    more = suite / "more.yaml"
    if how == "emptied":
        more.write_text("", encoding="utf-8")
    elif how == "removed":
        more.unlink()
    else:
        more.rename(suite / "more.txt")
    result = run("suite", SPEC, BASE, "--t2a-report=rep", "--junitxml=junit.xml")
    assert result.ret == 1
    result.stdout.fnmatch_lines([MISSING])
    saved = json.loads((suite.parent / "rep" / "run.json").read_text(encoding="utf-8"))
    assert saved["passed"] is False
    assert saved["unseen"] == ["suite/more.yaml::files/wait[1]"]
    assert 'failures="1"' in (suite.parent / "junit.xml").read_text(encoding="utf-8")


def test_an_item_that_a_conftest_throws_away_is_missing(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    pytester.makeconftest(
        "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'wait' not in i.name]\n"
    )
    result = run("suite", SPEC, BASE)
    assert result.ret == 1
    result.stdout.fnmatch_lines([MISSING])


@pytest.mark.parametrize(
    "arguments",
    [
        ("suite", "-k", "not wait"),
        ("suite", "--deselect", "suite/more.yaml::files/wait[rc-1]"),
        ("suite/tasks.yaml",),
        ("suite", "--ignore=suite/more.yaml"),
        ("suite", "--ignore-glob=*more.yaml"),
        (f"suite/tasks.yaml::{PORT}[rc-1]", f"suite/tasks.yaml::{REPORT}[rc-1]"),
        ("suite", "--t2a-takes=first"),
    ],
)
def test_what_the_user_leaves_out_is_not_missing(alone: Run, suite: Path, arguments: tuple[str, ...]) -> None:
    assert alone(*arguments, SPEC, BASE).ret == 0


def test_a_plain_test_beside_a_baseline_in_the_ini_file_is_plain(
    run: Run, pytester: pytest.Pytester, suite: Path
) -> None:
    pytester.makeini("[pytest]\nt2a_interface = rc=transcripts:asr.jsonl\nt2a_baseline = base.json\n")
    (plain,) = pytester.path.glob("test_*.py")
    result = run(plain.name)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*GATE*")
    (suite / "tasks.yaml").unlink()
    (suite / "more.yaml").unlink()
    whole = run()
    assert whole.ret == 1
    whole.stdout.fnmatch_lines(["GATE FAILED: *3 items of the baseline did not run: *"])


def test_a_suite_that_stands_elsewhere_is_missed_as_a_whole(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    suite.rename(pytester.path / "moved")
    (pytester.path / "moved" / "more.yaml").unlink()
    result = run("moved", SPEC, BASE)
    assert result.ret == 1
    result.stdout.fnmatch_lines([MISSING])


def test_shrinking_is_an_act(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    (suite / "more.yaml").unlink()
    assert run("suite", SPEC, BASE, "--t2a-update-baseline=new").ret == 1
    assert keys(pytester) == [f"{REPORT}[1]", f"{PORT}[1]", "files/wait[1]"]
    assert run("suite", SPEC, BASE, "--t2a-update-baseline").ret == 0
    assert keys(pytester) == [f"{REPORT}[1]", f"{PORT}[1]"]
    assert run("suite", SPEC, BASE).ret == 0


def test_an_update_of_a_part_keeps_the_rest(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    assert alone("suite/tasks.yaml", SPEC, BASE, "--t2a-update-baseline").ret == 0
    assert alone("suite", "-k", "set-port", SPEC, BASE, "--t2a-update-baseline").ret == 0
    assert len(keys(pytester)) == 3


def test_what_cannot_be_collected_is_red_everywhere(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    (suite / "bad.yaml").write_text("id: x\ninstruction: Say x.\nintentions: 7\n", encoding="utf-8")
    step = pytester.path / "step.md"
    pytester.makeconftest(f"import os\nos.environ['GITHUB_STEP_SUMMARY'] = {str(step)!r}\n")
    result = run("suite", SPEC, "--continue-on-collection-errors", "--t2a-report=rep")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: *1 file could not be collected: *bad.yaml*"])
    result.stdout.no_fnmatch_line("*GATE PASSED*")
    run_json = json.loads((pytester.path / "rep" / "run.json").read_text(encoding="utf-8"))
    assert run_json["passed"] is False
    assert run_json["uncollected"] == ["suite/bad.yaml"]
    for place in (step, pytester.path / "rep" / "summary.md"):
        assert "gate FAILED" in place.read_text(encoding="utf-8")
    again = pytester.run(sys.executable, "-m", "pytest_talk2agent.cli", "regate", "rep")
    assert again.ret == 1
    again.stdout.fnmatch_lines(["GATE FAILED: *could not be collected*"])
