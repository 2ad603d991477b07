"""A Ray cluster of two nodes on this machine, one CPU each, ended by whoever started it; and what to transcribe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.interfaces.protocol import Batch
from pytest_talk2agent.interfaces.utterance import Utterance
from pytest_talk2agent.speech.noise import silence

# A node that is gone is to be noticed in a second, not in a quarter of a minute.
_WATCHFUL = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 300, "health_check_failure_threshold": 3}


@contextlib.contextmanager
def two_nodes() -> Iterator[Any]:
    """The cluster: its ``address``, ``head_node`` and ``worker_nodes``; skips the test where Ray is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        # Ray would write a token into the home folder, which is another one for the runs that pytester starts.
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        pytest.importorskip("ray")
        from ray.cluster_utils import Cluster

        cluster = Cluster(
            initialize_head=True,
            head_node_args={"num_cpus": 1, "include_dashboard": False, "_system_config": _WATCHFUL},
        )
        try:
            cluster.add_node(num_cpus=1)
            yield cluster
        finally:
            cluster.shutdown()


def batch_of(*names: str) -> Batch:
    """Utterances of these names, numbered from 0 up."""
    audio = silence()
    return [(number, Utterance(name, "amy", "", "", Path(f"{name}.wav"), audio)) for number, name in enumerate(names)]
