"""WER, MER, WIL and CER as exact fractions; the vectors are those of jiwer's own tests and of hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.edits import Edits, character_edits, word_edits

LONG = "i am a considerably longer and very much incorrect hypothesis"


@pytest.mark.parametrize(
    ("reference", "hypothesis", "wer", "mer", "wil"),
    [
        ("This is a test", "", Fraction(1), Fraction(1), Fraction(1)),
        ("This is a test", "This test", Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)),
        ("X", "X X Y Y", Fraction(3), Fraction(3, 4), Fraction(3, 4)),
        ("X Y X", "X Z", Fraction(2, 3), Fraction(2, 3), Fraction(5, 6)),
        ("X", "Y Z", Fraction(2), Fraction(1), Fraction(1)),
        ("i am a short ground truth", LONG, Fraction(7, 6), Fraction(7, 10), Fraction(17, 20)),
        ("a b c", "a b c d e f g", Fraction(4, 3), Fraction(4, 7), Fraction(4, 7)),
    ],
)
def test_word_rates(reference: str, hypothesis: str, wer: Fraction, mer: Fraction, wil: Fraction) -> None:
    edits = word_edits(reference, hypothesis)
    assert (edits.error_rate, edits.match_error_rate, edits.information_lost) == (wer, mer, wil)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "wer", "cer"),
    [
        ("This is a test", "", Fraction(1), Fraction(1)),
        ("a b c", "a b c d e f g", Fraction(4, 3), Fraction(8, 5)),
        ("do not overwrite the backup", "do overwrite the backup", Fraction(1, 5), Fraction(4, 27)),
        ("move alpha to beta", "move beta to alpha", Fraction(1, 2), Fraction(8, 18)),
        ("copy a b c to d", "copy a b c to e", Fraction(1, 6), Fraction(1, 15)),
        ("open src slash app dot py", "open src/app.py", Fraction(5, 6), Fraction(12, 25)),
        ("Push to Main", "push to main", Fraction(2, 3), Fraction(1, 6)),
    ],
)
def test_word_and_character_error_rates(reference: str, hypothesis: str, wer: Fraction, cer: Fraction) -> None:
    assert word_edits(reference, hypothesis).error_rate == wer
    assert character_edits(reference, hypothesis).error_rate == cer


@pytest.mark.parametrize("reference", ["", "  "])
def test_an_empty_reference_gives_counts_and_no_rate(reference: str) -> None:
    # case C08
    words, characters = word_edits(reference, "open the file"), character_edits(reference, "open the file")
    assert (words.errors, characters.errors) == (3, 13)
    for edits in (words, characters, word_edits(reference, "")):
        assert (edits.error_rate, edits.match_error_rate, edits.information_lost) == (None, None, None)


def test_nineteen_words_are_deleted_around_two() -> None:
    # case C08: 21 words of which the hypothesis holds the sixth and the seventh
    assert word_edits(" ".join(f"w{n}" for n in range(21)), "w5 w6") == Edits(2, 0, 19, 0)


def test_adding_up_pools() -> None:
    # case C33: two of two words wrong, none of eleven
    pooled = Edits(0, 2, 0, 0) + Edits(11, 0, 0, 0)
    assert (pooled.error_rate, pooled.reference, pooled.hypothesis) == (Fraction(2, 13), 13, 13)


WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6).map(" ".join)


@given(WORDS, WORDS)
def test_counts_add_up(reference: str, hypothesis: str) -> None:
    edits = word_edits(reference, hypothesis)
    assert edits.reference == len(reference.split())
    assert edits.hypothesis == len(hypothesis.split())
    assert edits.errors == word_edits(hypothesis, reference).errors
    assert (edits.errors == 0) == (reference == hypothesis)
