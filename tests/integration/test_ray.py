"""``--t2a-engine=ray[:ADDRESS]``: the rows are those of the local engine, also when a node is lost on the way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PERFECT, PORT, TASKS, lines_of, write_tone
from tests.engine.ray_cluster import two_nodes

TAKES = ("amy", "bob", "joe", "kim", "lea", "max")
GATED = '''
"""A recogniser that says on which node it is asked for what, and waits there until the test says go."""
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


class Recogniser:
    def transcribe(self, batch):
        ray = sys.modules.get("ray")
        node = ray.get_runtime_context().get_node_id() if ray is not None and ray.is_initialized() else "here"
        for utterance in batch:
            with (HERE / "asked.txt").open("a") as stream:
                stream.write(f"{node} {utterance.path.stem}\\n")
        while not (HERE / "go").exists():
            time.sleep(0.05)
        return [(HERE / "text.txt").read_text() for _ in batch]
'''
OPTIONS = ("-p", "no:cacheprovider", "--t2a-interface=python:gated_asr:Recogniser")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Path:
    """One task with six recordings, and ``python:gated_asr:Recogniser`` to hear them."""
    for index, take in enumerate(TAKES):
        write_tone(pytester.path / "audio" / f"{take}.wav", 300.0 + 50 * index)
    recordings = ", ".join(f"{{audio: audio/{take}.wav, speaker: {take}}}" for take in TAKES)
    pytester.makepyfile(gated_asr=GATED)
    pytester.makeini("[pytest]\npythonpath = .\n")
    (pytester.path / "text.txt").write_text(PERFECT[PORT], encoding="utf-8")
    path = pytester.path / "tasks.yaml"
    path.write_text(f"{TASKS.split('---')[1].lstrip()}recordings: [{recordings}]\n", encoding="utf-8")
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """The rows of a report by item, without the time that a transcription took; xdist's come as items finish."""
    rows = [json.loads(line) for line in lines_of(folder / "results.jsonl")]
    for row in rows:
        del row["transcript"]["elapsed"]
    return sorted(rows, key=lambda row: str(row["node"]))


def run(pytester: pytest.Pytester, suite: Path, name: str, *options: str) -> list[dict[str, Any]]:
    """The rows of a run that passes, with a store of its own."""
    result = pytester.runpytest_subprocess(suite, *OPTIONS, f"--t2a-store={name}", f"--t2a-report={name}", *options)
    result.assert_outcomes(passed=len(TAKES))
    assert result.stderr.lines == []
    return rows_of(pytester.path / name)


def asked(pytester: pytest.Pytester) -> list[tuple[str, str]]:
    """Node and recording of each call."""
    pairs = [line.split() for line in lines_of(pytester.path / "asked.txt")]
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_the_rows_of_two_nodes_are_the_local_ones(
    pytester: pytest.Pytester, suite: Path, cluster: Any, workers: tuple[str, ...]
) -> None:
    (pytester.path / "go").touch()
    local = run(pytester, suite, "local")
    (pytester.path / "asked.txt").unlink()
    assert run(pytester, suite, "ray", f"--t2a-engine=ray:{cluster.address}", *workers) == local
    assert sorted(take for _, take in asked(pytester)) == sorted(TAKES)
    assert "here" not in {node for node, _ in asked(pytester)}


def test_ray_on_this_machine_is_started_and_ended(pytester: pytest.Pytester, suite: Path, cluster: Any) -> None:
    (pytester.path / "go").touch()
    local = run(pytester, suite, "local")
    assert run(pytester, suite, "ray", "--t2a-engine=ray") == local
    nodes = {node for node, _ in asked(pytester)} - {"here"}
    assert len(nodes) == 1
    assert not nodes & {node.node_id for node in cluster.list_all_nodes()}, "a cluster of its own"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_node_that_is_killed_costs_no_row(
    pytester: pytest.Pytester, suite: Path, cluster: Any, workers: tuple[str, ...]
) -> None:
    if not cluster.worker_nodes:
        cluster.add_node(num_cpus=1)
    [second] = cluster.worker_nodes
    command = [sys.executable, "-m", "pytest", str(suite), *OPTIONS, f"--t2a-engine=ray:{cluster.address}", *workers]
    running = subprocess.Popen(
        [*command, "--t2a-store=ray", "--t2a-report=ray"], cwd=pytester.path, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        while len({node for node, _ in asked(pytester)}) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        under_way = dict(asked(pytester))
        assert set(under_way) == {node.node_id for node in cluster.list_all_nodes()}, "both are at work"
        cluster.remove_node(second, allow_graceful=False)
        (pytester.path / "go").touch()
        assert running.wait(timeout=120) == 0
    finally:
        running.kill()
        running.wait()
    lost, kept = under_way[second.node_id], under_way[cluster.head_node.node_id]
    calls = asked(pytester)
    assert [node for node, take in calls if take == lost] == [second.node_id, cluster.head_node.node_id]
    assert sorted(take for _, take in calls) == sorted([*TAKES, lost]), "nothing else was heard twice"
    assert kept != lost
    assert rows_of(pytester.path / "ray") == run(pytester, suite, "local")


def test_an_interrupted_run_leaves_ray_in_order(pytester: pytest.Pytester, suite: Path, cluster: Any) -> None:
    command = [sys.executable, "-m", "pytest", str(suite), *OPTIONS, f"--t2a-engine=ray:{cluster.address}"]
    # A shell starts what runs in its background with SIGINT ignored, and whoever is started then inherits that.
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=pytester.path, preexec_fn=heeds, **streams) as running:
        try:
            deadline = time.monotonic() + 60
            while not asked(pytester) and time.monotonic() < deadline:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, said) == (pytest.ExitCode.INTERRUPTED, "")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_a_missing_ray_is_told_with_the_way_to_install_it(pytester: pytest.Pytester, suite: Path) -> None:
    result = pytester.runpytest_subprocess(suite, *OPTIONS, "--t2a-engine=ray")
    assert result.ret != 0
    said = f"{result.stdout.str()}{result.stderr.str()}"
    assert '--t2a-engine=ray needs the package ray; pip install "pytest-talk2agent[ray]"' in said
    assert not (pytester.path / "asked.txt").exists()
