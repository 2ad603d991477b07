"""One trial of each control, and of an agent of this project, in containers of podman.

``T2A_PODMAN_IMAGE`` names an image that is here and has bash; without it, or without podman, this is skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_talk2agent.execution.harbor.engines import why_not
from pytest_talk2agent.execution.harbor.folder import HarborTasks
from pytest_talk2agent.execution.harbor.trials import HarborTrials
from pytest_talk2agent.tasks.task import Task
from tests.execution.harbor.conftest import FILES, PROMPT, write_task

pytestmark = pytest.mark.usefixtures("harbor")

OVERLAY = "services:\n  main:\n    network_mode: none\n    stop_grace_period: 1s\n"


def test_containers_of_podman(compiled: Task, tmp_path: Path) -> None:
    image = os.environ.get("T2A_PODMAN_IMAGE")
    if image is None:
        pytest.skip("T2A_PODMAN_IMAGE names no image")
    if why := why_not("podman"):
        pytest.skip(f"podman: {why}")
    toml = FILES["task.toml"].replace(
        '[environment]\nnetwork_mode = "no-network"\n', f'[environment]\ndocker_image = "{image}"\nworkdir = "/app"\n'
    )
    folder = write_task(tmp_path / "tasks" / "word", {"task.toml": toml})
    (folder / "environment" / "Dockerfile").unlink()
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(OVERLAY)
    (tmp_path / "script.yaml").write_text("- {task: own/word, commands: [cat notes.txt, echo pelican > word.txt]}\n")
    # Harbor would delete the image with the container, and nobody could get it again.
    settings = {"delete": False, "extra_docker_compose": [str(overlay)]}
    tasks = HarborTasks(folder.parent)
    found = {}
    for agent in ("oracle", "nop", f"scripted:{tmp_path}/script.yaml"):
        record = HarborTrials(agent, tasks, environment="podman", settings=settings).run(compiled, PROMPT)
        found[agent.partition(":")[0]] = (record.state, str(record.score), record.reason)
    assert found == {
        "oracle": ("scored", "1", ""),
        "nop": ("scored", "0", ""),
        "scripted": ("scored", "1", ""),
    }
