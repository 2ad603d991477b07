"""The adapter on the real ``desktop_env``, without a virtual machine: a contract test and no run of OSWorld.

``T2A_DESKTOP_ENV`` names a folder with the package, and ``T2A_DESKTOP_ENV_PYTHON`` an interpreter that has what its
metrics import.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_talk2agent.execution.osworld.trials import OsworldTrials, Settings
from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.tasks.task import Task
from tests.execution.osworld.conftest import PROMPT

HERE = Path(__file__).parent


def test_the_real_environment_resets_steps_and_evaluates(
    checkout: Path, compiled: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, python = (os.environ.get(name) for name in ("T2A_DESKTOP_ENV", "T2A_DESKTOP_ENV_PYTHON"))
    if not package or not python:
        pytest.skip("T2A_DESKTOP_ENV and T2A_DESKTOP_ENV_PYTHON name no desktop_env")
    (checkout / "desktop_env").symlink_to(Path(package) / "desktop_env")
    (tmp_path / "local_desktop.py").write_text((HERE / "local_desktop.py").read_text())
    monkeypatch.setattr("pytest_talk2agent.execution.trial.RETRIES", 0)
    found: list[TrialRecord] = []
    for said in (PROMPT, "Set the theme to park."):
        settings = Settings(
            **{"class": "local_desktop:LocalDesktop"},
            python=python,
            environment={"root": str(tmp_path / str(len(found)))},
            settle=0,
            settle_end=0,
            pause=0,
        )
        trials = OsworldTrials("osworld:own_agent:Obedient", checkout, None, settings)
        found.append(trials.run(compiled, said))
    assert [(record.state, str(record.score), record.reason) for record in found] == [
        ("scored", "1", ""),
        ("scored", "0", ""),
    ]
    assert all(record.received_sha256 == record.key.transcript_sha256 for record in found)
