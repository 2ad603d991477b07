from __future__ import annotations

import threading

import pytest

from pytest_talk2agent.remote.concurrency import Flights, as_ready

FAULT = "the third"


def test_every_item_is_answered_with_its_index() -> None:
    assert sorted(as_ready("abcdef", str.upper, 3, threading.Event())) == list(enumerate("ABCDEF"))


def test_nothing_to_do() -> None:
    assert list(as_ready("", str.upper, 3, threading.Event())) == []


def test_no_more_than_the_workers_at_a_time_and_all_of_them() -> None:
    meet = threading.Barrier(3)
    lock = threading.Lock()
    active: list[int] = [0, 0]

    def call(item: int) -> int:
        with lock:
            active[0] += 1
            active[1] = max(active)
        meet.wait(10)
        with lock:
            active[0] -= 1
        return item

    assert len(list(as_ready(range(9), call, 3, threading.Event()))) == 9
    assert active == [0, 3]


def test_a_result_is_handed_out_as_soon_as_it_is_ready() -> None:
    go = threading.Event()

    def call(item: int) -> int:
        assert item or go.wait(10)
        return item

    ready = as_ready([0, 1], call, 2, threading.Event())
    assert next(ready) == (1, 1)
    go.set()
    assert list(ready) == [(0, 0)]


def test_closing_stops_what_has_not_begun() -> None:
    begun: list[int] = []
    go = threading.Event()
    stopped = threading.Event()

    def call(item: int) -> int:
        begun.append(item)
        if item:
            go.wait(10)
        return item

    ready = as_ready(range(9), call, 2, stopped)
    assert next(ready) == (0, 0)
    ready.close()  # type: ignore[attr-defined]
    assert stopped.is_set()
    go.set()
    for thread in threading.enumerate():
        if thread.name == "t2a-request":
            thread.join(10)
    assert set(begun) <= {0, 1, 2}


def test_an_exception_stops_the_rest_but_loses_nothing_under_way() -> None:
    meet = threading.Barrier(2)

    def call(item: int) -> int:
        if item in (2, 3):
            meet.wait(10)
        if item == 3:
            raise ValueError(FAULT)
        return item

    seen: list[int] = []
    with pytest.raises(ValueError, match=FAULT):
        seen.extend(index for index, _ in as_ready(range(50), call, 2, threading.Event()))
    assert {0, 1, 2} <= set(seen)
    assert len(seen) < 50


def test_an_error_is_told_to_who_asked_and_not_kept() -> None:
    flights: Flights[str] = Flights()

    def fails() -> str:
        raise LookupError("no answer")

    with pytest.raises(LookupError, match="no answer"):
        flights.join(("a",), fails)
    assert flights.join(("a",), lambda: "answer") == "answer"
