from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import BaselineError
from pytest_talk2agent.workflows.campaign.baseline import WorkflowBaseline
from tests.workflows.campaign.records import session, sessions

A, B = "a" * 64, "b" * 64


@pytest.fixture
def baseline(tmp_path: Path) -> WorkflowBaseline:
    empty = WorkflowBaseline(tmp_path / "base.json", "rules")
    found = empty.updated(sessions({"one": "ppf", "two": "ufm"}), "rules", None, only_new=False)
    found.save()
    return found


def test_what_is_saved_is_loaded(baseline: WorkflowBaseline) -> None:
    found = WorkflowBaseline.load(baseline.path)
    assert found == baseline
    assert found.outcome("x", "one", 2) == "failed"
    assert found.outcome("x", "two", 0) == "unjudged"
    assert found.outcome("x", "two", 2) is None  # the infrastructure lost it
    assert found.reliability("x", 3).workflows["one"].passed == 2
    assert found.reliability("x", 3).incomplete == {"two": 2}


def test_it_is_the_same_file_whatever_the_order_of_the_sessions(baseline: WorkflowBaseline, tmp_path: Path) -> None:
    other = WorkflowBaseline(tmp_path / "other.json", "rules")
    other.updated(reversed(sessions({"one": "ppf", "two": "ufm"})), "rules", None, only_new=False).save()
    assert (tmp_path / "other.json").read_bytes() == baseline.path.read_bytes()


def test_a_candidate_is_held_against_its_label_or_the_only_one(baseline: WorkflowBaseline) -> None:
    assert (baseline.reference("x"), baseline.reference("candidate")) == ("x", "x")
    two = baseline.updated(sessions({"one": "p"}, "y"), "rules", None, only_new=False)
    with pytest.raises(BaselineError, match="no agent to compare z with; it has x, y"):
        two.reference("z")


@pytest.mark.parametrize(
    ("agents", "packages", "scoring", "problem"),
    [
        ({"x": B}, {"one": A}, "llm", "scored by rules, this run by llm"),
        ({"x": A}, {"one": A}, "rules", "agent x is now another build (bbbbbbbb -> aaaaaaaa)"),
        ({"x": B}, {"one": B}, "rules", "package changed: one"),
        ({"x": B}, {"three": A}, "rules", "not in the baseline: three"),
    ],
)
def test_what_does_not_compare_is_refused(
    baseline: WorkflowBaseline, agents: dict[str, str], packages: dict[str, str], scoring: str, problem: str
) -> None:
    with pytest.raises(BaselineError) as caught:
        baseline.refuse_other(agents, packages, scoring)
    assert problem in str(caught.value)


def test_what_compares_is_not(baseline: WorkflowBaseline) -> None:
    baseline.refuse_other({"x": B}, {"one": A, "two": A}, "rules")
    baseline.refuse_other({"candidate": A}, {"one": A}, "rules")
    baseline.refuse_other({"x": B}, {"three": A}, "rules", new=True)
    assert baseline.unseen("x", ["one"]) == ["two"]


def test_an_update_takes_in_what_is_new_or_everything(baseline: WorkflowBaseline) -> None:
    rows = sessions({"one": "fff", "three": "p"})
    new = baseline.updated(rows, "rules", None, only_new=True)
    assert (new.outcome("x", "one", 0), new.outcome("x", "three", 0)) == ("passed", "passed")
    every = baseline.updated(rows, "rules", None, only_new=False)
    assert (every.outcome("x", "one", 0), every.outcome("x", "two", 1)) == ("failed", "failed")
    other = baseline.updated(sessions({"one": "p"}, build="c"), "rules", None, only_new=False)
    assert (other.outcome("x", "one", 0), other.outcome("x", "two", 0)) == ("passed", None)
    changed = baseline.updated([session("failed", "one", sha="d")], "rules", None, only_new=False)
    assert (changed.outcome("x", "one", 0), changed.outcome("x", "one", 1)) == ("failed", None)
    judged = baseline.updated(sessions({"one": "p"}), "llm", None, only_new=False)
    assert (judged.scoring, judged.outcome("x", "two", 0)) == ("llm", None)
    published = baseline.updated(sessions({"two": "u"}), "rules", "apex-1.0", only_new=False)
    assert published.outcome("x", "two", 0) == "failed"


def edited(document: dict[str, Any]) -> str:
    document["agents"]["x"]["packages"]["one"]["outcomes"]["2"] = "passed"
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (edited, "changed since it was written"),
        (lambda document: "[]", "not a baseline file"),
        (lambda document: "{", "not a baseline file"),
        (lambda document: json.dumps(document | {"kind": "other"}), "no baseline of workflows"),
        (lambda document: json.dumps(document | {"schema": 9}), "a baseline of schema 9; this version reads 1"),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_refused(baseline: WorkflowBaseline, change: Any, problem: str) -> None:
    baseline.path.write_text(change(json.loads(baseline.path.read_text())))
    with pytest.raises(BaselineError) as caught:
        WorkflowBaseline.load(baseline.path)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="make one with --t2a-update-baseline"):
        WorkflowBaseline.load(tmp_path / "none.json")
