"""The ledger: what is written once is there, whoever else writes and whenever a writer is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.execution.checking import Finding
from pytest_talk2agent.execution.record import Ledger, Step, TrialKey, TrialRecord


def record(round_: int = 1, *, missing: bool = False, output: str = "") -> TrialRecord:
    return TrialRecord(
        key=TrialKey("own/task", "a" * 64, "b" * 64, "c" * 64, round_),
        agent="nop",
        identity={"name": "nop"},
        state="infrastructure_failed" if missing else "scored",
        score=None if missing else Fraction(2, 3),
        criteria={} if missing else {"one": Finding(True), "two": Finding(False, "wälder \ud83d")},
        reason="no disk" if missing else "",
        steps=(Step("ls", 0, output),),
        cost={"tokens": 5},
    )


def test_records_come_back(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "trials")
    assert ledger.records() == []
    assert ledger.finished(record().key) is None
    ledger.append(record())
    for reader in (ledger, Ledger(tmp_path / "trials")):
        assert reader.finished(record().key) == record()
        assert reader.finished(record(2).key) is None
    assert (tmp_path / "trials" / ".gitignore").read_text() == "*\n"


def test_a_missing_one_gives_way_to_a_score_and_never_the_other_way(tmp_path: Path) -> None:
    for first, second in ((True, False), (False, True)):
        ledger = Ledger(tmp_path / str(first))
        ledger.append(record(missing=first))
        ledger.append(record(missing=second))
        assert [found.state for found in ledger.records()] == ["scored"]


@pytest.mark.parametrize("keep", [1, 70, 80, 200, -1])
def test_a_torn_line_counts_as_absent(tmp_path: Path, keep: int) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(record(1))
    ledger.append(record(2))
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:keep])
    reader = Ledger(tmp_path)
    assert [found.key.round for found in reader.records()] == [1]
    reader.append(record(2))
    assert sorted(found.key.round for found in Ledger(tmp_path).records()) == [1, 2]


@pytest.mark.parametrize(
    ("old", "new"), [(b'"2/3"', b'"1/1"'), (b'"scored"', b'"agent_failed"'), (b"own/task", b"own/tusk"), (b"{", b"[")]
)
def test_a_line_that_was_edited_counts_as_absent(tmp_path: Path, old: bytes, new: bytes) -> None:
    Ledger(tmp_path).append(record())
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(old, new))
    reader = Ledger(tmp_path)
    assert reader.records() == []
    assert len(reader.rejected) == 1
    assert str(path) in reader.rejected[0]


@pytest.mark.parametrize(
    "change",
    [
        {"state": "unknown"},
        {"score": "3/2"},
        {"score": None},
        {"schema": 99},
        {"criteria": {"one": 1}},
        {"key": {}},
        {"steps": [5]},
        {"extra": 1},
    ],
)
def test_what_is_no_record_is_refused(change: dict[str, object]) -> None:
    data = json.loads(json.dumps({**record().to_json(), **change}))
    with pytest.raises((KeyError, TypeError, ValueError)):
        TrialRecord.from_json(data)


def test_a_claim_is_waited_for_and_tells_what_was_done(tmp_path: Path) -> None:
    ledger, order = Ledger(tmp_path), []

    def other() -> None:
        with Ledger(tmp_path).claim(record().key) as known:
            order.append(known)

    with ledger.claim(record().key) as known:
        assert known is None
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.1)
        assert order == []
        ledger.append(record())
    thread.join(10)
    assert order == [record()]


WRITER = """
import dataclasses, json, sys
from pathlib import Path
from pytest_talk2agent.execution.record import Ledger
from pytest_talk2agent.execution.record import TrialRecord
ledger, record = Ledger(Path(sys.argv[1])), TrialRecord.from_json(json.loads(sys.argv[2]))
for number in range(10_000):
    each = dataclasses.replace(record, key=dataclasses.replace(record.key, round=number))
    with ledger.claim(each.key) as known:
        if known is None:
            ledger.append(each)
"""


def test_killed_writers_leave_whole_records_and_none_twice(tmp_path: Path) -> None:
    words = [sys.executable, "-c", WRITER, str(tmp_path), json.dumps(record(output="x" * 5000).to_json())]
    writers = [subprocess.Popen(words) for _ in range(2)]
    reader = Ledger(tmp_path)
    while len(reader.records()) < 20:
        assert any(writer.poll() is None for writer in writers)
        time.sleep(0.01)
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    lines = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_bytes().split(b"\n")[:-1]]
    rounds = [line["key"]["round"] for line in lines]
    assert len(rounds) == len(set(rounds)) >= 20
    assert sorted(found.key.round for found in reader.records()) == sorted(rounds)
    assert reader.rejected == []
