from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.held import Held, HeldRow

A, B, C = "a" * 64, "b" * 64, "c" * 64
WORDS = {"p": "passed", "f": "failed", "u": "unjudged"}


def rows(table: dict[str, str], agent: str = "x", *, build: str = B, sha: str = A) -> list[HeldRow]:
    return [
        HeldRow(agent, build, package, sha, repetition, WORDS[letter], f"{package}/task.yaml")
        for package, letters in table.items()
        for repetition, letter in enumerate(letters)
    ]


@pytest.fixture
def held() -> Held:
    return Held().updated(rows({"one": "ppf", "two": "uf"}), "rules", only_new=False)


def test_what_is_saved_is_loaded(held: Held, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    Baseline(path, "lexical/1", workflows=held).save()
    found = Baseline.load(path).workflows
    assert found == held
    assert [found.outcome("x", "one", repetition) for repetition in range(4)] == ["passed", "passed", "failed", None]
    assert found.outcome("x", "three", 0) is None


def test_it_is_the_same_whatever_the_order_of_the_sessions(held: Held) -> None:
    other = Held().updated(reversed(rows({"one": "ppf", "two": "uf"})), "rules", only_new=False)
    assert json.dumps(other.to_json()) == json.dumps(held.to_json())


def test_a_candidate_is_held_against_its_label_or_the_only_one(held: Held) -> None:
    assert (held.reference("x"), held.reference("candidate")) == ("x", "x")
    two = held.updated(rows({"one": "p"}, "y"), "rules", only_new=False)
    with pytest.raises(ValueError, match="no agent to compare z with; it has x, y"):
        two.reference("z")


@pytest.mark.parametrize(
    ("agents", "packages", "scoring", "problem"),
    [
        ({"x": B}, {"one": A}, "llm", "workflows were scored by rules, this run scores by llm"),
        ({"x": A}, {"one": A}, "rules", "agent x is now another build (bbbbbbbb -> aaaaaaaa)"),
        ({"x": B}, {"one": B}, "rules", "package changed: one"),
        ({"x": B}, {"three": A}, "rules", "not in the baseline: three"),
    ],
)
def test_what_does_not_compare_is_refused(
    held: Held, agents: dict[str, str], packages: dict[str, str], scoring: str, problem: str
) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is looked at
        held.refuse_other(agents, packages, scoring)
    assert problem in str(caught.value)


def test_what_compares_is_not(held: Held) -> None:
    held.refuse_other({"x": B}, {"one": A, "two": A}, "rules")
    held.refuse_other({"candidate": A}, {"one": A}, "rules")
    held.refuse_other({"x": B}, {"three": A}, "rules", new=True)
    Held().refuse_other({"x": B}, {"three": A}, "rules", new=True)


def test_an_update_takes_in_what_is_new_or_everything(held: Held) -> None:
    some = rows({"one": "fff", "three": "p"})
    new = held.updated(some, "rules", only_new=True)
    assert (new.outcome("x", "one", 0), new.outcome("x", "three", 0)) == ("passed", "passed")
    every = held.updated(some, "rules", only_new=False)
    assert (every.outcome("x", "one", 0), every.outcome("x", "two", 1)) == ("failed", "failed")
    other = held.updated(rows({"one": "p"}, build=C), "rules", only_new=False)
    assert (other.outcome("x", "one", 0), other.outcome("x", "two", 0)) == ("passed", None)
    changed = held.updated(rows({"one": "f"}, sha=C), "rules", only_new=False)
    assert (changed.outcome("x", "one", 0), changed.outcome("x", "one", 1)) == ("failed", None)
    judged = held.updated(rows({"one": "p"}), "llm", only_new=False)
    assert (judged.scoring, judged.outcome("x", "two", 0)) == ("llm", None)


def test_what_is_gone_is_let_go(held: Held) -> None:
    assert held.without([("x", "two")]).packages["x"].keys() == {"one"}
    assert held.without([("x", "one"), ("x", "two")]).agents == {}


def changed(**values: Any) -> Any:
    def change(data: dict[str, Any]) -> dict[str, Any]:
        entry = data["packages"]["x"]["one"]
        return {**data, "packages": {"x": {"one": {**entry, **values}}}}

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda data: {"scoring": "rules"},
        lambda data: data | {"more": 1},
        lambda data: data | {"agents": {}},
        lambda data: data | {"agents": {"x": "short"}},
        lambda data: data | {"scoring": 1},
        changed(package_sha256="short"),
        changed(outcomes={}),
        changed(outcomes={"-1": "passed"}),
        changed(outcomes={"0": "fine"}),
        changed(outcomes={"0": ["passed"]}),
        changed(file=1),
        changed(more=1),
    ],
)
def test_what_is_none_is_refused(held: Held, change: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Held.from_json(change(held.to_json()))


def test_an_edit_is_found(held: Held, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    Baseline(path, "lexical/1", workflows=held).save()
    path.write_text(path.read_text().replace('"2": "failed"', '"2": "passed"'))
    with pytest.raises(BaselineError, match="changed since it was written"):
        Baseline.load(path)
