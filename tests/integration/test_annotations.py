"""On GitHub Actions the gate and the worst items are annotated; elsewhere nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import LOSSY, Run, Transcripts

LINE = "::error file=tasks.yaml,line=11,title=files/set-port[[]transcripts-asr-1[]]::*"


def test_the_gate_and_the_item_are_annotated(
    tasks: Path, transcripts: Transcripts, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcripts(LOSSY)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = run(tasks, "--t2a-interface=transcripts:asr.jsonl")
    result.stdout.fnmatch_lines(["::error title=talk2agent%3A gate failed::1 item failed*", LINE])


def test_elsewhere_nothing_is_annotated(tasks: Path, transcripts: Transcripts, alone: Run) -> None:
    transcripts(LOSSY)
    alone(tasks, "--t2a-interface=transcripts:asr.jsonl").stdout.no_fnmatch_line("::error*")
