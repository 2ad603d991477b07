"""What agents did, as text, properties, rows of scores and a part of the page: all of it is data."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from pytest_talk2agent.analysis.outcomes import read_outcomes
from pytest_talk2agent.analysis.paper import read_rounds
from pytest_talk2agent.execution.checking import Finding
from pytest_talk2agent.execution.record import Step
from pytest_talk2agent.execution.trial_gate import executed_run, summarise_trials
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.reporting.html.trial_section import trial_section
from pytest_talk2agent.reporting.trial_report import (
    execution_tables,
    expectation,
    score_rows,
    trial_headline,
    trial_properties,
    trial_text,
)
from tests.execution.trials import trial

HOSTILE = "\x1b[31m<script>alert(1)</script>\n::error::\u202e"


def hostile() -> TrialResult:
    return trial(
        score="1/4",
        native="1/2",
        heard=HOSTILE,
        steps=(Step(f"echo {HOSTILE}", 1, HOSTILE),),
        criteria={"target": Finding(False, HOSTILE), "source": Finding(True)},
    )


def test_a_failure_says_what_failed_what_was_heard_and_what_was_done() -> None:
    steps = tuple(Step(f"command {n}", 0 if n < 7 else 2, "one\ntwo\nthree\nfour") for n in range(8))
    row = trial(score=0, native=0, heard="Move it.", steps=steps)
    lines = trial_text(row, ["pytest", "own.yaml::own/move[rc-amy-1]"]).splitlines()
    assert lines[0] == "target: b.txt is not there; executed 0 < 1"
    assert "projected  0          as projected" in lines
    assert any(line.startswith("heard  ") and "Move" in line for line in lines)
    assert "target  changed     b.txt is not there" in lines
    assert lines[lines.index("the last 5 of 8 commands") + 1] == "$ command 3"
    assert lines[-6:-2] == ["$ command 7  [status 2]", "  two", "  three", "  four"]
    assert lines[-1] == "rerun   pytest 'own.yaml::own/move[rc-amy-1]'"


def test_whether_the_projection_expected_it() -> None:
    assert expectation(trial()) == "as projected"
    assert expectation(trial(score=0)).startswith("the projection expected more")
    assert expectation(trial(score=1, native=0)).startswith("the projection expected less")
    assert expectation(trial(predicted=Interval(Fraction(0), Fraction(1)))).startswith("the projection was open")
    assert expectation(trial(score=None)) == "nothing to compare"


def test_what_an_agent_says_steers_nothing() -> None:
    row = hostile()
    text = trial_text(row, ["pytest", "x"])
    assert "\x1b" not in text + trial_headline(row)
    assert "\u202e" not in text
    assert "\n::error" not in text
    assert all("\x1b" not in value for _, value in trial_properties(row))
    page = "".join(trial_section(executed_run([row], {}, ())))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert r"\x1b[31m" in page


def test_the_page_shows_criteria_commands_and_a_plot() -> None:
    rows = [trial(score=score, round_=n) for n, score in ((1, 1), (2, 0), (3, None))]
    page = "".join(trial_section(executed_run([*rows, trial("own/other", native=None)], {}, ())))
    assert page.count("<svg") - page.count('class="key"') == 1
    assert "1: own/move[amy] under rc" in page
    assert "1 have no Native and are left out." in page
    assert page.count('class="trial"') == 2
    assert "execution 0.5" in page
    assert "round 3: no score" in page
    assert "$ mv a.txt b.txt" in page
    assert "".join(trial_section(executed_run([], {}, ()))) == ""


def test_the_table_has_the_columns_that_say_something() -> None:
    rows = [trial(), trial(score=0, round_=2, state="timed_out", reason="its 5 s were over", cost={"tokens": 7})]
    ((title, head, cells),) = execution_tables(summarise_trials(rows))
    assert title == "executions"
    row = dict(zip(head, cells[0], strict=True))
    assert row["execution"] == "0.5"
    assert (row["timed out"], row["tokens"], row["failed"]) == ("1", "7", "1")
    assert "reversed" not in row
    assert execution_tables(()) == []


def test_scores_are_read_by_correlate_and_table(tmp_path: Path) -> None:
    path = tmp_path / "execution.jsonl"
    rows = [trial(score="1/3"), trial(score="2/3", round_=2), trial("own/gone", None)]
    path.write_text(score_rows(rows), encoding="utf-8")
    assert [json.loads(line)["type"] for line in path.read_text().splitlines()] == ["own", "own"]
    found = read_outcomes(path)
    assert float(found.scores["own/move", "rc"]) == 0.5
    assert found.types == {"own/move": "own"}
    assert read_rounds(path)["obedient", "rc"].repetitions == 2
