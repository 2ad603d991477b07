from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.session.event import Event, RunLabel
from pytest_talk2agent.workflows.session.log import ZERO, BrokenLogError, EventLog, read_log

LABEL = RunLabel("r1", "1.0.0", "C2")
SCALARS = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN: st.SearchStrategy[Any] = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def text_of(event: Event) -> str:
    return json.dumps(vars(event), sort_keys=True)


def log_of(*payloads: dict[str, Any]) -> EventLog:
    log = EventLog(LABEL)
    log.append("RUN_START", "harness", 0, {"task_id": "a"})
    for number, payload in enumerate(payloads):
        log.append("TOOL_CALL", "agent", 10 * number, payload, parents=(number,))
    log.append("RUN_END", "harness", 10 * len(payloads), {"end": "user"})
    return log


@given(payloads=st.lists(st.dictionaries(st.text(max_size=5), PLAIN, max_size=3), max_size=4))
def test_a_log_comes_back_as_it_was_written(payloads: list[dict[str, Any]]) -> None:
    log = log_of(*payloads)
    stored = read_log(log.to_bytes())
    assert stored.label == LABEL
    assert list(map(text_of, stored.events)) == list(map(text_of, log.events))
    assert stored.head == log.head
    assert log_of(*payloads).to_bytes() == log.to_bytes()


def test_every_line_carries_the_digest_of_the_one_before() -> None:
    rows = [json.loads(line) for line in log_of({"a": 1}, {"b": 2}).to_bytes().splitlines()]
    assert [row["prev"] for row in rows] == [ZERO, *(row["digest"] for row in rows[:-1])]


def test_any_changed_byte_is_found() -> None:
    data = log_of({"a": "é \U0001f600", "b": [1, 2.5, None, True]}, {"c": {}}).to_bytes()
    for place in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            changed = bytes([*data[:place], data[place] ^ flip, *data[place + 1 :]])
            with pytest.raises(BrokenLogError):
                read_log(changed)


@settings(max_examples=200)
@given(data=st.data())
def test_a_byte_that_is_added_or_lost_is_found(data: st.DataObject) -> None:
    whole = log_of({"a": 1}, {"b": 2}).to_bytes()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    changed = whole[:start] + data.draw(st.binary(max_size=3)) + whole[end:]
    if changed != whole:
        with pytest.raises(BrokenLogError):
            read_log(changed)


def test_the_broken_line_is_named() -> None:
    lines = log_of({"a": 1}, {"b": 2}).to_bytes().splitlines(keepends=True)
    with pytest.raises(BrokenLogError, match=r"line 2: has the number 2, where 1 comes next"):
        read_log(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(BrokenLogError, match=r"line 3: was changed"):
        read_log(b"".join(lines).replace(b'"b":2', b'"b":3'))
    with pytest.raises(BrokenLogError, match=r"line 4: is missing: the log ends before its RUN_END"):
        read_log(b"".join(lines[:-1]))
    with pytest.raises(BrokenLogError, match=r"line 1: "):
        read_log(b"")


def test_time_does_not_run_backwards() -> None:
    log = EventLog(LABEL)
    log.append("RUN_START", "harness", 5, {})
    with pytest.raises(ValueError, match="RUN_END at 4 ms, after 5 ms"):
        log.append("RUN_END", "harness", 4, {})


def test_a_payload_is_a_plain_value() -> None:
    log = EventLog(LABEL)
    with pytest.raises(ValueError, match="JSON"):
        log.append("RUN_START", "harness", 0, {"a": float("nan")})
