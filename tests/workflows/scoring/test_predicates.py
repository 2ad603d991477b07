from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.package.package import Document, Package
from pytest_talk2agent.workflows.package.work import PredicateSpec
from pytest_talk2agent.workflows.scoring.constraints import constraint_holds
from pytest_talk2agent.workflows.scoring.fields import Bench
from pytest_talk2agent.workflows.scoring.predicates import Predicates, value_at
from pytest_talk2agent.workflows.scoring.trace import ArtifactState, Search, ToolCall
from tests.workflows.scoring.sessions import RIGHT, decided, finished, form
from tests.workflows.toys import expense, load


@pytest.fixture
def package(tmp_path: Path) -> Package:
    documents = tuple(Document(doc_id=name, title=name, text="", gold=name != "other") for name in ("a", "b", "other"))
    return load(expense(), tmp_path).model_copy(update={"documents": documents})


def held(package: Package, kind: str, args: dict[str, Any], **changes: Any) -> tuple[object, object]:
    predicate, trace = PredicateSpec(id="p", kind=kind, args=args), finished(**changes)
    bench = Bench()
    return tuple(Predicates(package, trace, one).check(predicate).held for one in (bench, bench.as_published()))  # type: ignore[return-value]


def call(tool: str, ok: bool = True, seq: int = 1, **args: Any) -> ToolCall:
    return ToolCall(seq=seq, media_ms=seq, call_id=f"c{seq}", tool=tool, args=args, ok=ok, error=None if ok else "no")


FIELD = {"artifact_id": "expense_1", "field": "total_amount"}


@pytest.mark.parametrize(
    ("kind", "args", "changes", "expected"),
    [
        ("state_equals", {"path": "expense.status", "value": "submitted"}, {}, (True, True)),
        ("state_equals", {"path": "expense.state", "value": "submitted"}, {}, (False, False)),
        ("state_equals", {"path": "n", "value": True}, {"world": {"n": 1}}, (False, False)),
        ("state_in", {"path": "expense.status", "values": ["open", "submitted"]}, {}, (True, True)),
        ("artifact_field_equals", FIELD | {"value": "$200", "grader": "numeric_tolerance"}, {}, (True, True)),
        ("artifact_field_equals", FIELD | {"value": "a lot"}, {}, (None, False)),
        ("artifact_field_equals", FIELD | {"value": 200}, form(RIGHT, stale=("total_amount",)), (True, False)),
        ("artifact_field_equals", FIELD | {"value": 200}, {"artifacts": {}}, (False, False)),
        ("artifact_field_present", FIELD, {}, (True, True)),
        ("artifact_field_present", FIELD, form(RIGHT | {"total_amount": ""}), (False, True)),
        ("artifact_not_stale", FIELD, {}, (True, True)),
        ("artifact_not_stale", FIELD, form(RIGHT, stale=("total_amount",)), (False, False)),
        ("artifact_not_stale", {"artifact_id": "none", "field": "x"}, {}, (False, False)),
        ("artifact_lifecycle_at_least", {"artifact_id": "expense_1", "state": "APPROVED"}, {}, (True, True)),
        (
            "artifact_lifecycle_at_least",
            {"artifact_id": "expense_1", "state": "APPROVED"},
            form(RIGHT, lifecycle="READY_FOR_REVIEW"),
            (False, False),
        ),
        ("tool_called", {"tool": "submit"}, {}, (True, True)),
        ("tool_called", {"tool": "submit"}, {"calls": [call("submit", ok=False)]}, (False, False)),
        ("tool_called_with", {"tool": "t", "args_contains": {"n": 2}}, {"calls": [call("t", n=2, m=3)]}, (True, True)),
        ("tool_called_with", {"tool": "t", "args_contains": {"n": 2}}, {"calls": [call("t", n=3)]}, (False, False)),
        ("commit_authorized", {"action_type": "submit_expense"}, {}, (True, True)),
        ("commit_authorized", {"action_type": "submit_expense", "target_id": "x"}, {}, (False, False)),
        ("no_unauthorized_commit", {}, {"calls": [decided("WRONG_SCOPE_COMMIT", 4)]}, (False, False)),
        (
            "no_unauthorized_commit",
            {"action_type": "other"},
            {"calls": [decided("WRONG_SCOPE_COMMIT", 4)]},
            (True, True),
        ),
        ("no_commit_after_revocation", {}, {"calls": [decided("PREMATURE_COMMIT", 4)]}, (True, True)),
        ("no_commit_after_revocation", {}, {"calls": [decided("POST_REVOCATION_COMMIT", 4)]}, (False, False)),
        ("agent_act_observed", {"act_key": "ASK:cost_center"}, {}, (True, True)),
        ("agent_act_observed", {"act_key": "ASK:other"}, {}, (False, False)),
        ("consistency", {"constraints": ["expense_1.total_amount == 200"]}, {}, (True, True)),
        ("consistency", {"constraints": ["expense_1.total_amount == 200", "1 > 2"]}, {}, (False, False)),
    ],
)
def test_predicates(
    package: Package, kind: str, args: dict[str, Any], changes: dict[str, Any], expected: tuple[object, object]
) -> None:
    assert held(package, kind, args, **changes) == expected


