"""The playout buffer: sound of an agent comes in as it likes and goes out in frames, as it would be heard.

It may come in bursts, faster than real time, with odd numbers of bytes and at other rates. Whatever the pieces are,
the samples that go out are the same; none is lost and none is played twice.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.workflows.agents.voice import FRAME_SAMPLES, SAMPLE_RATE

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

FULL_SCALE = 32_768
DRY_FRAMES = 5
"""After so many frames without sound a resampler gives what it held back for the sound to come."""


@dataclass(eq=False)
class Item:
    """An utterance in the buffer; ``received`` and ``played`` are samples.

    ``complete`` says that nothing will be added, ``cut`` that the agent broke it off, ``dropped`` how many samples were
    thrown away unplayed.
    """

    name: str
    received: int = 0
    played: int = 0
    dropped: int = 0
    complete: bool = False
    cut: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing of it will be played any more."""
        return self.complete and self.played + self.dropped >= self.received


@dataclass(frozen=True)
class Part:
    """Samples of an utterance in a frame, from ``start`` on."""

    item: Item
    start: int
    count: int


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame as it was played, silence included, and what of it came from where."""

    samples: Samples
    parts: tuple[Part, ...] = ()


@dataclass(eq=False)
class _Feed:
    """What makes samples of the bytes of one utterance: an odd byte, and a resampler with its state."""

    item: Item
    rate: int
    odd: bytes = b""
    stream: Any = field(default=None)


class Playout:
    """The buffer of one call."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._queue: deque[tuple[Item, Samples]] = deque()
        self._feed: _Feed | None = None
        self._queued = 0
        self._dry = 0

    @property
    def queued(self) -> int:
        """Samples that wait to be played."""
        return self._queued

    def put(self, pcm: bytes, rate: int = SAMPLE_RATE, name: str = "") -> Item:
        """Add sound of an utterance, PCM16 of any length; the utterance."""
        import numpy as np

        feed = self._feed_of(name, rate)
        data = feed.odd + pcm
        whole = len(data) // 2 * 2
        feed.odd = data[whole:]
        if whole:
            self._resampled(feed, np.frombuffer(data[:whole], dtype="<i2"), last=False)
        return feed.item

    def complete(self, *, cut: bool = False) -> None:
        """Nothing will be added to the utterances that came; ``cut`` says that the agent broke off the open ones."""
        self._close()
        for item in self.items:
            item.cut = item.cut or (cut and not item.complete)
            item.complete = True

    def flush(self) -> list[Item]:
        """Throw away what was not played; the utterances that are cut by it, or that were still to be added to."""
        cut = [item for item in self.items if not item.over]
        for item in cut:
            item.cut = True
        self._feed = None
        for item, samples in self._queue:
            item.dropped += len(samples)
        self._queue.clear()
        self._queued = 0
        for item in self.items:
            item.complete = True
        return cut

    def forget(self) -> None:
        """Forget utterances that are over; the others stay."""
        self.items = [item for item in self.items if not item.over]

    def pull(self, count: int = FRAME_SAMPLES) -> Frame:
        """The next frame: what is queued, and silence where nothing is."""
        import numpy as np

        if not self._queued and self._feed is not None:
            self._dry += 1
            if self._dry >= DRY_FRAMES:
                self._drain(self._feed)
        else:
            self._dry = 0
        out = np.zeros(count, dtype=np.int16)
        parts = []
        filled = 0
        while filled < count and self._queue:
            item, samples = self._queue.popleft()
            taken = samples[: count - filled]
            out[filled : filled + len(taken)] = taken
            parts.append(Part(item, filled, len(taken)))
            item.played += len(taken)
            filled += len(taken)
            if len(taken) < len(samples):
                self._queue.appendleft((item, samples[len(taken) :]))
        self._queued -= filled
        return Frame(out, tuple(parts))

    def _feed_of(self, name: str, rate: int) -> _Feed:
        feed = self._feed
        if feed is not None and feed.item.name == name and not feed.item.complete:
            if feed.rate != rate:
                self._drain(feed)
                feed.rate = rate
            return feed
        self._close()
        item = next((one for one in self.items if one.name == name and not one.complete), None)
        if item is None:
            item = Item(name)
            self.items.append(item)
        self._feed = _Feed(item, rate)
        return self._feed

    def _close(self) -> None:
        """Nothing comes from the feed for now; half a sample that never became one is no sound."""
        if self._feed is not None:
            self._drain(self._feed)
            self._feed = None

    def _drain(self, feed: _Feed) -> None:
        """Take what a resampler holds back."""
        import numpy as np

        if feed.stream is not None:
            self._resampled(feed, np.zeros(0, dtype=np.int16), last=True)
            feed.stream = None

    def _resampled(self, feed: _Feed, samples: Samples, *, last: bool) -> None:
        import numpy as np

        if feed.rate != SAMPLE_RATE:
            if feed.stream is None:
                import soxr

                feed.stream = soxr.ResampleStream(feed.rate, SAMPLE_RATE, 1, dtype="float32")
            # In float: as int16 soxr dithers, and the samples would depend on the pieces.
            made = feed.stream.resample_chunk(samples.astype(np.float32) / FULL_SCALE, last=last)
            samples = np.clip(np.rint(made * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)
        if len(samples):
            feed.item.received += len(samples)
            self._queued += len(samples)
            self._queue.append((feed.item, samples))
