"""The shipped projections against the benchmarks themselves, where the environment names checkouts of them.

``T2A_WCB`` and ``T2A_OSWORLD`` are their folders; OSWorld may also lie in the shared data. Nothing of either is in this
repository.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.execution.sandbox import Sandbox
from pytest_talk2agent.execution.verification import Verification, totals_of
from pytest_talk2agent.execution.verifier import Verifier
from pytest_talk2agent.tasks.binding import Checkouts
from pytest_talk2agent.tasks.loader import load_tasks

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "suites"
SHARED = {"osworld": ROOT.parent / "shared" / "data" / "osworld"}


def verified(benchmark: str, variable: str) -> list[Verification]:
    folder = os.environ.get(variable) or SHARED.get(benchmark)
    if not folder or not Path(folder).is_dir():
        pytest.skip(f"{variable} names no checkout of {benchmark}")
    tasks = [task for path in sorted((SUITES / benchmark).glob("*.yaml")) for task in load_tasks(path)]
    assert tasks
    return list(Verifier(Checkouts({benchmark: Path(folder)})).verify(tasks))


def differences(found: list[Verification]) -> Iterator[str]:
    for verification in found:
        for mismatch in verification.mismatches:
            yield f"{verification.task}: {mismatch.where}: {mismatch.compiled} and {mismatch.found}"


def test_wildclawbench(sandbox: Sandbox) -> None:
    found = verified("wildclawbench", "T2A_WCB")
    assert list(differences(found)) == []
    assert totals_of(found).passed
    assert totals_of(found).reasons == {}
    assert sum(verification.compared >= 20 for verification in found) >= 45


def test_osworld() -> None:
    found = verified("osworld", "T2A_OSWORLD")
    assert list(differences(found)) == []
    assert totals_of(found).passed
    assert set(totals_of(found).reasons) <= {"infeasible: the agent must give up"}