@pytest.mark.parametrize(
    ("seen", "args", "expected"),
    [
        ((), {}, False),
        (("a",), {}, False),
        (("a",), {"threshold": 0.5}, True),
        (("a", "other", "b"), {}, True),
    ],
)
def test_gold_documents_have_to_be_found(
    package: Package, seen: tuple[str, ...], args: dict[str, Any], expected: bool
) -> None:
    search = Search(seq=1, media_ms=1, query="q", doc_ids=seen)
    assert held(package, "kb_gold_retrieved", args, has_knowledge=True, searches=[search]) == (expected, expected)


def test_without_documents_or_without_a_knowledge_base(package: Package) -> None:
    assert held(package, "kb_gold_retrieved", {})[0] is False
    bare = package.model_copy(update={"documents": ()})
    assert held(bare, "kb_gold_retrieved", {}, has_knowledge=True)[0] is True


def test_an_unknown_kind_is_an_error(package: Package) -> None:
    with pytest.raises(ValueError, match="predicate p: there is no kind 'vibes'"):
        held(package, "vibes", {})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", (True, {"b": 1, "c.d": 2})),
        ("a.b", (True, 1)),
        ("a.c.d", (True, 2)),
        ("list.1.x", (True, 3)),
        ("list.2", (False, None)),
        ("a.b.c", (False, None)),
        ("", (False, None)),
    ],
)
def test_a_path_leads_through_mappings_and_lists(path: str, expected: tuple[bool, object]) -> None:
    assert value_at({"a": {"b": 1, "c.d": 2}, "list": [{}, {"x": 3}]}, path) == expected


def artifact(name: str, **fields: Any) -> ArtifactState:
    return ArtifactState(artifact_id=name, artifact_type="FORM", lifecycle="DRAFT", fields=fields)


ARTIFACTS = {
    "order_1": artifact("order_1", date="2026-03-06", total="$480.00", count=25, **{"line.qty": 3}),
    "note_1": artifact("note_1", date="March 6, 2026", total=480, who=None),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("order_1.count == 25", (True, True)),
        ("order_1.line.qty == 3", (True, True)),
        ("order_1.count >= 24.5", (True, True)),
        ("order_1.count < 25", (False, False)),
        ("order_1.count != 24", (True, True)),
        ("order_1.date == '2026-03-06'", (True, True)),
        ("note_1.date == order_1.date", (True, False)),
        ("note_1.total == order_1.total", (True, False)),
        ("note_1.date > '2026-03-01'", (True, True)),
        ("order_1.date <= note_1.date", (True, True)),
        ("order_1.gone == note_1.gone", (True, True)),
        ("order_1.gone == 'x'", (False, False)),
        ("order_1.gone < 3", (False, False)),
        ("order_1.date < 3", (False, False)),
        ("order_1.count", (False, False)),
        ("order_1.count = 25", (False, False)),
    ],
)
def test_constraints(text: str, expected: tuple[bool, bool]) -> None:
    assert (constraint_holds(text, ARTIFACTS), constraint_holds(text, ARTIFACTS, "apex-1.0")) == expected
