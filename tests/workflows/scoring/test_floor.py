from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.scoring.floor import (
    Yields,
    duplex_block,
    merged,
    overlap_ratio,
    percentile,
    rank_percentile,
    shared,
    yields_of,
)
from pytest_talk2agent.workflows.scoring.trace import Clip, DuplexEvent, Trace


def event(expected: str | None, *, yielded: bool | None = None, stop: int | None = None, **more: Any) -> DuplexEvent:
    values = {"seq": 1, "media_ms": 0, "event_id": "E", "type": "MID_SPEECH_CORRECTION", "onset_ms": 0, **more}
    return DuplexEvent(expected=expected, yielded=yielded, stop_ms=stop, **values)


def clip(speaker: str, start: int, end: int) -> Clip:
    return Clip(seq=1, speaker=speaker, start_ms=start, end_ms=end, text="words", heard="words")


def test_spans_merge_and_share_time() -> None:
    assert merged([(0, 2), (1, 3), (5, 6)]) == [(0, 3), (5, 6)]
    assert shared([(0, 10)], [(5, 15)]) == 5
    assert shared([(0, 4), (2, 6)], [(1, 3), (3, 5)]) == 4


spans = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda pair: (min(pair), max(pair))), max_size=6)


@given(spans, spans)
def test_spans_share_the_milliseconds_that_both_cover(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    covered = [{ms for start, end in some for ms in range(start, end)} for some in (one, other)]
    assert shared(one, other) == len(covered[0] & covered[1])


def test_the_overlap_of_a_session_is_a_share_of_its_length_and_a_tail() -> None:
    trace = Trace(package="p", agent="a", clips=[clip("user", 0, 1000), clip("agent", 700, 2800)])
    assert overlap_ratio(trace) == Fraction(300, 3000)
    odd = Trace(package="p", agent="a", clips=[clip("user", 0, 1000), clip("agent", 700, 2799)])
    assert overlap_ratio(odd) == Fraction(300, 2999)
    assert overlap_ratio(odd, "apex-1.0") == Fraction(1, 10)
    assert overlap_ratio(Trace(package="p", agent="a")) == 0


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [([1, 2, 3, 4], 0.5, Fraction(5, 2)), ([0, 10], 0.95, Fraction(19, 2)), ([5], 0.95, 5), ([], 0.5, None)],
)
def test_linear_percentiles(values: list[float], share: float, found: Fraction | None) -> None:
    assert percentile(values, share) == found


def test_rank_percentiles() -> None:
    assert [rank_percentile([10, 20, 30, 40], share) for share in (0.5, 0.95)] == [30, 40]
    assert rank_percentile([], 0.5) is None


def test_the_published_block() -> None:
    good = [
        event("YIELD", yielded=True, stop=400, task_critical=True, retained=True),
        event("CONTINUE", yielded=False, type="BACKCHANNEL"),
    ]
    block = duplex_block(good)
    assert [block.fda, block.isl_median, block.miss] == [1, 400, 0]
    assert [block.occr, block.ira, block.fyr] == [1, 1, 0]
    bad = [
        event("YIELD", yielded=False, task_critical=True, retained=True),
        event("CONTINUE", yielded=True, type="BACKCHANNEL"),
    ]
    block = duplex_block(bad)
    assert [block.fda, block.isl_median, block.miss] == [0, None, 1]
    assert [block.occr, block.ira, block.fyr] == [1, 0, 1]
    empty = duplex_block([])
    assert (empty.fda, empty.miss, empty.occr, empty.fyr) == (None, None, None, None)


def test_yields_count_by_what_was_expected_and_as_published_by_type() -> None:
    events = [
        event("YIELD", yielded=True, stop=300),
        event("YIELD", yielded=True, stop=4),
        event("YIELD", yielded=False),
        event("YIELD", onset_ms=None),  # it met no speech
        event("YIELD", yielded=True, stop=200, type="DISTRACTOR_SPEECH"),
        event("CONTINUE", yielded=True, type="BACKCHANNEL"),
    ]
    trace = Trace(package="p", agent="a", events=events)
    assert yields_of(trace) == Yields(3, 4, (300, 4, 200), 1, 1, 1)
    assert yields_of(trace, "apex-1.0") == Yields(2, 3, (300,), 1, 1, 1)
    assert yields_of(trace) + yields_of(trace) == Yields(6, 8, (300, 4, 200) * 2, 2, 2, 2)
