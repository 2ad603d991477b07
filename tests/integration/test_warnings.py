"""Runs in which every warning is an error."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import LOSSY, Run, Transcripts


def test_a_library_that_is_compiled_only_now(
    run: Run, pytester: pytest.Pytester, tasks: Path, transcripts: Transcripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its source has an escape that Python warns of while it compiles it; installers that compile nothing leave that to
    # the first import, which is in the middle of the run.
    spec = find_spec("whisper_normalizer")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    shutil.copytree(
        spec.submodule_search_locations[0],
        pytester.path / "fresh" / "whisper_normalizer",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    monkeypatch.setenv("PYTHONPATH", str(pytester.path / "fresh"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    arguments = (tasks, f"--t2a-interface=transcripts:{transcripts(LOSSY)}", "--t2a-report=out")
    result = run(*arguments, "-W", "error", "-W", "ignore::pytest.PytestConfigWarning")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stdout.fnmatch_lines(["FAILED *files/set-port*port: wanted 8080*"])
    assert (pytester.path / "out" / "report.html").is_file()
