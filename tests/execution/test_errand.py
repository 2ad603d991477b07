"""What of a run is executed, and a run of trials that is killed and goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.execution.errand import errands_of
from pytest_talk2agent.judging.judgement import Label
from tests.execution.agents.conftest import load
from tests.results.builders import result


def test_the_transcripts_of_a_run_with_what_the_projection_says(tmp_path: Path) -> None:
    task = load(tmp_path)
    row = replace(result(task="own/move"), task_sha256=task.content_hash)
    findings = dict.fromkeys(("source", "target"), next(iter(row.judgement.findings.values())))
    labels = {"source": Label.OMITTED, "target": Label.RETAINED}
    findings = {name: replace(finding, label=labels[name]) for name, finding in findings.items()}
    row = replace(row, judgement=replace(row.judgement, findings=findings))
    (errand,) = errands_of([task], [row, replace(row, task="own/other")])
    assert (errand.transcript, errand.condition, errand.take) == (row.transcript.text, row.condition, row.take)
    assert errand.predicted == Fraction(3, 4)
    with pytest.raises(ValueError, match="own/move has changed since the run"):
        errands_of([task], [replace(row, task_sha256="0" * 64)])
    with pytest.raises(ValueError, match="no transcript of a task with `execution`"):
        errands_of([task], [replace(row, task="own/other")])


@pytest.mark.usefixtures("sandbox")
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    load(tmp_path)
    words = [sys.executable, "-m", "pytest_talk2agent.cli", "execute", str(tmp_path / "task.yaml"), "--agent", "oracle"]
    words += ["--rounds", "12", "--records", str(tmp_path / "records")]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    chance = random.Random(5)
    for _ in range(3):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=environment)
        before = _lines(tmp_path)
        end = time.monotonic() + 20
        while _lines(tmp_path) == before and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(chance.random() / 10)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(words, capture_output=True, encoding="utf-8", env=environment, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "1 task, 12 trials, mean 1.000"
    rounds = []
    for path in (tmp_path / "records").glob("*.jsonl"):
        rounds += [json.loads(line)["key"]["round"] for line in path.read_bytes().split(b"\n")[:-1]]
    assert sorted(rounds) == list(range(1, 13))


def _lines(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (folder / "records").glob("*.jsonl"))
