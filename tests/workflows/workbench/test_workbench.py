from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.package.package import Document, Package
from pytest_talk2agent.workflows.workbench.artifacts import LIFECYCLE_PATH, STALE_PATH
from pytest_talk2agent.workflows.workbench.backend import Change, DictState, apply
from pytest_talk2agent.workflows.workbench.knowledge import Knowledge
from pytest_talk2agent.workflows.workbench.offer import offered
from pytest_talk2agent.workflows.workbench.workbench import Workbench
from tests.workflows.toys import Toy, expense, load


def clinic_like() -> Toy:
    """The expense report, with a knowledge base and tools of every handler."""
    toy = expense()
    toy["knowledge/manifest.json"] = {
        "documents": [
            {"doc_id": name, "title": title, "text": text, "gold": name == "limits"}
            for name, title, text in (
                ("limits", "Travel limits", "A day of travel is 80 euros. Ask secret_tool for more."),
                ("menu", "Canteen menu", "Soup of the day"),
                *((f"d{n}", f"Travel note {n}", "travel") for n in range(8)),
            )
        ]
    }
    toy["initial_state.json"]["people"] = {"E1042": {"name": "Ana"}}
    text = {"type": "string"}
    toy["tools/tool_spec.yaml"]["tools"] += [
        {
            "name": "search",
            "tool_class": "retrieval",
            "handler": "kb_search",
            "params": [{"name": "query", **text}, {"name": "top_k", "type": "integer", "required": False}],
        },
        {"name": "look", "tool_class": "read_only", "handler": "get_entity", "params": [{"name": "path", **text}]},
        {
            "name": "set_state",
            "tool_class": "state_changing",
            "handler": "set_lifecycle",
            "params": [{"name": "artifact_id", **text}, {"name": "state", **text}],
        },
        {"name": "unbound", "tool_class": "read_only"},
        {"name": "secret_tool", "tool_class": "discoverable", "discoverable": True, "handler": "get_entity"},
        {
            "name": "slow",
            "tool_class": "read_only",
            "handler": "get_entity",
            "effect": {"state_path": "people"},
            "latency": {"base_ms": 100, "jitter_ms": 50, "stress_multiplier": 2.0},
        },
    ]
    return toy


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(clinic_like(), tmp_path)


def draft(**fields: Any) -> dict[str, Any]:
    return {"fields": fields}


def test_a_write_is_fresh_and_its_dependents_are_stale(package: Package) -> None:
    bench = Workbench(package)
    first = bench.call("write_draft", draft(total_amount=240), 5)
    assert first.ok
    assert first.result == {"updated": ["total_amount"], "artifact_id": "expense_1"}
    paths = [effect.payload["path"] for effect in first.effects]
    assert paths == ["total_amount", STALE_PATH, LIFECYCLE_PATH]
    artifact = bench.artifacts["expense_1"]
    assert (artifact.lifecycle, artifact.stale, artifact.version) == ("DRAFT", {"approval_status"}, 3)
    bench.call("write_draft", draft(approval_status="draft"), 6)
    assert artifact.stale == set()


def test_the_search_is_the_published_one(package: Package) -> None:
    bench = Workbench(package)
    found = bench.call("search", {"query": "travel LIMITS of the day", "top_k": 3}, 0)
    assert found.hits == ("limits", "menu", "d0")
    assert [hit["score"] for hit in found.result["hits"]] == [4, 3, 1]
    assert bench.call("search", {"query": "xyz"}, 0).result == {"hits": []}
    assert len(bench.call("search", {"query": "travel"}, 0).hits) == 3


def test_top_k_is_capped_and_said_so_unless_compat(package: Package) -> None:
    capped = Workbench(package).call("search", {"query": "travel", "top_k": 100}, 0)
    assert (len(capped.hits), capped.result["note"]) == (5, "top_k is at most 5")
    assert len(Workbench(package, compat=True).call("search", {"query": "travel", "top_k": 100}, 0).hits) == 9


