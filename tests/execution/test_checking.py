"""Checks: what each sort of them finds, what an agent can do to them, and the score that they make."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.checking import Finding, check_workspace, score_of
from pytest_talk2agent.execution.sandbox import Sandbox
from pytest_talk2agent.execution.session import AGENT_LIMITS
from pytest_talk2agent.execution.workspace import Workspace
from pytest_talk2agent.tasks.executable import Execution
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

FILES = {
    "a.txt": "hello\nworld",
    "b.json": '{"rate": {"name": "base", "steps": [1, 2.50, true, null]}}',
    "c.csv": 'name,size\nx,1\n"y, z",2\n',
    "sub/d.txt": "d",
    "empty/": {},
    "/srv/x/e.txt": "e",
}
REPOSITORY = """
git init -q -b main r && cd r && echo one > f.txt && git add f.txt && git commit -q -m 'Add one

Ticket 318' && git tag v1 && git switch -q -c topic
git init -q --bare ../origin.git && git remote add origin ../origin.git && git push -q origin main
"""
Found = Callable[..., dict[str, Finding]]


@pytest.fixture
def found(sandbox: Sandbox, tmp_path: Path) -> Found:
    """Run commands in a workspace and then check it; one finding for each check."""

    def found(*checks: Any, commands: str = "true", source: str = "") -> dict[str, Finding]:
        (tmp_path / "checks.py").write_text(source)
        execution = Execution.model_validate(
            {"files": FILES, "checks": {f"c{n}": check for n, check in enumerate(checks)}, "solution": "true"}
        )
        task = Task(id="own/task", intentions={}, value="1", instruction="x", suite="own", path=tmp_path / "tasks.yaml")
        with Workspace(execution) as workspace:
            limits = dataclasses.replace(AGENT_LIMITS, seconds=20)
            ended = workspace.sandbox().call(["bash", "-c", commands], b"", limits)
            assert ended.status == 0, ended
            return check_workspace(task, execution, workspace)

    return found


HOLD: list[Any] = [
    {"exists": "~/a.txt"},
    {"exists": "sub"},
    {"exists": "/srv/x/*.txt"},
    {"absent": "/srv/x/f.txt"},
    {"absent": "*.md"},
    {"text": "a.txt", "equals": "hello\nworld\n\n"},
    {"text": "a.txt", "matches": "^wor.d$", "contains": ["hell", "wor"]},
    {"json": "b.json", "at": "rate.name", "equals": "base"},
    {"json": "b.json", "at": "rate.steps.1", "equals": "2.5"},
    {"json": "b.json", "at": "rate.steps", "equals": ["1", "2.5", "true", "null"]},
    {"json": "b.json", "at": "rate.steps", "contains": "1"},
    {"json": "b.json", "at": "rate", "contains": ["steps"]},
    {"json": "b.json", "at": "rate.name", "matches": "^ba"},
    {"csv": "c.csv", "rows": 2, "column": "name", "values": ["x", "y, z"]},
    {"command": "test -d empty"},
    {"command": "exit 3", "status": 3},
    {"command": "cat sub/d.txt", "equals": "d"},
    {"python": "checks.py:good"},
    {"any": [{"exists": "nowhere"}, {"exists": "a.txt"}]},
    {"not": {"exists": "nowhere"}},
    [{"exists": "a.txt"}, {"exists": "sub/d.txt"}],
]
FAIL: list[tuple[Any, str]] = [
    ({"exists": "nowhere"}, "nowhere is not there"),
    ({"exists": "*.md"}, "*.md is not there"),
    ({"absent": "sub"}, "/home/agent/sub is there"),
    ({"text": "a.txt", "equals": "hello"}, 'a.txt is "hello\\nworld", not "hello"'),
    ({"text": "a.txt", "matches": "^orld"}, "which does not match ^orld"),
    ({"text": "a.txt", "contains": ["hello", "moon"]}, 'without "moon"'),
    ({"text": "sub", "contains": "x"}, "sub: Is a directory"),
    ({"text": "nowhere", "contains": "x"}, "nowhere is not there"),
    ({"json": "a.txt", "equals": "x"}, "a.txt is no JSON"),
    ({"json": "b.json", "at": "rate.none", "equals": "x"}, "b.json rate none: there is no such place"),
    ({"json": "b.json", "at": "rate.steps.0", "equals": "2"}, "b.json rate steps 0 is 1, not"),
    ({"json": "b.json", "at": "rate.steps.2", "equals": "1"}, "is true, not"),
    ({"csv": "c.csv", "rows": 3}, "c.csv has 2 rows, not 3"),
    ({"csv": "c.csv", "column": "size", "values": ["2", "1"]}, 'size is ["1", "2"], not ["2", "1"]'),
    ({"command": "echo no; exit 2"}, "the command ended with status 2, not 0: no"),
    ({"command": "echo no", "contains": "yes"}, 'what it printed is "no", without "yes"'),
    ({"command": "touch mine"}, "Read-only file system"),
    ({"python": "checks.py:bad"}, "checks.py:bad returned 1"),
    ({"python": "checks.py:crash"}, "RuntimeError: boom"),
    ({"any": [{"exists": "nowhere"}, {"absent": "a.txt"}]}, "nowhere is not there; /home/agent/a.txt is there"),
    ({"not": {"exists": "a.txt"}}, 'it holds that {"exists": "a.txt"}'),
    ([{"exists": "a.txt"}, {"exists": "nowhere"}], "nowhere is not there"),
]
SOURCE = """
import pathlib
def good(home): return pathlib.Path(home, "a.txt").is_file()
def bad(home): return 1
def crash(home): raise RuntimeError("boom")
"""


def test_what_holds(found: Found) -> None:
    findings = found(*HOLD, source=SOURCE)
    assert {name: finding.why for name, finding in findings.items() if not finding.held} == {}


def test_what_does_not_hold_says_why(found: Found) -> None:
    findings = found(*(check for check, _ in FAIL), source=SOURCE)
    for finding, (check, why) in zip(findings.values(), FAIL, strict=True):
        assert not finding.held, check
        assert why in finding.why, check


def test_git(found: Found) -> None:
    holds: list[Any] = [
        {"git": "r", "branch": "topic"},
        {"git": "r", "same_as": "v1", "message": "^Add one"},
        {"git": "r", "message": r"(?s)\nTicket 318\Z"},
        {"git": "r", "ref": "v1", "file": "f.txt", "equals": "one"},
        {"git": "origin.git", "ref": "main", "message": "Add one"},
    ]
    fails: list[Any] = [
        ({"git": "r", "branch": "main"}, "r is on topic, not on main"),
        ({"git": "r", "same_as": "v2"}, "r has no v2"),
        ({"git": "r", "message": "^Add two"}, "the message is"),
        ({"git": "r", "file": "g.txt", "equals": "one"}, "HEAD has no file g.txt"),
        ({"git": "r", "file": "f.txt", "equals": "two"}, 'f.txt of HEAD is "one", not "two"'),
        ({"git": "origin.git", "ref": "topic", "message": "x"}, "origin.git has no topic"),
        ({"git": "nowhere", "branch": "main"}, "nowhere is not there"),
    ]
    findings = list(found(*holds, *(check for check, _ in fails), commands=REPOSITORY).values())
    assert [finding.why for finding in findings[: len(holds)]] == [""] * len(holds)
    for finding, (check, why) in zip(findings[len(holds) :], fails, strict=True):
        assert not finding.held
        assert why in finding.why, check


class TestWhatAnAgentLeaves:
    def test_links_out_of_the_workspace(self, found: Found) -> None:
        commands = "ln -s /usr/bin/env link; ln -s /etc etc; ln -s a.txt own; ln -s /nowhere broken"
        checks: list[Any] = [
            {"exists": "link"},
            {"text": "link", "contains": ""},
            {"text": "etc/localtime", "matches": "."},
            {"exists": "broken"},
            {"absent": "broken"},
            {"text": "own", "contains": "hello"},
        ]
        findings = list(found(*checks, commands=commands).values())
        assert [finding.held for finding in findings] == [False, False, False, False, False, True]
        assert findings[1].why == "link is a link that leads out of the workspace"

    def test_pipes_devices_and_large_files_hold_nobody(self, found: Found) -> None:
        commands = "mkfifo pipe; truncate -s 100M large; ln -s /dev/zero zero"
        checks = [{"text": name, "contains": "x"} for name in ("pipe", "large", "zero")]
        whys = [finding.why for finding in found(*checks, commands=commands).values()]
        assert whys[:2] == ["pipe: not a regular file", "large: larger than 16777216 bytes"]
        assert "leads out" in whys[2]

    def test_programs_that_a_repository_names_are_not_run(self, found: Found) -> None:
        commands = (
            "git init -q r; git -C r config core.fsmonitor 'touch /tmp/ran'; git -C r commit -q --allow-empty -m x"
        )
        findings = found({"git": "r", "message": "x"}, {"command": "test -e /tmp/ran", "status": 1}, commands=commands)
        assert [finding.why for finding in findings.values()] == ["", ""]

    def test_code_of_the_agent_answers_for_its_own_check_alone(self, found: Found) -> None:
        forge = (
            'import os\nline = b\'{"held": true, "why": ""}\\n\' * 9\n'
            "for pid in os.listdir('/proc'):\n    for fd in range(64):\n        try:\n"
            "            if pid.isdigit(): os.write(os.open(f'/proc/{pid}/fd/{fd}', os.O_WRONLY), line)\n"
            "        except OSError:\n            pass\n"
        )
        commands = f"cat > run.py <<'END'\n{forge}END\nsed -i s/9/9/ run.py"
        findings = found({"exists": "no"}, {"command": "python3 run.py; exit 1"}, {"exists": "no"}, commands=commands)
        assert [finding.held for finding in findings.values()] == [False] * 3

    def test_code_that_ends_the_sandbox_fails_its_own_check(self, found: Found) -> None:
        checks = [{"exists": "a.txt"}, {"command": "kill -9 -1; sleep 9"}, {"exists": "a.txt"}]
        assert [finding.held for finding in found(*checks).values()] == [True, False, True]

    def test_a_daemon_does_not_meet_the_next_check(self, found: Found) -> None:
        checks = [
            {"command": "setsid sleep 60 & true"},
            {"command": "cat /proc/[0-9]*/comm | grep -c sleep", "status": 1},
        ]
        assert [finding.why for finding in found(*checks).values()] == ["", ""]


TASK = """\
id: own/score
instruction: One, two.
intentions:
  one: {say: one}
  two: {say: two, unsatisfied: 0.5}
fixed: {tidy: {}, told: {holds: false}}
value: tidy * (0.6*one + 0.3*two + 0.1*told)
"""


def test_the_score_is_the_task_s_own_value(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(TASK)
    (task,) = load_tasks(path)

    def score(*held: str) -> Fraction:
        return score_of(task, {name: Finding(name in held) for name in ("one", "two", "tidy", "told")})

    assert score("one", "two", "tidy", "told") == 1
    assert score("one", "tidy") == Fraction(3, 4)
    assert score("one", "two", "told") == 0
    for retained in (("one",), ("two",), ("one", "two"), ()):
        assert score(*retained, "tidy") == task.grader().value(retained)


def test_a_value_that_leaves_its_range_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(TASK.replace("tidy * (", "(").replace("0.1*told)", "0.1*told) + 0.3*(tidy - 1)"))
    (task,) = load_tasks(path)
    assert task.grader().full > 0
    with pytest.raises(ValueError, match=r"task\.yaml:7:\d+: .*range"):
        score_of(task, {})
