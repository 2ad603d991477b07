"""Who transcribes: numbered utterances go in by batches, outcomes come out one by one as they are ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from pytest_talk2agent.interfaces.protocol import Interface, Streaming
from pytest_talk2agent.interfaces.spec import shown_text
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance

Batch = Sequence[tuple[int, Utterance]]
Outcome = tuple[int, Hypothesis | TranscriptionError, float]
"""The number of an utterance, what came of it, and the seconds it took."""

Work = Callable[[str, Interface, Iterator[Batch]], Iterator[Outcome]]
"""Transcribes batches for the interface of a spec string. Batches are taken only as fast as they are worked on, which
bounds the memory that decoded audio takes. Raises InterfaceError where nothing can be transcribed."""


def work_here(spec: str, interface: Interface, batches: Iterator[Batch]) -> Iterator[Outcome]:
    """Transcribe in this process."""
    for batch in batches:
        begin = time.perf_counter()
        utterances = [utterance for _, utterance in batch]
        if isinstance(interface, Streaming):
            came = 0
            for came, (index, outcome) in enumerate(interface.arrivals(utterances), 1):  # noqa: B007 - needed after the loop
                yield batch[index][0], outcome, time.perf_counter() - begin
        else:
            outcomes = interface.transcribe(utterances)
            came = len(outcomes)
            if came == len(batch):
                elapsed = (time.perf_counter() - begin) / came
                for (number, _), outcome in zip(batch, outcomes, strict=True):
                    yield number, outcome, elapsed
        if came != len(batch):
            raise InterfaceError(f"{shown_text(spec)}: {came} transcripts for {len(batch)} recordings")