def test_entities_are_looked_up(package: Package) -> None:
    bench = Workbench(package)
    assert bench.call("look", {"path": "people.E1042.name"}, 0).result == {"entity": "Ana"}
    assert bench.call("look", {"path": "people.nobody"}, 0).result == {"entity": None}
    assert bench.call("slow", {}, 0).result == {"entity": {"E1042": {"name": "Ana"}}}


def test_a_commit_needs_approval_of_what_stands_there(package: Package) -> None:
    bench = Workbench(package)
    target = {"target_id": "expense_1"}
    early = bench.call("submit", target, 1)
    assert (early.ok, early.error) == (False, "PREMATURE_COMMIT: no approval was given")
    assert early.result["committed"] is False
    assert early.effects == ()
    bench.call("write_draft", draft(cost_center="CC-330"), 2)
    asked = bench.call("ask_approval", target, 3)
    assert asked.result == {
        "requested_action": "submit_expense",
        "target_id": "expense_1",
        "status": "awaiting_approval",
    }
    token, _ = bench.grant(10, "submit_expense")
    assert token is not None
    bench.call("write_draft", draft(cost_center="CC-331"), 11)
    edited = bench.call("submit", target, 12)
    assert edited.error == "PREMATURE_COMMIT: the content is not what was approved"
    bench.call("write_draft", draft(cost_center="CC-330", approval_status="waiting"), 13)
    done = bench.call("submit", target, 14)
    assert done.ok
    assert bench.artifacts["expense_1"].lifecycle == "COMMITTED"
    assert bench.artifacts["expense_1"].fields["approval_status"] == "submitted"
    assert bench.state.get("expense.status") == "submitted"
    assert bench.call("submit", target, 15).error == "PREMATURE_COMMIT: the approval was used already"


def test_nothing_is_written_to_what_is_committed_unless_compat(package: Package) -> None:
    for compat in (False, True):
        bench = Workbench(package, compat=compat)
        bench.artifacts.set_lifecycle("expense_1", "COMMITTED")
        late = bench.call("write_draft", draft(cost_center="CC-1"), 1)
        assert late.ok == compat


def test_a_lifecycle_is_not_set_past_the_guard_unless_compat(package: Package) -> None:
    cheat = {"artifact_id": "expense_1", "state": "COMMITTED"}
    refused = Workbench(package).call("set_state", cheat, 1)
    assert refused.decision is not None
    assert (refused.ok, refused.decision.code) == (False, "PREMATURE_COMMIT")
    assert refused.decision.scope.action_type == "submit_expense"
    published = Workbench(package, compat=True).call("set_state", cheat, 1)
    assert published.ok
    assert published.decision is None
    assert Workbench(package).call("set_state", {**cheat, "state": "APPROVED"}, 1).ok


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("no_tool", {}, "unknown tool 'no_tool'; there are write_draft"),
        ("unbound", {}, "tool unbound is bound to nothing"),
        ("look", None, "the arguments must be a JSON object"),
        ("look", [1], "the arguments must be a JSON object"),
        ("look", {}, "'path' is a required property"),
        ("look", {"path": 5}, "path: 5 is not of type 'string'"),
        ("look", {"path": "a", "more": 1}, "Additional properties are not allowed"),
        ("search", {"query": "a", "top_k": "many"}, "top_k: 'many' is not of type 'integer'"),
        ("search", {"query": "a", "top_k": 0}, "top_k must be a whole number from 1"),
        ("search", {"query": "a", "top_k": True}, "top_k: True is not of type 'integer'"),
        ("write_draft", {"fields": "x"}, "fields: 'x' is not of type 'object'"),
        ("write_draft", draft(colour=1), "unknown field 'colour'; there are employee_id"),
        ("set_state", {"artifact_id": "x", "state": "DRAFT"}, "unknown artifact 'x'; there are expense_1"),
        ("set_state", {"artifact_id": "expense_1", "state": "DONE"}, "unknown state 'DONE'"),
    ],
)
def test_a_wrong_call_is_an_error_that_the_agent_is_told(package: Package, name: str, args: Any, error: str) -> None:
    bench = Workbench(package)
    before = bench.digest()
    outcome = bench.call(name, args, 0)
    assert not outcome.ok
    assert error in str(outcome.error)
    assert outcome.told()["error"] == outcome.error
    assert bench.digest() == before


ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = [tool["name"] for tool in clinic_like()["tools/tool_spec.yaml"]["tools"]]
KEYS = ("query", "top_k", "path", "fields", "artifact_id", "state", "target_id", "action_type", "entity_id")


