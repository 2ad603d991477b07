"""``--t2a-min-yield`` and ``--t2a-max-false-yield``: who keeps the floor, or leaves it at a murmur, is red."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import Run

SUITE = Path(__file__).parents[2] / "suites" / "workflows"


@pytest.fixture(autouse=True)
def _package(pytester: pytest.Pytester) -> None:
    for name in ("clinic-supply-reorder", "travel-insurance-advice"):
        shutil.copytree(SUITE / name, pytester.path / name)


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("adversary:non-yielder", "yield 0 of 2 < 1"),
        ("adversary:over-yielder", "false yield 1 of 1 > 0"),
        ("oracle", "GATE PASSED"),
    ],
)
@pytest.mark.parametrize("form", ["{}", "spoken:{}"], ids=["text", "sound"])
def test_floor_control_is_gated(run: Run, agent: str, reason: str, form: str) -> None:
    options = ["--t2a-min-yield=1", "--t2a-max-false-yield=0", "--t2a-caller=stand-in"]
    result = run("clinic-supply-reorder", f"--t2a-agent=it={form.format(agent)}", *options)
    assert result.ret == (0 if agent == "oracle" else 1)
    assert reason in "\n".join(result.outlines)


def test_a_suite_in_which_nobody_speaks_over_the_agent_passes_no_limit(alone: Run) -> None:
    result = alone("travel-insurance-advice", "--t2a-agent=oracle", "--t2a-min-yield=0.5")
    assert result.ret == 1
    assert "oracle: yield was not measured: nobody spoke over the agent so" in "\n".join(result.outlines)
