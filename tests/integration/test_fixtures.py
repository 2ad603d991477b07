"""What a test function can ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOSSY, Run, Transcripts

MODULE = """
import pytest

@pytest.mark.t2a("tasks.yaml", task="files/set-port")
def test_port(t2a_task, t2a_recording, t2a_interface, t2a_transcript, t2a_judgement, t2a_retention):
    assert t2a_task.id == "files/set-port"
    assert t2a_recording is None
    assert t2a_interface.label == "transcripts-asr"
    assert "8081" in t2a_transcript.text
    assert t2a_judgement.labels()["port"].value == "changed"
    assert t2a_retention.native == 0.5
    assert t2a_retention.native >= 0.5
    assert not t2a_retention.native > 0.5
"""


def test_every_fixture(run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts) -> None:
    pytester.makepyfile(test_mine=MODULE)
    result = run("test_mine.py", f"--t2a-interface=transcripts:{transcripts(LOSSY)}")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["transcripts-asr *1 *1 *0.5 *", "GATE PASSED"])


def test_an_assertion_explains_itself_and_makes_the_gate_red(
    run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts
) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.mark.t2a("tasks.yaml")
        def test_all(t2a_retention):
            assert t2a_retention.native >= 0.9
        """
    )
    result = run("test_mine.py", f"--t2a-interface=transcripts:{transcripts(LOSSY)}")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *assert 0.5 >= 0.9", "GATE FAILED: 1 item failed: *"])


def test_a_task_that_is_not_there_is_a_usage_error(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.mark.t2a("tasks.yaml", task="files/set-prt")
        def test_all(t2a_retention): pass
        """
    )
    result = alone("test_mine.py", "--t2a-interface=text")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*no task 'files/set-prt'*"])


def test_a_fixture_without_the_mark_says_what_to_do(alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine="def test_all(t2a_retention): pass")
    result = alone("test_mine.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["test_all asks for a voice fixture but has no task; mark the test with*"])


def test_conftest_can_override_a_fixture_of_a_spoken_task(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest(
        """
        import dataclasses, pytest

        @pytest.fixture
        def t2a_transcript(t2a_transcript):
            return t2a_transcript
        """
    )
    alone(tasks, "--t2a-interface=text").assert_outcomes(passed=2)
