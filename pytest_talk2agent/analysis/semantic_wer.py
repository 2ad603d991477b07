"""Semantic WER: the word error rate over the differences that would change what an agent does.

    Semantic WER = (S + D + I, significant ones) / words of the reference, normalised

A model normalises and aligns both texts, decides for each difference whether an agent would act differently, and gives
counts; the ratio is made here. Source: Pipecat's STT benchmark (pipecat-ai/stt-benchmark). It forgives plurals,
possessives and hyphens, which matter in file names. Where the reference is empty the source has 0 or infinity; here
there is no rate. Not the weighted WER of Roy 2021 (arXiv 2106.02016), which has this name too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.analysis.asking import Ask, Shape, asked
from pytest_talk2agent.analysis.forms import normalise

VERSION = "semantic-wer/1"
_COUNT = (
    "The text under `reference` is what somebody said to a voice agent, the text under `hypothesis` is what a speech"
    " recogniser wrote. Write both in one notation (numbers, abbreviations, contractions, spelling, punctuation, case),"
    " align them word by word, and decide for each difference whether an agent that reads the hypothesis would act"
    " differently. Differences that change no action do not count: notation, fillers, articles, plural or possessive."
    " Names, numbers, negations and words of another meaning count; so do words that were never said. Give the number"
    " of substitutions, deletions and insertions that count, and the number of words of the reference in the common"
    " notation. Do not compute a rate."
)


class _Counts(Shape):
    substitutions: int
    deletions: int
    insertions: int
    reference_words: int


@dataclass(frozen=True)
class SemanticEdits:
    """Significant differences and words of the reference; ``rate`` is None where the reference has no word."""

    errors: int
    words: int

    @property
    def rate(self) -> Fraction | None:
        """Errors a word, exact and not clipped."""
        return Fraction(self.errors, self.words) if self.words else None


def semantic_edits(ask: Ask, reference: str, hypothesis: str) -> SemanticEdits:
    """Count with a model. An empty text needs none: all words of the other are errors.

    Raises ValueError where the counts cannot be those of an alignment.
    """
    said, heard = normalise(reference).split(), normalise(hypothesis).split()
    if not said or not heard:
        return SemanticEdits(errors=len(said) + len(heard), words=len(said))
    counts = asked(ask, _COUNT, {"reference": reference, "hypothesis": hypothesis}, _Counts, _fault)
    return SemanticEdits(counts.substitutions + counts.deletions + counts.insertions, counts.reference_words)


def _fault(counts: _Counts) -> str | None:
    if min(counts.substitutions, counts.deletions, counts.insertions) < 0 or counts.reference_words < 1:
        return "a count is negative, or the reference has no word"
    if counts.substitutions + counts.deletions > counts.reference_words:
        return f"more words are substituted or deleted than the {counts.reference_words} of the reference"
    return None
