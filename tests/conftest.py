"""Shared fixtures: a small suite in a fresh directory, and the three ways in which pytest may run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jiwer  # noqa: F401 - at the top: pytester forgets what a test imports, and some packages load only once
import numpy as np
import pytest
import scipy.stats  # noqa: F401
import soundfile
import soxr  # noqa: F401
from hypothesis import settings

import pytest_talk2agent.adapter.collect
import pytest_talk2agent.adapter.gatekeeper
import pytest_talk2agent.cli
import pytest_talk2agent.engine.evaluation
import pytest_talk2agent.engine.job_client
import pytest_talk2agent.engine.owner
import pytest_talk2agent.engine.server
import pytest_talk2agent.judging.lexical  # noqa: F401

pytest_plugins = ["pytester"]

settings.register_profile("project", deadline=None)  # no test depends on how busy the machine is
settings.load_profile("project")

TASKS = """\
id: files/copy-report
tags: [copy]
instruction: Copy report_final.docx to /srv/archive and do not overwrite anything.
script: copy report underscore final dot doc x to slash s r v slash archive and do not overwrite anything
intentions:
  file: {say: report_final.docx, kind: filename}
  target: {say: /srv/archive, kind: path}
  keep: {say: do not overwrite anything, kind: gist, keywords: [[overwrite]], contrary: [and overwrite]}
value: gate(all(file, target), 0.7 + 0.3*keep)
---
id: files/set-port
tags: [service]
instruction: Set the port to 8080 and restart nginx.
script: set the port to eighty eighty and restart nginx
intentions:
  port: {say: "8080", kind: number}
  service: {say: nginx, kind: term}
value: 0.5*port + 0.5*service
"""
REPORT, PORT = "files/copy-report", "files/set-port"
PERFECT = {
    REPORT: "Copy report_final.docx to /srv/archive and do not overwrite anything.",
    PORT: "Set the port to 8080 and restart nginx.",
}
LOSSY = PERFECT | {PORT: "Set the port to 8081 and restart nginx."}

Transcripts = Callable[..., Path]


@pytest.fixture(autouse=True)
def _outside_github(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


FOREIGN = ("anyio", "hypothesispytest", "platformdirs")  # plugins of packages that the tests need and their runs do not


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Runs of pytest that load our plugin and xdist: what else is installed costs each of them a fifth of its time."""
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in FOREIGN))
    return pytester


@pytest.fixture
def tasks(pytester: pytest.Pytester) -> Path:
    """A task file of two tasks without recordings."""
    path = pytester.path / "tasks.yaml"
    path.write_text(TASKS, encoding="utf-8")
    return path


@pytest.fixture
def transcripts(pytester: pytest.Pytester) -> Transcripts:
    """Write a transcripts file: task id to text."""

    def write(texts: dict[str, str], name: str = "asr.jsonl") -> Path:
        path = pytester.path / name
        lines = [json.dumps({"task": task, "transcript": text}) for task, text in texts.items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


MODES = {"alone": (), "workers": ("-n", "2"), "without-xdist": ("-p", "no:xdist")}
Run = Callable[..., pytest.RunResult]


@pytest.fixture(params=MODES)
def run(request: pytest.FixtureRequest, pytester: pytest.Pytester) -> Run:
    """Run pytest in each of the three modes, in a process of its own."""
    mode: str = request.param
    if mode == "workers":
        pytest.importorskip("xdist")

    def runs(*arguments: object) -> pytest.RunResult:
        return pytester.runpytest_subprocess(*MODES[mode], "-p", "no:cacheprovider", *map(str, arguments))

    return runs


@pytest.fixture
def alone(pytester: pytest.Pytester) -> Run:
    """Run pytest in this process, without xdist: for what does not depend on who runs the items."""

    def runs(*arguments: object) -> pytest.RunResult:
        return pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider", *map(str, arguments))

    return runs


FAKE_ASR = '''
"""A recogniser that knows what each recording says, and counts how often it is loaded and asked."""
import json
import os
from pathlib import Path

HERE = Path(__file__).parent


class Recogniser:
    loaded = False

    def identity(self):
        return {"weights": "none"}

    def transcribe(self, batch):
        if not self.loaded:
            with (HERE / "loads.txt").open("a") as stream:
                stream.write(f"{os.getpid()}\\n")
            self.loaded = True
        texts = json.loads((HERE / "texts.json").read_text())
        with (HERE / "asked.txt").open("a") as stream:
            stream.writelines(f"{utterance.path.name}\\n" for utterance in batch)
        return [texts[utterance.path.stem] for utterance in batch]
'''


def write_tone(path: Path, frequency: float = 440.0, seconds: float = 2.0) -> Path:
    """A sound that is no speech: enough for a recogniser that goes by file names, and long enough for what it says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    time = np.arange(round(16_000 * seconds)) / 16_000
    soundfile.write(path, 0.3 * np.sin(2 * np.pi * frequency * time), 16_000)
    return path


@pytest.fixture
def heard_tasks(pytester: pytest.Pytester) -> Path:
    """The two tasks, each with a recording, and ``python:fake_asr:Recogniser`` to hear them without a loss."""
    documents = []
    for index, (document, name) in enumerate(zip(TASKS.split("---\n"), ("report", "port"), strict=True)):
        write_tone(pytester.path / "audio" / f"{name}.wav", 300.0 + 100 * index)
        documents.append(f"{document}recordings: [{{audio: audio/{name}.wav, speaker: amy}}]\n")
    pytester.makepyfile(fake_asr=FAKE_ASR)
    pytester.makeini("[pytest]\npythonpath = .\n")
    texts = {"report": PERFECT[REPORT], "port": PERFECT[PORT]}
    (pytester.path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    path = pytester.path / "heard.yaml"
    path.write_text("---\n".join(documents), encoding="utf-8")
    return path


def lines_of(path: Path) -> list[str]:
    """The lines of a file, none where there is no file."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
