"""The kernel's own limit on processes, for root."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from pytest_talk2agent.execution import sandbox as sandbox_module
from pytest_talk2agent.execution.sandbox import Sandbox
from pytest_talk2agent.execution.session import AGENT_LIMITS
from pytest_talk2agent.execution.task_group import TaskGroup, task_group
from pytest_talk2agent.execution.usage import Usage


@pytest.fixture(autouse=True)
def _possible() -> None:
    with task_group(10) as group:
        if group is None:
            pytest.skip("nobody may make a group of the pids controller here")


def test_it_refuses_the_next_process_and_is_gone_afterwards() -> None:
    with task_group(4) as group:
        assert group is not None
        done = subprocess.run(group.inside(["/bin/sh", "-c", "true; echo $?"]), capture_output=True, check=False)
        assert (done.stdout, group.exceeded) == (b"0\n", False)
        words = group.inside(["/bin/sh", "-c", "for n in 1 2 3 4 5 6; do sleep 0.2 & done; wait"])
        subprocess.run(words, capture_output=True, check=False)
        assert group.exceeded
        folder = group._folder
    assert not folder.exists()


def test_a_bomb_is_held_without_a_look_at_it(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "usage_of", lambda *_: Usage(0, 0))
    limits = dataclasses.replace(AGENT_LIMITS, seconds=20, tasks=30)
    ended = sandbox.call(["bash", "-c", ":(){ :|:& };: ; sleep 5"], b"", limits)
    assert ended.stopped == "it had more than 30 processes at a time"


def test_where_none_can_be_made_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with task_group(4) as group:
        assert group is None


def test_a_group_needs_its_files(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"pids\.max"):
        TaskGroup(tmp_path / "nowhere", 4)
