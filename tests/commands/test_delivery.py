"""``talk2agent delivery``: what sessions have is pooled, and a run without calls is one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.commands.delivery import delivery_rows
from pytest_talk2agent.workflows.audio.delivery import delivery
from tests.workflows.audio.test_delivery import RATE, clip, placed
from tests.workflows.scoring.sessions import finished


def test_rows_pool_what_sessions_have_and_say_how_many() -> None:
    clips = [clip("user", 0, 1_000), clip("agent", 1_500, 3_500, "please put the kettle on now")]
    heard = delivery(finished(clips=clips, started_ms=0, ended_ms=4_000), placed(), RATE, lambda *_: "please put", 0.25)
    silent = delivery(finished(clips=[], started_ms=None, ended_ms=100))
    rows = dict(delivery_rows([heard, silent]))
    assert rows["words misheard"] == "66.7 % (4 of 6)"
    assert rows["pace"] == "180 words a minute"
    assert rows["response gap ms p50, p95"] == "500, 500 (n=1)"
    assert rows["resolution ms p50, p95"] == "4000, 4000 (n=1)"
    assert rows["cost"] == "0.2500 (n=1)"
    assert dict(delivery_rows([silent]))["pace"] == "n/a"


def test_a_run_without_calls_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["delivery", str(tmp_path)]) == 2
    assert "no call came to its end in this run; hold workflows by a voice agent" in capsys.readouterr().err
