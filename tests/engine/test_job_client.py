"""The mailbox between the thread that transcribes and the items that wait."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.interfaces.utterance import TranscriptionError, Utterance
from tests.results.builders import transcript


def job(name: str) -> Job:
    return Job("fake", Utterance(name, "amy", "say", "say", Path(f"{name}.wav")))


def in_thread(mailbox: Mailbox, wanted: Job) -> tuple[threading.Thread, list[str]]:
    """A thread that waits for a job, and what it got."""
    got: list[str] = []

    def wait() -> None:
        try:
            got.append(mailbox.get(wanted).text)
        except TranscriptionError as error:
            got.append(f"error: {error}")

    thread = threading.Thread(target=wait)
    thread.start()
    return thread, got


def test_what_was_delivered_can_be_had_again_and_again() -> None:
    mailbox = Mailbox()
    mailbox.deliver(job("a").key, transcript("heard"))
    assert [mailbox.get(job("a")).text for _ in range(2)] == ["heard", "heard"]


def test_a_failure_is_raised_with_its_line() -> None:
    mailbox = Mailbox()
    mailbox.deliver(job("a").key, "no such recording")
    with pytest.raises(TranscriptionError, match=r"^no such recording$"):
        mailbox.get(job("a"))


def test_who_waits_gets_what_comes_later() -> None:
    mailbox = Mailbox()
    waiting = [in_thread(mailbox, job(name)) for name in "abab"]
    mailbox.deliver(job("b").key, transcript("second"))
    mailbox.deliver(job("a").key, transcript("first"))
    for thread, _ in waiting:
        thread.join(timeout=10)
    assert [got for _, got in waiting] == [["first"], ["second"], ["first"], ["second"]]


def test_who_waits_gets_the_reason_when_nothing_more_will_come() -> None:
    mailbox = Mailbox()
    thread, got = in_thread(mailbox, job("a"))
    mailbox.close("the server is gone")
    thread.join(timeout=10)
    assert got == ["error: the server is gone"]


def test_what_came_before_the_end_stays() -> None:
    mailbox = Mailbox()
    mailbox.deliver(job("a").key, transcript("heard"))
    mailbox.close("the end")
    assert mailbox.get(job("a")).text == "heard"


def test_the_first_reason_counts() -> None:
    mailbox = Mailbox()
    mailbox.close("killed")
    mailbox.close("closed in order")
    with pytest.raises(TranscriptionError, match="killed"):
        mailbox.get(job("a"))


def test_arrivals_come_in_order_once_each_and_end() -> None:
    mailbox = Mailbox()
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.extend(mailbox.arrivals()))
    thread.start()
    for name in ("c", "a", "c", "b"):
        mailbox.deliver(job(name).key, "failed" if name == "a" else transcript())
    mailbox.close("the end")
    thread.join(timeout=10)
    assert seen == [job(name).key for name in "cab"]


def test_a_second_round_of_arrivals_sees_everything() -> None:
    mailbox = Mailbox()
    mailbox.deliver("a", transcript())
    mailbox.close("the end")
    assert list(mailbox.arrivals()) == list(mailbox.arrivals()) == ["a"]


def test_a_closed_empty_mailbox_has_no_arrivals() -> None:
    mailbox = Mailbox()
    mailbox.close("the end")
    assert list(mailbox.arrivals()) == []
