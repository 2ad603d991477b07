"""The user's channel: a continuous stream of frames, silence included, into which words are put where they begin.

A word may begin at any sample; the frame that holds a moment goes out at that frame's end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.agents.voice import FRAME_SAMPLES
from pytest_talk2agent.workflows.audio.ports import MS

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Channel, Samples

LARGEST = 32_767


class UserChannel:
    """The channel of one call; ``condition`` changes each frame on its way, as the agent hears it."""

    def __init__(self, condition: Channel | None = None) -> None:
        self._condition = condition
        self._clips: list[tuple[int, Samples]] = []
        self._sent = 0
        import numpy as np

        self.silence: Samples = np.zeros(FRAME_SAMPLES, dtype=np.int16)

    @property
    def delay_ms(self) -> int:
        """How much later the agent hears what is put here."""
        return 0 if self._condition is None else self._condition.delay_ms

    @property
    def sent(self) -> int:
        """Samples that went out."""
        return self._sent

    def put(self, samples: Samples, at_ms: int) -> None:
        """Let words begin at a moment.

        Raises:
            ValueError: for a moment whose frame has gone out already.
        """
        start = at_ms * MS
        if start < self._sent:
            raise ValueError(f"words at {at_ms} ms, though the channel went out until {self._sent // MS} ms")
        self._clips.append((start, samples))

    def frame(self, count: int = FRAME_SAMPLES) -> Samples:
        """The next samples, as the agent hears them."""
        import numpy as np

        start, end = self._sent, self._sent + count
        mixed = np.zeros(count, dtype=np.int32)
        for begin, samples in self._clips:
            low, high = max(begin, start), min(begin + len(samples), end)
            if low < high:
                mixed[low - start : high - start] += samples[low - begin : high - begin]
        self._clips = [(begin, samples) for begin, samples in self._clips if begin + len(samples) > end]
        self._sent = end
        said = np.clip(mixed, -LARGEST - 1, LARGEST).astype(np.int16)
        return said if self._condition is None else self._condition.frame(said, start // MS)
