"""An importer that another distribution offers: its files are collected, and its checkout gives tasks their words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.tasks.importers.foreign import sha256
from tests.tasks.importers.test_registry import PLANTS, install

TEXT = "--t2a-interface=text"
PROMPT = "Water 12 pots."


@pytest.fixture(autouse=True)
def site(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = pytester.path / "site"
    folder.mkdir()
    (folder / "t2a_plants.py").write_text(PLANTS)
    install(folder, "plants", "plants = t2a_plants:FORMAT")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def checkout(pytester: pytest.Pytester) -> Path:
    folder = pytester.path / "garden"
    folder.mkdir()
    (folder / "pots.plant").write_text(f"{PROMPT}\n")
    return folder


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Path:
    """A compiled task without words of its own."""
    path = pytester.path / "suites" / "plants.yaml"
    path.parent.mkdir()
    path.write_text(
        "id: plants/pots\nintentions: {pots: {say: '12', kind: number}}\nvalue: pots\n"
        f"source: {{benchmark: plants, task: pots, prompt_sha256: {sha256(PROMPT)}}}\n"
    )
    return path


def test_its_files_are_collected_as_proposed_tasks(run: Run, checkout: Path) -> None:
    result = run(checkout, TEXT, "--t2a-report=report")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    (row,) = [json.loads(line) for line in Path("report/results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (row["said"], row["proposed"], row["suite"]) == (PROMPT, True, "plants")


def test_its_checkout_gives_tasks_their_words(run: Run, suite: Path, checkout: Path) -> None:
    result = run(suite, TEXT, f"--t2a-checkout=plants={checkout}")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*talk2agent: *checkout plants=*--t2a-checkout*", "GATE PASSED"])


def test_the_ini_key_is_relative_to_its_file(run: Run, pytester: pytest.Pytester, suite: Path, checkout: Path) -> None:
    pytester.makeini(f"[pytest]\nt2a_checkout = plants = {checkout.name}\nt2a_interface = text\n")
    result = run(suite)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["GATE PASSED"])


def test_without_a_checkout_one_line_says_how_to_name_it(run: Run, suite: Path) -> None:
    result = run(suite, TEXT)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    result.stdout.fnmatch_lines(["*plants.yaml:1:5: *name a checkout of it with --t2a-checkout=plants=PATH"])


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("plant=garden", "--t2a-checkout: `plant` is no benchmark whose words can be read; did you mean `plants`?"),
        ("plants", "--t2a-checkout: 'plants' is not NAME=PATH; *"),
    ],
)
def test_a_name_that_nobody_offers_ends_the_run(run: Run, suite: Path, named: str, why: str) -> None:
    result = run(suite, TEXT, f"--t2a-checkout={named}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {why}"])


def test_an_offer_that_cannot_be_loaded_is_an_error_and_no_missing_task(run: Run, site: Path, checkout: Path) -> None:
    install(site, "gone", "gone = no_such_module:FORMAT")
    result = run(checkout, TEXT)
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    result.stdout.fnmatch_lines(["*importer 'gone': cannot load no_such_module:FORMAT: *mend or uninstall it*"])
