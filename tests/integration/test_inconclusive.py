from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import PERFECT, REPORT, Run, Transcripts

OPEN = PERFECT | {REPORT: "Copy report final.docx to /srv/archive and do not overwrite anything."}


def test_an_open_label_fails_and_shows_both_ends(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, f"--t2a-interface=transcripts:{transcripts(OPEN)}")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "file: wanted *, unresolved, heard *; native [[]0, 1] may be < 1; shapley [[]0.55, 1] may be < 1",
            "file *unresolved*0.450*",
            f"{REPORT}*inconclusive *[[]0, 1] *[[]0.55, 1] *0 *file: wanted *, unresolved, *",
            "GATE FAILED: 1 item inconclusive: *",
        ]
    )


def test_it_passes_where_that_is_asked_for(run: Run, tasks: Path, transcripts: Transcripts) -> None:
    result = run(tasks, f"--t2a-interface=transcripts:{transcripts(OPEN)}", "--t2a-inconclusive=pass")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["transcripts-asr *2 *1 *0 *1 *", "GATE PASSED"])


def test_a_threshold_below_the_lower_end_decides(alone: Run, tasks: Path, transcripts: Transcripts) -> None:
    spec = f"--t2a-interface=transcripts:{transcripts(OPEN)}"
    result = alone(tasks, spec, "--t2a-min-native=0", "--t2a-min-shapley=0.55")
    result.assert_outcomes(passed=2)


def test_another_word_is_a_usage_error(pytester: pytest.Pytester, tasks: Path) -> None:
    result = pytester.runpytest(tasks, "--t2a-interface=text", "--t2a-inconclusive=maybe")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-inconclusive: 'maybe' is neither fail nor pass"])
