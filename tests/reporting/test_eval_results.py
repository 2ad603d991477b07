"""Results for a model's page on the hub."""

from __future__ import annotations

from pytest_talk2agent.commands.publishing import eval_results
from pytest_talk2agent.results.gate import summarise
from tests.results.builders import interval, lossy, result, retention, undefined


def test_an_entry_for_each_metric_in_percent() -> None:
    rows = [result("a"), lossy("b")]
    native, shapley = eval_results(summarise(rows)[0], rows, "org/bench", date="2026-11-30", source="https://x.org/r")
    assert native["dataset"] == {"id": "org/bench", "task_id": "native"}
    assert (native["value"], shapley["value"]) == (75.0, 75.0)
    assert native["date"] == "2026-11-30"
    assert native["source"] == {"url": "https://x.org/r", "name": "report"}
    assert native["notes"] == (
        "mean native retention of 2 items; interface whisper:tiny.en; fingerprint f00d; judge lexical/1;"
        " pytest-talk2agent 0.1.0"
    )


def test_an_interval_gives_its_lower_end_and_says_both() -> None:
    rows = [result(kept=retention(interval("1/3", "2/3")))]
    native, _ = eval_results(summarise(rows)[0], rows, "org/bench", revision="abc")
    assert native["value"] == 33.33
    assert native["dataset"]["revision"] == "abc"
    assert "between 33.33 and 66.67" in native["notes"]


def test_nothing_is_said_where_nothing_has_a_score() -> None:
    rows = [result(kept=undefined())]
    assert eval_results(summarise(rows)[0], rows, "org/bench") == []
