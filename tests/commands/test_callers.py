"""`talk2agent callers`: runs with synthetic callers and with people, side by side, and in the page of a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.call_folder import item_of, write_calls
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign
from tests.commands.conftest import Say
from tests.workflows.campaign.test_transfer import HUMAN, SYNTHETIC, call


def saved(folder: Path, sound: str, *outcomes: Sequence[str]) -> Path:
    """A run with a session for each outcome of each workflow."""
    records: list[SessionRecord] = [
        call(sound, outcome, f"w{number}", repetition)
        for number, some in enumerate(outcomes)
        for repetition, outcome in enumerate(some)
    ]
    write_calls(folder, records, {"x": "spoken:oracle"}, "rules")
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    synthetic = saved(tmp_path / "synthetic", SYNTHETIC, ["passed", "passed"], ["passed", "failed"])
    return synthetic, saved(tmp_path / "human", HUMAN, ["passed", "missing"], ["failed", "failed"])


def test_gates_stand_side_by_side(runs: tuple[Path, Path], say: Say) -> None:
    lines = say("callers", *runs).splitlines()
    assert lines[0].split("  ")[0] == "agent"
    everything = [line.split("  ") for line in lines if line.startswith("x") and " all " in line]
    success = next(cells for cells in everything if "success" in " ".join(cells))
    words = [cell.strip() for cell in success if cell.strip()]
    assert words[:5] == ["x", "all", "success", "3 of 4", "1 of 3"]
    assert "x: without a result 0 synthetic calls, 1 with a person" in lines
    assert any(line.startswith("what the condition changes, x (n=3 pairs, 2 without a partner)") for line in lines)


def test_the_same_as_data(runs: tuple[Path, Path], say: Say) -> None:
    data = json.loads(say("callers", *runs, "--json"))
    assert [row["workflow"] for row in data["rows"]] == ["w0", "w1", None]
    assert data["rows"][-1]["measures"]["success"]["human"]["of"] == 3


def test_a_run_of_calls_is_read_as_any_other(runs: tuple[Path, Path], say: Say) -> None:
    read = read_saved_campaign(runs[1])
    assert read is not None
    assert [item_of(record) for record in read.records.values()] == list(read.records)
    assert "4 sessions" in say("report", runs[0], "--beside", runs[1])
    page = (runs[0] / "report.html").read_text(encoding="utf-8")
    assert "caller=human" in page


def test_one_kind_of_caller_is_no_table(runs: tuple[Path, Path], complain: Say, tmp_path: Path) -> None:
    assert "no call with a human caller in these runs" in complain("callers", runs[0])
    (tmp_path / "empty").mkdir()
    assert "no workflows in this run" in complain("callers", runs[0], tmp_path / "empty")
