from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.reporting.html.session_timeline import (
    LANE,
    LEFT,
    MOST,
    NARROWEST,
    TOP,
    WIDEST,
    Overlap,
    overlaps_of,
    timeline,
    told,
)
from pytest_talk2agent.workflows.scoring.trace import (
    Approval,
    Clip,
    DuplexEvent,
    Mutation,
    ToolCall,
    Trace,
    WorldChange,
)
from tests.reporting.test_html_markup import HOSTILE


def clip(speaker: Any, start: int, end: int, text: str = "hello", **more: Any) -> Clip:
    return Clip(seq=start, speaker=speaker, start_ms=start, end_ms=end, text=text, heard=text, **more)


def call(start: int, end: int | None, *, ok: bool = True, **more: Any) -> ToolCall:
    values = {"call_id": "c", "tool": "move", "args": {"a": 1}, "error": None if ok else "no"}
    return ToolCall(seq=start, media_ms=start, result_ms=end, ok=ok, **values, **more)


def barge_in(onset: int, *, yielded: bool | None = True) -> DuplexEvent:
    kind = "MID_SPEECH_CORRECTION"
    return DuplexEvent(
        seq=onset, media_ms=onset, event_id="E1", type=kind, onset_ms=onset, yielded=yielded, stop_ms=240
    )  # fmt: skip


def trace(**values: Any) -> Trace:
    return Trace(package="w", agent="x", **values)


def drawn(one: Trace) -> ElementTree.Element:
    return ElementTree.fromstring(timeline(one, "t1"))


def classed(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in svg.iter() if name in (one.get("class") or "").split()]


@given(st.lists(st.tuples(st.sampled_from(["user", "agent"]), st.integers(0, 60), st.integers(0, 60)), max_size=12))
def test_overlaps_are_where_both_speak_and_nowhere_else(rows: list[tuple[str, int, int]]) -> None:
    clips = [clip(who, min(a, b), max(a, b)) for who, a, b in rows]

    def speaks(who: str, ms: int) -> bool:
        return any(one.speaker == who and one.start_ms <= ms < one.end_ms for one in clips)

    both = {ms for ms in range(61) if speaks("user", ms) and speaks("agent", ms)}
    found = overlaps_of(clips)
    assert {ms for one in found for ms in range(one.start_ms, one.end_ms)} == both
    assert sum(one.end_ms - one.start_ms for one in found) == len(both)


def test_lanes_overlaps_and_barge_ins() -> None:
    agent = Clip(
        seq=2, speaker="agent", start_ms=4_000, end_ms=8_000, text="so that is Friday", heard="so that", cut=True
    )
    svg = drawn(
        trace(
            clips=[clip("user", 0, 3_000), agent, clip("user", 7_000, 10_000, kind="barge_in")],
            events=[barge_in(7_000)],
            calls=[call(10_100, 10_900), call(10_200, None, ok=False)],
            mutations=[Mutation(seq=9, media_ms=10_900, artifact_id="a", path="f", new=1)],
            world_changes=[WorldChange(seq=10, media_ms=10_900, path="p", old=1, new=2)],
            approvals=[Approval(seq=11, media_ms=9_000, kind="granted", action_type="pay")],
            ended_ms=20_000,
        )
    )
    per_ms = NARROWEST / 20_000
    user, said, cut_in = classed(svg, "clip")
    assert float(user.get("x", "")) == LEFT
    assert float(user.get("width", "")) == pytest.approx(3_000 * per_ms, abs=0.1)
    assert [one.get("y") for one in (user, said, cut_in)] == [str(TOP), str(TOP + LANE + 8), str(TOP)]
    [overlap] = classed(svg, "overlap")
    assert float(overlap.get("width", "")) == pytest.approx(1_000 * per_ms, abs=0.2)
    assert len(classed(svg, "cut")) == 1
    assert len(classed(svg, "onset")) == 2  # an arrow and a line
    assert len(classed(svg, "call")) == 2
    assert len({one.get("y") for one in classed(svg, "call")}) == 2  # calls at one time stand below each other
    assert len(classed(svg, "failed")) == 1
    assert [len(classed(svg, name)) for name in ("s3", "s4", "s5")] == [1, 1, 1]
    words = " ".join(svg.itertext())
    for expected in (
        "[cut after: so that]",
        "mid speech correction: yielded",
        "overlap of 1.00 s at 7.0 s",
        "silent after 0.24 s",
        "✗ move",
        "20 s",
    ):
        assert expected in words


def test_it_has_a_title_and_a_description_of_its_own() -> None:
    svg = drawn(trace(clips=[clip("user", 0, 2_000), clip("agent", 1_000, 3_000)], events=[barge_in(1_000)]))
    names = (svg.get("aria-labelledby") or "").split()
    title, desc = (next(one for one in svg.iter() if one.get("id") == name) for name in names)
    assert (svg.get("role"), title.text) == ("img", "timeline of w")
    assert "1 overlap: 1.0 to 2.0 s" in (desc.text or "")
    assert "The user speaks 1 time, the agent 1." in (desc.text or "")
    assert "mid speech correction (E1): the agent yielded" in (desc.text or "")


@pytest.mark.parametrize("length", [0, 1, 999, 61_000, 3_600_000, 10**9])
def test_any_length_fits(length: int) -> None:
    svg = drawn(trace(clips=[clip("user", 0, length)], ended_ms=length))
    assert NARROWEST <= float(svg.get("width", "")) <= WIDEST + 200
    assert 1 <= len(classed(svg, "tick")) <= WIDEST / 60


def test_a_flood_is_bounded_and_counted() -> None:
    many = [clip("agent", n * 10, n * 10 + 5, "x" * 10_000) for n in range(MOST + 7)]
    made = timeline(trace(clips=many, ended_ms=100_000), "t")
    assert len(made) < 400_000
    assert "Not drawn: 7 more." in made


@pytest.mark.parametrize("text", [*HOSTILE, "\x1b[2J", "\u202eabc"])
def test_what_was_said_stays_text(text: str) -> None:
    one = trace(
        clips=[clip("agent", 0, 60_000, text)],
        calls=[call(0, 10).model_copy(update={"tool": text, "error": text})],
        mutations=[Mutation(seq=9, media_ms=1, artifact_id=text, path=text, new=text)],
        ended_ms=60_000,
    )
    made = timeline(one, "t")
    ElementTree.fromstring(made)
    assert not re.search("[\x00-\x08\x1b\u202e\ud800-\udfff]", made)
    assert "<script" not in made
    assert "<img" not in made


def test_what_was_said_and_done_is_in_the_order_of_the_log() -> None:
    rows = told(
        trace(
            clips=[clip("user", 0, 3_000, kind="barge_in"), clip("agent", 4_000, 8_000)],
            calls=[call(5_000, 5_100, abandoned=True)],
            events=[barge_in(4_500, yielded=False)],
        )
    )
    assert [(one.ms, one.who) for one in rows] == [(0, "user"), (4_000, "agent"), (4_500, "event"), (5_000, "tool")]
    assert rows[0].text == "[barge in] hello"
    assert rows[3].text == 'move {"a":1}: ok, abandoned'
    assert overlaps_of([clip("user", 0, 10), clip("agent", 5, 20)]) == [Overlap(5, 10)]