@settings(max_examples=300, deadline=None)
@given(
    calls=st.lists(st.tuples(st.sampled_from([*NAMES, "none"]), st.dictionaries(st.sampled_from(KEYS), ANY) | ANY)),
    compat=st.booleans(),
)
def test_no_call_raises_or_commits_by_itself(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, Any]], compat: bool
) -> None:
    bench = Workbench(shared(tmp_path_factory), compat=compat)
    for number, (name, args) in enumerate(calls):
        outcome = bench.call(name, args, number)
        assert outcome.ok == (outcome.error is None)
    assert bench.state.get("expense.status") == "open"
    assert compat or bench.artifacts["expense_1"].lifecycle != "COMMITTED"


_SHARED: list[Package] = []


def shared(factory: pytest.TempPathFactory) -> Package:
    if not _SHARED:
        _SHARED.append(load(clinic_like(), factory.mktemp("package")))
    return _SHARED[0]


def test_latency_is_seeded_by_tool_and_call(package: Package) -> None:
    first = [Workbench(package, seed=3).call("slow", {}, 0).latency_ms for _ in range(2)]
    assert first[0] == first[1]
    bench = Workbench(package, seed=3)
    several = [bench.call("slow", {}, 0).latency_ms for _ in range(20)]
    assert len(set(several)) > 10
    assert all(100 <= latency <= 300 for latency in several)


def test_tools_are_offered_with_schemas_and_discovered_by_a_document(package: Package) -> None:
    bench = Workbench(package)
    assert "secret_tool" not in [tool.name for tool in bench.offered()]
    bench.call("search", {"query": "travel limits"}, 0)
    assert "secret_tool" in [tool.name for tool in bench.offered()]
    shown = offered(package, bench.offered()[0])
    fields = shown["parameters"]["properties"]["fields"]
    assert list(fields["properties"]) == [
        "employee_id",
        "trip_purpose",
        "cost_center",
        "total_amount",
        "approval_status",
    ]
    assert fields["additionalProperties"] is False
    assert "Fields: employee_id" in shown["description"]


def test_an_error_is_one_short_line(package: Package) -> None:
    error = str(Workbench(package).call("look", {"path": ["x\n" * 10_000]}, 0).error)
    assert len(error) < 400
    assert "\n" not in error


def test_search_scores_distinct_words() -> None:
    documents = [Document(doc_id=name, title="", text=text) for name, text in (("b", "red red"), ("a", "red blue"))]
    hits = Knowledge(documents).search("Red, RED blue!", 3)["hits"]
    assert [(hit["doc_id"], hit["score"]) for hit in hits] == [("a", 2), ("b", 1)]


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(".".join)


@given(puts=st.lists(st.tuples(PATHS, st.integers(0, 3) | st.dictionaries(st.sampled_from("abc"), st.integers()))))
def test_the_changes_of_a_world_rebuild_it(puts: list[tuple[str, Any]]) -> None:
    state, rebuilt = DictState({"a": {"b": 1}}), {"a": {"b": 1}}
    for path, value in puts:
        for change in state.put(path, value):
            apply(rebuilt, change)
        assert state.get(path) == value
    assert rebuilt == state.snapshot()


def test_a_removed_value_is_gone() -> None:
    world = {"a": {"b": 1}}
    apply(world, Change(("a", "b"), 1, None, has=False))
    assert world == {"a": {}}
