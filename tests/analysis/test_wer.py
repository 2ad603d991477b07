"""Error rates as counts that can be added up."""

from __future__ import annotations

import pytest

from pytest_talk2agent.analysis.wer import error_rates, normalise
from pytest_talk2agent.results.record import ErrorRates


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Set the Port, please!", "set the port please"),
        ("report_final.docx", "report final docx"),
        ("empty the printer's queue", "empty the printers queue"),
        ("don’t", "dont"),
        ("  a \u2028 b\n", "a b"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("...", ""),
        ("20mm", "20mm"),
        ("हिन्दी में", "हिन्दी में"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("cafe\u0301", "café"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("heard", "word_errors"),
    [
        ("Set the port to eighty.", 0),
        ("set a port to eighty", 1),
        ("set port to eighty", 1),
        ("set the the port to eighty", 1),
        ("", 5),
        ("a completely different sentence it is", 6),
    ],
)
def test_words_are_counted_by_the_reference(heard: str, word_errors: int) -> None:
    rates = error_rates(["set the port to eighty"], heard)
    assert (rates.word_errors, rates.words) == (word_errors, 5)


def test_characters_are_counted_with_their_blanks() -> None:
    rates = error_rates(["ab cd"], "ab cx")
    assert (rates.character_errors, rates.characters) == (1, 5)


def test_an_empty_hypothesis_loses_everything() -> None:
    assert error_rates(["ab cd"], "") == ErrorRates(word_errors=2, words=2, character_errors=5, characters=5)


@pytest.mark.parametrize("reference", ["", "  ", "..."])
def test_an_empty_reference_gives_a_count_and_no_rate(reference: str) -> None:
    # case C08: a hallucination of three words
    rates = error_rates([reference], "thank you very")
    assert (rates.word_errors, rates.words, rates.character_errors, rates.characters) == (3, 0, 14, 0)
    assert rates.wer is None


def test_nothing_said_and_nothing_heard_is_no_error() -> None:
    assert error_rates([""], "") == ErrorRates(0, 0, 0, 0)


def test_deletions_on_both_sides_of_a_match_are_all_counted() -> None:
    # case C08: 21 reference words of which the hypothesis holds only the sixth and the seventh
    words = [f"w{number}" for number in range(21)]
    rates = error_rates([" ".join(words)], "w5 w6")
    assert (rates.word_errors, rates.words) == (19, 21)


def test_a_wrong_numeral_is_one_word() -> None:
    # case C01: only the judge knows that 36 is right; the rate counts words
    assert error_rates(["set the timeout to thirty six"], "set the timeout to 36").word_errors == 2


def test_the_nearest_reference_counts() -> None:
    # cases C01 and C06: a recogniser may print numerals or words
    spoken, written = "set the timeout to thirty six seconds", "Set the timeout to 36 seconds."
    assert error_rates([spoken, written], "set the timeout to 36 seconds").word_errors == 0
    assert error_rates([spoken, written], "set the timeout to thirty six seconds").word_errors == 0
    assert error_rates([spoken, written], "set the timeout to 3006 seconds").words == 6


def test_the_first_reference_counts_where_both_are_as_near() -> None:
    assert error_rates(["one two three", "one two"], "one two x").words == 3


def test_right_to_left_text_is_counted_in_reading_order() -> None:
    assert error_rates(["שלום לך עולם"], "שלום עולם") == ErrorRates(1, 3, 3, 12)
