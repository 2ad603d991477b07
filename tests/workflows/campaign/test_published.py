from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.workflows.campaign.published import (
    gates_of,
    read_campaign,
    read_passes,
    read_run,
    read_slices,
    read_tool_use,
)
from tests.workflows.apex_data import apex_json, apex_path

CALLS = {  # calls in all, a run, mean and median ratio: section 6.3 of the notes
    "gpt-realtime": (4584, "12.7333", "0.98464", "0.97698"),
    "grok-voice": (7047, "19.5750", "1.51108", "1.39683"),
    "gemini-live": (5102, "14.1722", "1.09355", "1.07738"),
    "gpt-live-1": (4371, "12.1417", "0.93779", "0.89744"),
    "step-audio3": (1755, "4.8750", "0.37661", "0.36111"),
}


@pytest.mark.parametrize("model", CALLS)
def test_tool_use_is_the_published_one(model: str) -> None:
    found = read_tool_use(apex_path("tooluse_by_task.csv"))[model]
    assert (
        found.total,
        f"{float(found.per_run):.4f}",
        f"{float(found.mean_ratio):.5f}",
        f"{float(found.median_ratio):.5f}",
    ) == CALLS[model]
    row = apex_json("results.json")["models"][model]
    assert {task: float(ratio) for task, ratio in found.ratios.items()} == pytest.approx(row["tool_ratio_by_task"])
    assert float(found.mean_ratio) == pytest.approx(row["tool_ratio_mean"], abs=1e-12)
    assert float(found.median_ratio) == pytest.approx(row["tool_ratio_p50"], abs=1e-12)
    assert float(found.per_run) == row["tool_calls_mean"]


def test_the_reference_makes_1553_calls() -> None:
    found = next(iter(read_tool_use(apex_path("tooluse_by_task.csv")).values()))
    counts = [list(found.oracle.values()).count(number) for number in (11, 12, 13, 14, 15, 17)]
    assert (sum(found.oracle.values()), counts) == (1553, [3, 40, 44, 29, 3, 1])


def test_a_ratio_that_no_count_of_calls_gives_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tooluse.csv"
    path.write_text("task_id,oracle_tool_calls,m_tool_ratio\nt,7,0.5\n")
    with pytest.raises(ValueError, match=r"no count of calls gives a ratio of 0\.5"):
        read_tool_use(path)


def test_a_count_beyond_its_repetitions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "per_task.csv"
    path.write_text("task_id,oracle_tool_calls,m_passes_of_3\nt,7,4\n")
    with pytest.raises(ValueError, match="t: 4 passes of 3"):
        read_passes(path)
    path.write_text("task_id\n")
    with pytest.raises(ValueError, match="no column such as MODEL_passes_of_3"):
        read_passes(path)


def test_slices_are_read_exactly() -> None:
    rows = read_slices(apex_path("slices.csv"))
    assert len(rows) == 275
    [cell] = [row for row in rows if (row.label, row.model) == ("COORDINATE", "grok-voice")]
    assert (cell.axis, cell.n, cell.success, cell.afa) == ("archetype", 20, Fraction("0.2167"), Fraction("0.9391"))


def test_both_vocabularies_of_gates_are_read() -> None:
    code = gates_of({"GS": 1, "PC": 0, "RA": 1, "WA": 0})
    assert code == gates_of({"TS": 1, "PV": 0, "AC": 1, "AV": 0}) == {"TS": 1, "PV": 0, "AC": 1, "AV": 0}
    with pytest.raises(ValueError, match="gate AV is missing"):
        gates_of({"GS": 1, "PC": 0, "RA": 1})
    with pytest.raises(ValueError, match="'TS' is no gate, or one that is there under another name"):
        gates_of({"GS": 1, "TS": 1, "PC": 0, "RA": 1, "WA": 0})


def test_sessions_are_read_and_an_error_is_no_score(tmp_path: Path) -> None:
    run = {"task_id": "t", "rep": 0, "model": "m", "pts": 1, "components": {"GS": 1, "PC": 1, "RA": 1, "WA": 1}}
    for rep, data in enumerate([run, {"task_id": "t", "rep": 1, "model": "m", "pts": 0, "error": "1011"}]):
        folder = tmp_path / "t" / f"rep{rep}"
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(json.dumps(data))
    first, second = read_campaign(tmp_path)
    assert (first.success, first.failed, first.gates["AV"]) == (True, False, True)
    assert (second.success, second.failed, second.repetition) == (False, True, 1)
    (tmp_path / "result.json").write_text("[]")
    with pytest.raises(ValueError, match="no result of a session"):
        read_run(tmp_path / "result.json")
