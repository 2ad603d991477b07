"""Packages that share a world: its files come first, those of the package replace them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError
from pytest_talk2agent.workflows.state.backend import open_state, state_of
from tests.workflows.toys import expense, write

TOOLS = {"tools": [{"name": "count", "tool_class": "read_only", "handler": "sql:count"}]}
STATE = {
    "clock": "2026-10-12T09:00:00Z",
    "tools": {"count": {"result": {"n": {"value": "SELECT count(*) FROM rooms"}}}},
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    world = tmp_path / "worlds" / "hotel"
    world.mkdir(parents=True)
    (world / "schema.sql").write_text("CREATE TABLE rooms (id TEXT PRIMARY KEY);")
    (world / "seed.sql").write_text("INSERT INTO rooms VALUES ('r1');")
    (world / "state.yaml").write_text(yaml.safe_dump(STATE))
    toy = expense()
    tools = [*toy["tools/tool_spec.yaml"]["tools"], *TOOLS["tools"]]
    (world / "tool_spec.yaml").write_text(yaml.safe_dump({"tools": tools}))
    del toy["tools/tool_spec.yaml"]
    write(toy, tmp_path / "stay")
    return tmp_path


def built_on(suite: Path, **keys: object) -> Package:
    (suite / "stay" / "state").mkdir(exist_ok=True)
    (suite / "stay" / "state" / "state.yaml").write_text(yaml.safe_dump({"world": "hotel", **keys}))
    return load_package(suite / "stay")


def rooms(package: Package) -> list[str]:
    backend = open_state(package)
    try:
        return list(backend.snapshot()["rooms"])
    finally:
        backend.close()


def test_a_package_takes_scripts_and_tools_of_its_world(suite: Path) -> None:
    package = built_on(suite)
    assert rooms(package) == ["r1"]
    assert "count" in [tool.name for tool in package.tools.tools]


def test_a_package_is_read_from_its_own_folder(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built_on(suite)
    monkeypatch.chdir(suite / "stay")
    assert rooms(load_package(Path())) == ["r1"]


def test_its_own_keys_and_scripts_come_first_and_further_ones_follow(suite: Path) -> None:
    (suite / "stay" / "state").mkdir()
    (suite / "stay" / "state" / "more.sql").write_text("INSERT INTO rooms VALUES ('r2');")
    package = built_on(suite, clock="2027-01-01T00:00:00Z", seed=["seed.sql", "more.sql"])
    assert rooms(package) == ["r1", "r2"]
    spec = state_of(package)
    assert spec is not None
    assert spec.clock.today.year == 2027
    (suite / "stay" / "state" / "seed.sql").write_text("INSERT INTO rooms VALUES ('r9');")
    assert rooms(built_on(suite)) == ["r9"]


def test_a_package_changes_with_its_world(suite: Path) -> None:
    before = built_on(suite).digest
    (suite / "worlds" / "hotel" / "seed.sql").write_text("INSERT INTO rooms VALUES ('r3');")
    assert built_on(suite).digest != before


def test_a_package_from_a_log_opens_the_same_state(suite: Path) -> None:
    package = built_on(suite)
    assert rooms(Package.of_plain(package.as_plain)) == rooms(package)


@pytest.mark.parametrize("name", ["motel", "../hotel", "", 7])
def test_a_world_that_is_not_there_is_one_fault(suite: Path, name: object) -> None:
    with pytest.raises(PackageError) as failure:
        built_on(suite, world=name)
    text = str(failure.value)
    assert "no name of a folder" in text or f"{suite / 'worlds' / 'motel' / 'state.yaml'}: cannot be read" in text


def test_a_fault_of_the_world_is_placed_there(suite: Path) -> None:
    (suite / "worlds" / "hotel" / "state.yaml").write_text("clock: [\n")
    with pytest.raises(PackageError, match=str(suite / "worlds" / "hotel" / "state.yaml")):
        built_on(suite)


def test_nothing_outside_of_package_and_worlds_is_read(suite: Path) -> None:
    (suite / "secret.sql").write_text("CREATE TABLE secret (id TEXT PRIMARY KEY);")
    (suite / "worlds" / "hotel" / "seed.sql").unlink()
    (suite / "worlds" / "hotel" / "seed.sql").symlink_to(suite / "secret.sql")
    with pytest.raises(PackageError, match="leads out of the package"):
        built_on(suite)
