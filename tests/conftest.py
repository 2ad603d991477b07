"""Shared fixtures: a small suite in a fresh directory, and the three ways in which pytest may run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

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
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


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
