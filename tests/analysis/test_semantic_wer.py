"""Semantic WER: the model counts, the ratio is made here."""

from __future__ import annotations

import pytest

from pytest_talk2agent.analysis.semantic_wer import SemanticEdits, semantic_edits
from tests.analysis.scripted import Scripted


def counts(substitutions: int, deletions: int, insertions: int, words: int) -> dict[str, int]:
    return {
        "substitutions": substitutions,
        "deletions": deletions,
        "insertions": insertions,
        "reference_words": words,
    }


@pytest.mark.parametrize(
    ("answer", "rate"),
    [
        (counts(1, 0, 0, 29), 0.034483),
        (counts(2, 0, 0, 31), 0.064516),
        (counts(3, 1, 0, 32), 0.125),
        (counts(1, 0, 0, 32), 0.03125),
        (counts(0, 0, 0, 11), 0),
        (counts(0, 0, 2, 7), 0.285714),
    ],
)
def test_rates(answer: dict[str, int], rate: float) -> None:
    found = semantic_edits(Scripted(answer), "what was said", "what was heard").rate
    assert found is not None
    assert float(found) == pytest.approx(rate, abs=5e-7)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("open the file", "", SemanticEdits(3, 3)),
        ("open the file", "...", SemanticEdits(3, 3)),
        ("", "open the file", SemanticEdits(3, 0)),
        ("", "", SemanticEdits(0, 0)),
    ],
)
def test_an_empty_text_is_no_question(reference: str, hypothesis: str, expected: SemanticEdits) -> None:
    assert semantic_edits(Scripted(), reference, hypothesis) == expected


def test_no_reference_no_rate() -> None:
    assert SemanticEdits(3, 0).rate is None
    assert SemanticEdits(3, 3).rate == 1


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (counts(-1, 0, 0, 5), "negative"),
        (counts(0, 0, 1, 0), "no word"),
        (counts(3, 3, 0, 5), "more words are substituted or deleted than the 5"),
        ({**counts(1, 0, 0, 5), "rate": 0.2}, "rate: Extra inputs"),
        ({**counts(1, 0, 0, 5), "insertions": 0.5}, "insertions: Input should be a valid integer"),
    ],
)
def test_counts_of_no_alignment_are_no_score(answer: dict[str, int], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        semantic_edits(Scripted(answer), "what was said", "what was heard")
