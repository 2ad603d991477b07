"""What must be edited to make a reference of a hypothesis, as counts, and the rates that are made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

from pytest_talk2agent.speech.libraries import quiet_import

if TYPE_CHECKING:
    from jiwer import CharacterOutput, WordOutput


@dataclass(frozen=True)
class Edits:
    """An alignment of units (words or characters) as counts that can be added up, which pools them.

    A rate is None where the reference has no unit: the count of its insertions is no ratio and belongs into no mean.
    Rates are exact and not clipped: insertions can take the first above 1. Where several alignments have the fewest
    errors, their split into hits, substitutions, deletions and insertions is jiwer's; ``errors`` depends on no choice.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    def __add__(self, other: Edits) -> Edits:
        return Edits(
            self.hits + other.hits,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
        )

    @property
    def errors(self) -> int:
        """Substitutions, deletions and insertions: the edit distance."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference(self) -> int:
        """How many units the reference has."""
        return self.hits + self.substitutions + self.deletions

    @property
    def hypothesis(self) -> int:
        """How many units the hypothesis has."""
        return self.hits + self.substitutions + self.insertions

    @property
    def error_rate(self) -> Fraction | None:
        """WER or CER, by the unit: errors a unit of the reference."""
        return Fraction(self.errors, self.reference) if self.reference else None

    @property
    def match_error_rate(self) -> Fraction | None:
        """MER: the share of the alignment that is an error (Morris, Maier and Green, Interspeech 2004)."""
        return Fraction(self.errors, self.hits + self.errors) if self.reference else None

    @property
    def information_lost(self) -> Fraction | None:
        """WIL: 1 - (hits / reference) (hits / hypothesis), 1 without a hypothesis (Morris, Maier and Green, 2004)."""
        if not self.reference:
            return None
        return 1 - Fraction(self.hits**2, self.reference * self.hypothesis) if self.hypothesis else Fraction(1)


@lru_cache(maxsize=1)
def _jiwer() -> ModuleType:
    with quiet_import():
        import jiwer
    return jiwer


def word_edits(reference: str, hypothesis: str) -> Edits:
    """Edits between the words of two texts, which white space parts; nothing else is changed in them."""
    said, heard = reference.split(), hypothesis.split()
    return _edits(len(said), len(heard), lambda: _jiwer().process_words(" ".join(said), " ".join(heard)))


def character_edits(reference: str, hypothesis: str) -> Edits:
    """Edits between the characters of two texts, blanks included but for those at the ends."""
    said, heard = reference.strip(), hypothesis.strip()
    return _edits(len(said), len(heard), lambda: _jiwer().process_characters(said, heard))


def _edits(said: int, heard: int, align: Callable[[], WordOutput | CharacterOutput]) -> Edits:
    # An empty side needs no alignment, and how jiwer takes it has changed between releases.
    if not said or not heard:
        return Edits(hits=0, substitutions=0, deletions=said, insertions=heard)
    counts = align()
    return Edits(counts.hits, counts.substitutions, counts.deletions, counts.insertions)
