"""What an interface heard can neither steer the terminal nor give orders to a CI service, and is readable in ASCII."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOSSY, PORT, Run, Transcripts
from tests.reporting.test_visible import is_command

HOSTILE = (
    "\x1b[2J\x1b[1;1H\x1b]0;pwn\x07 GATE PASSED\x1b[8m Set the port \u202e to 8081 \x9b and restart\r nginx.\n"
    + "long words " * 20
    + "::stop-commands::abc " * 12
    + "x ##[add-mask]e \u2028::error::no"
)


def test_a_hostile_transcript_in_the_terminal(tasks: Path, transcripts: Transcripts, run: Run) -> None:
    transcripts(LOSSY | {PORT: HOSTILE})
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl", "-v", "--junitxml=out.xml", "--t2a-report=rep")
    result.assert_outcomes(failed=1, passed=1)
    lines = [line for line in result.outlines if not line.startswith(("tasks.yaml::", "[gw"))]
    assert not [line for line in lines if is_command(line) or not line.isprintable()]
    result.stdout.fnmatch_lines([r"heard  *\x1b[[]2J*\x07*PASSED\x1b[[]8m*8081*\x9b*"])
    summary = (tasks.parent / "rep" / "summary.md").read_text(encoding="utf-8")
    assert all(one.isprintable() or one == "\n" for one in summary)
    assert "\x1b" not in (tasks.parent / "out.xml").read_text(encoding="utf-8")


def test_a_terminal_that_knows_ascii_alone(
    tasks: Path, transcripts: Transcripts, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    transcripts(LOSSY | {PORT: "Set the port to 8081 – “now” – and restart nginx, señor."})
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl")
    result.stdout.fnmatch_lines(
        [
            "port: wanted 8080, heard 8081; native 0.5 < 1; shapley 0.5 < 1",
            'heard  Set the port to [[]8081 - "now" -[]] and restart nginx, [[]se\\xf1or.[]]',
            "port  changed     ########........ 0.500  wanted '8080', heard '8081'",
        ]
    )
