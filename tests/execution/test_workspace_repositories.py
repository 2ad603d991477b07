"""A repository that a task file describes, made in a sandbox and looked at there."""

from __future__ import annotations

import pytest

from pytest_talk2agent.execution.sandbox import Sandbox
from pytest_talk2agent.execution.session import Session
from pytest_talk2agent.execution.workspace import Workspace, commands_of
from pytest_talk2agent.tasks.executable import Execution

EXECUTION = Execution.model_validate(
    {
        "files": {"work/a.txt": "one", "work/sub/b.txt": "b"},
        "git": {
            "work": {
                "branch": "trunk",
                "origin": "/srv/origin.git",
                "commits": [
                    {"message": "It's the first", "tag": "v1"},
                    {"message": "second", "files": {"a.txt": "two 'quoted' %s \\n", "new dir/c.txt": "c"}},
                    {"message": "kept", "files": {"a.txt": "three"}, "tag": "v3", "pushed": False},
                ],
                "staged": {"a.txt": "four"},
            },
            "/srv/empty": {"commits": [{"message": "nothing yet"}]},
        },
        "checks": {"x": {"exists": "a"}},
        "solution": ["true"],
    }
)


def look(command: str) -> list[str]:
    with Workspace(EXECUTION) as workspace:
        session = Session(workspace.sandbox(), 30)
        for each in commands_of(EXECUTION.git):
            step = session.run(each)
            assert step.status == 0, step.output
        return session.run(command).output.splitlines()


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (
            "git -C work log --format=%s%d",
            ["kept (HEAD -> trunk, tag: v3)", "second (origin/trunk)", "It's the first (tag: v1)"],
        ),
        ("git -C work show v1:a.txt v1:sub/b.txt", ["one", "b"]),
        ("git -C work show 'HEAD~1:a.txt' 'HEAD~1:new dir/c.txt'", ["two 'quoted' %s \\n", "c"]),
        ("git -C work status --short", ["M  a.txt"]),
        ("git -C work diff --staged --unified=0 | tail -1", ["+four"]),
        (
            "git -C /srv/origin.git log --format=%s trunk; git -C /srv/origin.git tag",
            ["second", "It's the first", "v1"],
        ),
        ("git -C /srv/empty log --format=%s", ["nothing yet"]),
    ],
)
def test_what_is_there(sandbox: Sandbox, command: str, lines: list[str]) -> None:
    assert look(command) == lines


def test_the_same_description_makes_the_same_commits(sandbox: Sandbox) -> None:
    first, second = look("git -C work rev-parse HEAD"), look("git -C work rev-parse HEAD")
    assert first == second
