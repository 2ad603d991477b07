"""A world, laid out outside of the sandbox, in a folder of the test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pytest_talk2agent.execution.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World({"kept": True, "lost": False}, "def grade(): ...", tmp_path / "workspace", tmp_path / "bin")


def test_states(world: World) -> None:
    assert world.holds("kept")
    assert not world.holds("lost")
    with pytest.raises(KeyError, match=r"other is no intention and no fixed criterion of the task.*kept.*lost"):
        world.holds("other")


def test_files(world: World, tmp_path: Path) -> None:
    world.write("results/deep/a.txt", "ä")
    world.write("b.bin", b"\0\1")
    world.place(tmp_path / "log" / "chat.json", "[]")
    assert (world.root / "results/deep/a.txt").read_text(encoding="utf-8") == "ä"
    assert (world.root / "b.bin").read_bytes() == b"\0\1"
    assert (tmp_path / "log" / "chat.json").read_text() == "[]"


def test_transcript(world: World) -> None:
    world.say("done", ["ls", "pwd"])
    (message,) = world.transcript
    assert message["type"] == "message"
    assert message["message"] == {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "done"},
            {"type": "tool_use", "name": "exec", "input": {"command": "ls"}},
            {"type": "tool_use", "name": "exec", "input": {"command": "pwd"}},
        ],
    }


def test_judge(world: World) -> None:
    assert world.completion("?") == "{}"
    world.judge({"märk": 1})
    assert world.completion("?") == '{"märk": 1}'
    world.judge(lambda prompt: f"about {prompt}")
    assert world.completion("tea") == "about tea"


def test_servers(world: World) -> None:
    world.serve("http://localhost:1/a", {"n": 1})
    world.serve("http://localhost:1/", lambda url, body: f"{url} {body!r}")
    assert world.response("http://localhost:1/a/b", None) == b'{"n": 1}'
    assert world.response("http://localhost:1/c", b"x") == b"http://localhost:1/c b'x'"
    assert world.response("http://localhost:2/", None) is None


def test_programs_and_modules(world: World, tmp_path: Path) -> None:
    world.program("ffprobe", "#!/bin/sh\necho 30.0\n")
    world.module("fitz", open=len)
    done = subprocess.run([str(tmp_path / "bin" / "ffprobe")], capture_output=True, text=True, check=True)
    assert done.stdout == "30.0\n"
    assert os.access(tmp_path / "bin" / "ffprobe", os.X_OK)
    assert world.modules == {"fitz": {"open": len}}


def test_the_graders_source_can_be_read(world: World) -> None:
    assert world.grader == "def grade(): ..."
