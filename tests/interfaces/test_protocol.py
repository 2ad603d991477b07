"""The work of the local engine: batches in, one outcome for each utterance out, no faster than it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from pytest_talk2agent.interfaces.protocol import Batch, Interface, work_here
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance


class Echo(Interface):
    """Answers with the task's id; knows nothing of batches."""

    def identity(self) -> Mapping[str, str]:
        return {"name": "echo"}

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        return [Hypothesis(utterance.task) for utterance in batch]


class Late(Echo):
    """Hands out the last first, as a served model does whose requests run side by side."""

    def arrivals(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Hypothesis | TranscriptionError]]:
        for index in reversed(range(len(batch))):
            yield index, Hypothesis(f"late {batch[index].task}")

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        raise AssertionError("arrivals() is used instead")


class Short(Echo):
    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        return [Hypothesis("one too few")] * (len(batch) - 1)


class ShortLate(Late):
    def arrivals(self, batch: Sequence[Utterance]) -> Iterator[tuple[int, Hypothesis | TranscriptionError]]:
        return iter(list(super().arrivals(batch))[1:])


def batches(*sizes: int) -> Iterator[Batch]:
    """Batches of utterances that are numbered from 10 up and named by their numbers."""
    number = 10
    for size in sizes:
        yield [(n, Utterance(f"task {n}", "", "", "")) for n in range(number, number + size)]
        number += size


def heard(interface: Any, *sizes: int) -> list[tuple[int, str]]:
    found = []
    for number, outcome, elapsed in work_here("echo", interface, batches(*sizes)):
        assert isinstance(outcome, Hypothesis)
        assert elapsed >= 0
        found.append((number, outcome.text))
    return found


def test_each_utterance_gets_its_own_outcome() -> None:
    assert heard(Echo(), 2, 1) == [(10, "task 10"), (11, "task 11"), (12, "task 12")]


def test_no_batches_are_no_work() -> None:
    assert heard(Echo()) == []


def test_arrivals_are_handed_out_in_their_own_order() -> None:
    assert heard(Late(), 2, 1) == [(11, "late task 11"), (10, "late task 10"), (12, "late task 12")]


@pytest.mark.parametrize(("interface", "first"), [(Short(), []), (ShortLate(), [(10, "late task 10")])])
def test_too_few_outcomes_are_an_error(interface: Any, first: list[tuple[int, str]]) -> None:
    work = work_here("echo:x", interface, batches(2))
    assert [(number, outcome.text) for number, outcome, _ in (next(work) for _ in first)] == first  # type: ignore[union-attr]
    with pytest.raises(InterfaceError, match=r"^echo:x: 1 transcript for 2 recordings$"):
        next(work)


def test_a_batch_is_read_only_when_the_one_before_is_done() -> None:
    read: list[int] = []

    def reading() -> Iterator[Batch]:
        for batch in batches(1, 1, 1):
            read.append(batch[0][0])
            yield batch

    done = [(number, list(read)) for number, _, _ in work_here("echo", Echo(), reading())]
    assert done == [(10, [10]), (11, [10, 11]), (12, [10, 11, 12])]
