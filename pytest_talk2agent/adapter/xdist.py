"""The xdist controller: it owns the model server, and receives the plans of its workers.

Apart, since only hooks that xdist itself calls need these functions: nothing has to know under which name xdist was
loaded.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.adapter.opening import begin, gatekeeper_key
from pytest_talk2agent.adapter.plan import Plan
from pytest_talk2agent.adapter.runloop import REJECTED
from pytest_talk2agent.adapter.voice_session import voice_of


def configure_worker(node: Any) -> None:
    """Tell a worker, also one that replaces a dead one, where the model server answers and where its plan is to go."""
    address = asdict(begin(node.config).server)
    node.workerinput["t2a"] = {**address, "plan": str(_place(node))}


def take_plan(node: Any) -> None:
    """Take over what a worker has planned; raises pytest.UsageError where nothing may run."""
    plan = Plan.read(_place(node))
    if plan is None:
        return
    node.config.stash[gatekeeper_key].follow(plan)
    if plan.refusal is not None:
        raise pytest.UsageError(plan.refusal)


def take_remarks(node: Any) -> None:
    """Collect the records that a worker rejected; a worker that died reports none."""
    gatekeeper = node.config.stash.get(gatekeeper_key, None)
    output = getattr(node, "workeroutput", None)  # xdist gives it to a worker that has finished
    if gatekeeper is not None and output is not None:
        gatekeeper.rejected.extend(output.get(REJECTED, ()))


def _place(node: Any) -> Path:
    owner = voice_of(node.config).owner
    assert owner is not None, "workers are told where it listens"
    return owner.folder / f"{node.gateway.id}.json"
