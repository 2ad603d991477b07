from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.proof.reach import Revealed, unreachable
from tests.workflows.scoring.sessions import changed
from tests.workflows.toys import expense, load


def expected(field: str, value: Any) -> list[dict[str, Any]]:
    fields = [{"field": field, "expected": value, "required": True}]
    return [{"artifact_id": "expense_1", "fields": fields}]


def hidden(tmp_path: Path, field: str, value: Any, *seen: Any, **latent: str) -> list[tuple[str, str]]:
    toy = changed(expense(), "grading/gold.yaml", artifact_expectations=expected(field, value))
    if latent:
        facts = {place.replace("__", "."): text for place, text in latent.items()}
        toy["workspace/latent_world.json"] = {"id": "world", "facts": facts}
    return list(unreachable(load(toy, tmp_path), seen))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("employee_id", "E1042"),
        ("total_amount", 200),
        ("total_amount", 240),
        ("cost_center", "CC-330"),
        ("trip_purpose", None),
    ],
)
def test_what_the_caller_knows_is_revealed(tmp_path: Path, field: str, value: Any) -> None:
    assert hidden(tmp_path, field, value) == []


def test_what_nobody_says_is_not(tmp_path: Path) -> None:
    ((place, why),) = hidden(tmp_path, "total_amount", 4711)
    assert place == "expense_1.total_amount"
    assert why.startswith("nothing reveals 4711")
    assert hidden(tmp_path, "trip_purpose", "zeppelin race")


def test_what_a_tool_showed_is_revealed(tmp_path: Path) -> None:
    assert hidden(tmp_path, "total_amount", 4711, {"rows": [{"cents": 4711}]}) == []
    assert hidden(tmp_path, "trip_purpose", "zeppelin race", {"note": "A race of zeppelins"}) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("200 * 2", ""),
        ("200 * 3", "comes to 600, not to 400"),
        ("200 + 77", "uses 77, which nothing reveals"),
        ("2 ** 200", "is no sum of numbers"),
        ("__import__('os')", "is no sum of numbers"),
        ("200 / 0", "is no sum of numbers"),
    ],
)
def test_what_is_worked_out_is_derived_from_what_is_revealed(tmp_path: Path, text: str, problem: str) -> None:
    found = hidden(tmp_path, "total_amount", 400, {"factor": 2, "more": 3, "none": 0}, expense_1__total_amount=text)
    assert [problem in why for _, why in found] == ([True] if problem else [])


def test_dates_codes_and_lists_are_found_however_they_are_said(tmp_path: Path) -> None:
    revealed = Revealed(load(expense(), tmp_path), ["On October fourteenth, call five five five zero one three four."])
    assert revealed.holds("2026-10-14")
    assert revealed.holds("555-0134")
    assert revealed.holds(["E1042", 200])
    assert not revealed.holds(["E1042", 201.5])
    assert not revealed.holds("2026-10-15")
