"""What the model server tells its owner, and what somebody else writes between."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_talk2agent.engine import progress
from pytest_talk2agent.engine.progress import Follower, Progress, Reporter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def test_what_was_said_last_counts(pipe: tuple[int, int]) -> None:
    reporter, follower = Reporter(pipe[1]), Follower(pipe[0])
    reporter.doing(["a", "b"], 2.0)
    reporter.progress(Progress(3, done=1))
    reporter.remarks(["odd", "odd"])
    assert follower.read()
    assert (follower.doing.keys, follower.doing.seconds) == (("a", "b"), 2.0)
    assert (follower.progress, follower.remarks) == (Progress(3, done=1), ["odd"])


@pytest.mark.parametrize(
    "junk",
    [
        *(b"{}", b"[1]", b"7", b"junk", b"", b"\xff\x00", b"[" * 20_000, b"{" + b"9" * 5_000, b'{"doing": ["a"]}'),
        *(b'{"doing": 7, "seconds": 1}', b'{"doing": [], "seconds": "long"}'),
        *(b'{"progress": {"all": 1}}', b'{"progress": 7}'),
    ],
)
def test_what_is_no_message_is_passed_over(pipe: tuple[int, int], junk: bytes) -> None:
    reporter, follower = Reporter(pipe[1]), Follower(pipe[0])
    reporter.doing(["a"], None)
    os.write(pipe[1], junk + b"\n")
    reporter.progress(Progress(2, done=1))
    assert follower.read()
    assert (follower.doing.keys, follower.progress.done) == (("a",), 1)


def test_a_line_without_end_is_not_kept(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LONGEST_LINE", 100)
    reporter, follower = Reporter(pipe[1]), Follower(pipe[0])
    os.write(pipe[1], b"x" * 200)
    assert follower.read()
    reporter.progress(Progress(2, done=1))
    assert follower.read()
    assert follower.progress.done == 1
