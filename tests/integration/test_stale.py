"""A recogniser of which nobody knows whether it is still the same hears every recording anew."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import FAKE_ASR, Run, lines_of

NAMELESS = FAKE_ASR.replace("identity", "not_the_identity")
PROGRAM = """
import json, pathlib, sys
here = pathlib.Path(__file__).parent
name = pathlib.Path(sys.argv[1]).stem
with (here / "asked.txt").open("a") as stream:
    print(name, file=stream)
print(json.loads((here / "texts.json").read_text())[name])
"""
WRONG = '{"report": "Delete everything.", "port": "Set the port to 9 and restart nginx."}'


@pytest.fixture
def nameless(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    """The tasks, and a recogniser that reads a file which its identity does not name."""
    pytester.makepyfile(fake_asr=NAMELESS)
    (pytester.path / "asr.py").write_text(PROGRAM, encoding="utf-8")
    return heard_tasks


PYTHON, COMMAND = "python{}:fake_asr:Recogniser", f"command{{}}:{sys.executable} asr.py {{{{audio}}}}"


@pytest.mark.parametrize("spec", [PYTHON, COMMAND])
def test_what_changed_behind_an_interface_is_noticed(
    run: Run, pytester: pytest.Pytester, nameless: Path, spec: str
) -> None:
    hears = f"--t2a-interface={spec.format('')}"
    run(nameless, hears).assert_outcomes(passed=2)
    (pytester.path / "texts.json").write_text(WRONG, encoding="utf-8")
    result = run(nameless, hears)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["GATE FAILED: *"])
    assert len(lines_of(pytester.path / "asked.txt")) == 4


@pytest.mark.parametrize("spec", [PYTHON, COMMAND])
def test_what_is_declared_is_kept_until_it_changes(
    alone: Run, pytester: pytest.Pytester, nameless: Path, spec: str
) -> None:
    weighed = f"--t2a-interface={spec.format('?weights=texts.json')}"
    for _ in range(2):
        alone(nameless, weighed).assert_outcomes(passed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 2
    (pytester.path / "texts.json").write_text(WRONG, encoding="utf-8")
    alone(nameless, weighed).assert_outcomes(failed=2)
    named = f"--t2a-interface={spec.format('?identity=second')}"
    for _ in range(2):
        alone(nameless, named).assert_outcomes(failed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 6


def test_frozen_means_what_was_heard(alone: Run, pytester: pytest.Pytester, nameless: Path) -> None:
    hears = f"--t2a-interface={PYTHON.format('')}"
    alone(nameless, hears).assert_outcomes(passed=2)
    (pytester.path / "texts.json").write_text(WRONG, encoding="utf-8")
    alone(nameless, hears, "--t2a-frozen").assert_outcomes(passed=2)
    assert len(lines_of(pytester.path / "asked.txt")) == 2


def test_missing_weights_end_the_run_before_any_test(alone: Run, nameless: Path) -> None:
    result = alone(nameless, f"--t2a-interface={PYTHON.format('?weights=none.bin')}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no weights 'none.bin'; check the path*"])
