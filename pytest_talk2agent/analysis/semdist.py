"""SemDist: how far a hypothesis is from its reference in the space of a sentence encoder.

    SemDist = 1 - cos(e(reference), e(hypothesis))

with e(text) the vector of a sentence encoder (Kim et al. 2021, arXiv 2104.02138; evaluated in arXiv 2110.05376). From 0
for the same direction over 1 for orthogonal vectors to 2 for opposite ones. Some tools multiply it by 1000. A lost
negation stays close with every real encoder, so it says little on one task; Talk2Agent reports 1 - SemDist, the cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import Protocol


class Encoder(Protocol):
    """A sentence encoder."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name, revision and pooling, for the record."""
        ...

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, all of one length."""
        ...


def semdist(encoder: Encoder, references: Sequence[str], hypotheses: Sequence[str]) -> list[float | None]:
    """SemDist of each pair; None where a vector is zero, which has no direction. Each text is encoded once.

    Raises ValueError where there are not as many references as hypotheses, or vectors as texts.
    """
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses; give one for each")
    texts = list(dict.fromkeys([*references, *hypotheses]))
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    return [distance(vectors[said], vectors[heard]) for said, heard in zip(references, hypotheses, strict=True)]


def distance(left: Sequence[float], right: Sequence[float]) -> float | None:
    """1 - cosine, 0 to 2; exactly 0 for a vector and itself. None where one of them is zero."""
    dot = fsum(a * b for a, b in zip(left, right, strict=True))
    # One root of the product: the root of a square is exact, the square of a root is not.
    lengths = sqrt(fsum(a * a for a in left) * fsum(b * b for b in right))
    return 1 - max(-1.0, min(1.0, dot / lengths)) if lengths else None
