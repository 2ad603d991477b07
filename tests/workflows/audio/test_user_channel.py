from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_talk2agent.workflows.audio.ports import MS
from pytest_talk2agent.workflows.audio.user_channel import UserChannel

Pcm = NDArray[np.int16]


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 4_000)), max_size=5),
    st.lists(st.integers(1, 2_000), max_size=40),
)
def test_every_sample_goes_out_once_where_it_belongs(clips: list[tuple[int, int]], frames: list[int]) -> None:
    channel = UserChannel()
    total = 20_000
    expected = np.zeros(total, np.int32)
    for number, (at, samples) in enumerate(clips, 1):
        sound = np.full(samples, number * 1_000, np.int16)
        channel.put(sound, at)
        expected[at * MS : at * MS + samples] += sound[: total - at * MS]
    sent: list[Pcm] = [channel.frame(count) for count in frames]
    left = max(0, total - sum(map(len, sent)))
    found = np.concatenate([*sent, channel.frame(left)])[:total]
    assert np.array_equal(found, expected.astype(np.int16))


def test_what_has_gone_out_cannot_be_said_any_more() -> None:
    channel = UserChannel()
    channel.frame(21 * MS)
    with pytest.raises(ValueError, match="words at 20 ms, though the channel went out until 21 ms"):
        channel.put(np.ones(10, np.int16), 20)


def test_words_that_are_too_loud_together_are_clipped_and_not_turned_over() -> None:
    channel = UserChannel()
    for _ in range(2):
        channel.put(np.full(10, 30_000, np.int16), 0)
    assert channel.frame(10).tolist() == [32_767] * 10


def test_a_condition_changes_what_the_agent_hears_and_knows_the_moment() -> None:
    class Later:
        delay_ms = 40

        def __init__(self) -> None:
            self.moments: list[int] = []

        def identity(self) -> dict[str, str]:
            return {}

        def frame(self, samples: Pcm, at_ms: int) -> Pcm:
            self.moments.append(at_ms)
            return samples // 2

    condition = Later()
    channel = UserChannel(condition)
    assert (channel.delay_ms, UserChannel().delay_ms) == (40, 0)
    channel.put(np.full(480, 100, np.int16), 20)
    assert [int(channel.frame().max()) for _ in range(3)] == [0, 50, 0]
    assert condition.moments == [0, 20, 40]
