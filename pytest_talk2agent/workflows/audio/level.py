"""Where a channel is audible, in blocks of 5 ms, as it is played; how far from a moment that lies is at most a block.

Apart, as the recorder, both sides of a call and the reference measure by it.

What a person waits for is sound, not the bytes that carry it, so an utterance begins and ends with its audible blocks.
Whether that sound is speech is for a voice activity detector to say (`activity`), which needs longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_talk2agent.workflows.audio.ports import MS

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Samples

BLOCK_MS = 5
BLOCK = BLOCK_MS * MS
AUDIBLE_DBFS = -50.0
"""Root mean square of a block, in decibels of full scale; the stand-in voice has -43, a quiet line below -60."""
FULL_SCALE = 32_768


@dataclass(frozen=True)
class Level:
    """A threshold; its name is how a log says it."""

    dbfs: float = AUDIBLE_DBFS

    @property
    def name(self) -> str:
        """How a spec writes it."""
        return f"level:{self.dbfs:g}"

    def blocks(self, samples: Samples) -> list[bool]:
        """Whether each block of some samples is audible; a last one that is not whole counts as one."""
        import numpy as np

        whole = len(samples) // BLOCK * BLOCK
        least = (FULL_SCALE * 10 ** (self.dbfs / 20)) ** 2
        squares = samples.astype(np.float64) ** 2
        found = (squares[:whole].reshape(-1, BLOCK).mean(axis=1) > least).tolist() if whole else []
        if whole < len(samples):
            found.append(bool(squares[whole:].mean() > least))
        return found

    def edges(self, samples: Samples) -> tuple[int, int] | None:
        """The milliseconds at which some samples begin and cease to be audible; None where they never are."""
        blocks = self.blocks(samples)
        if True not in blocks:
            return None
        first, last = blocks.index(True), len(blocks) - 1 - blocks[::-1].index(True)
        return first * BLOCK_MS, min((last + 1) * BLOCK_MS, -(-len(samples) // MS))
