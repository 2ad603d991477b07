"""A sandbox, and a small checkout of a benchmark of the tests' own with tasks compiled from it."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution import grader_run
from pytest_talk2agent.execution.sandbox import Limits, Sandbox, SandboxError, Setting

Answers = Callable[..., list[dict[str, Any]]]

NAME = "09_Own_task_1_report"
GRADER = """\
def grade(transcript, workspace_path):
    import json
    from pathlib import Path

    scores = {"title": 0.0, "total": 0.0, "polite": 0.0}
    report = Path(workspace_path) / "results" / "report.json"
    if not report.is_file():
        return {**scores, "overall_score": 0.0}
    data = json.loads(report.read_text())
    scores["title"] = float(data.get("title") == "Harvest")
    scores["total"] = float(data.get("total") == 12)
    scores["polite"] = float(all("please" in json.dumps(message) for message in transcript))
    scores["overall_score"] = round(0.5 * scores["title"] + 0.3 * scores["total"] + 0.2 * scores["polite"], 4)
    return scores
"""
WORLD = '''\
"""Reports with and without what the grader looks for."""

import json

from pytest_talk2agent.execution.world import World

VARIES = ("polite",)


def build(world: World) -> None:
    world.say("please" if world.holds("polite") else "now")
    report = {"title": "Harvest" if world.holds("title") else "Vintage", "total": 12 if world.holds("total") else 21}
    world.write("results/report.json" if world.holds("place") else "report.json", json.dumps(report))
'''
VALUE = "gate(place, 0.5*title + 0.3*total + 0.2*polite)"
TASK = """\
id: own/{name}
intentions:
  place: {{say: results/report.json, kind: path}}
  title: {{say: Harvest, kind: term}}
  total: {{say: "12", kind: number}}
fixed:
  polite: {{note: the agent says please}}
value: {value}
source: {{benchmark: wildclawbench, task: {name}, prompt_sha256: "{prompt}", grader_sha256: "{grader}"}}
"""
PROMPT = "Write results/report.json, titled Harvest, with the total 12."
MARKDOWN = """\
---
id: {name}
category: 09_Own
timeout_seconds: 300
---

## Prompt

{prompt}

## Automated Checks

```python
{grader}
```

## Workspace Path

```
workspace/09_Own/task_1
```
"""


def sha256(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()


def running(name: str) -> list[str]:
    """The command lines of all processes of this machine that have a name in them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if name in (line := path.read_text(errors="replace")):
                found.append(line)
    return found


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return Sandbox(Setting(grader_run.FOLDERS))
    except SandboxError as error:
        pytest.skip(str(error))


@pytest.fixture
def answers(sandbox: Sandbox) -> Answers:
    """Run a grader on a world in some states; one answer each."""

    def run(
        grader: str,
        world: str = "def build(world): pass",
        states: Sequence[Mapping[str, bool]] = ({},),
        seconds: float = 20,
    ) -> list[dict[str, Any]]:
        request = {"grader": grader, "world": world, "states": states, "seconds": seconds}
        ended = sandbox.run(grader_run.__name__, json.dumps(request), Limits(seconds=60))
        assert (ended.status, ended.errors, ended.stopped) == (0, "", "")
        return [json.loads(line) for line in ended.output.splitlines()]

    return run


@dataclass(frozen=True)
class Tree:
    """A checkout, and a folder of task files with their worlds."""

    checkout: Path
    suite: Path

    def add(self, name: str = NAME, *, grader: str = GRADER, value: str = VALUE, world: str | None = WORLD) -> Path:
        """Write one task of the benchmark, its world, and what is said to be compiled from it."""
        original = self.checkout / "tasks" / "09_Own" / f"{name}.md"
        original.parent.mkdir(parents=True, exist_ok=True)
        original.write_text(MARKDOWN.format(name=name, prompt=PROMPT, grader=grader), encoding="utf-8")
        path = self.suite / f"{name}.yaml"
        (self.suite / "worlds").mkdir(parents=True, exist_ok=True)
        text = TASK.format(name=name, value=value, prompt=sha256(PROMPT), grader=sha256(grader))
        path.write_text(text, encoding="utf-8")
        if world is not None:
            (self.suite / "worlds" / f"{name}.py").write_text(world, encoding="utf-8")
        return path


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "checkout", tmp_path / "suite")
