"""The short form of `benchmarks/hostile.py`, and that it sees what it looks for."""

from __future__ import annotations

from pathlib import Path

import hostile
import pytest

from pytest_talk2agent.workflows.agents.policy import Oracle
from pytest_talk2agent.workflows.package.loader import load_package

CLINIC = Path(__file__).parents[2] / "suites" / "workflows" / "clinic-supply-reorder"


def test_hostile_agents_and_broken_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert hostile.main(["--rounds", "20", "--seed", "7"]) == 0
    assert "seed 7, 20 rounds, 0 violations" in capsys.readouterr().out


def test_a_success_that_cannot_be_is_seen() -> None:
    campaign = hostile.Campaign()
    campaign.session("right", load_package(CLINIC), Oracle(), 1, may_succeed=False)
    assert campaign.violations == ["wrong success: right clinic-supply-reorder 1"]
