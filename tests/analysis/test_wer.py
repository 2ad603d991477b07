"""Error rates of finished results: against the script, in the normal form of its language, and as it stands."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

import pytest

from pytest_talk2agent.analysis.wer import (
    Errors,
    Rates,
    character_errors,
    normalisers,
    pooled,
    verbatim_errors,
    word_errors,
)
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import result, transcript

WHISPER = f"whisper-english/{version('whisper-normalizer')}"


def heard(said: str, text: str) -> TaskResult:
    return replace(result(heard=transcript(text)), said=said)


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("Set the port to eighty.", 0),
        ("set a port to eighty", 1),
        ("set port to eighty", 1),
        ("set the the port to eighty", 1),
        ("", 5),
        ("a completely different sentence it is", 6),
    ],
)
def test_words_are_counted_by_the_reference(text: str, errors: int) -> None:
    assert word_errors(heard("set the port to eighty", text)) == Errors(errors, 5)


@pytest.mark.parametrize(
    ("said", "text", "wer", "verbatim"),
    [
        # cases C01 and N15: what is right in figures is no error, but for those who look at the letters
        ("set the timeout to thirty six", "Set the timeout to 36.", 0, 3 / 6),
        ("keep logs of two hundred and fifty megabytes", "keep logs of 250 megabytes", 0, 4 / 8),
        ("set the timeout to thirty six", "set the timeout to 3006", 1 / 5, 2 / 6),
        ("don't colour it", "do not color it", 0, 3 / 3),
        ("pay fifty percent", "pay 50%", 0, 2 / 3),
    ],
)
def test_english_is_compared_in_whispers_normal_form(said: str, text: str, wer: float, verbatim: float) -> None:
    row = heard(said, text)
    assert word_errors(row).rate == pytest.approx(wer)
    assert verbatim_errors(row).rate == pytest.approx(verbatim)
    assert normalisers([row]) == [WHISPER]


@pytest.mark.parametrize(
    ("said", "text", "errors"),
    [
        # the English normaliser drops diacritics, and takes these for the same
        ("Das Essen ist schön und das Konto ist leer.", "das essen ist schon und das konto ist leer", Errors(1, 9)),
        ("Löse die Aufgabe für Frau Müller.", "lose die aufgabe für frau müller", Errors(1, 6)),
        ("Подними флаг над домом сегодня.", "подними флаг над домом", Errors(1, 5)),
        ("Hatte er fünf oder fünfzig Euro?", "hatte er fünf oder 50 euro", Errors(1, 6)),
        ("שלום לך עולם", "שלום עולם", Errors(1, 3)),
        ("打开文件，谢谢。", "打开 文档 谢谢", Errors(1, 6)),
    ],
)
def test_other_languages_keep_their_letters(said: str, text: str, errors: Errors) -> None:
    assert word_errors(heard(said, text)) == errors
    assert normalisers([heard(said, text)]) == ["basic/1"]


def test_characters_are_counted_with_their_blanks() -> None:
    assert character_errors(heard("ab cd", "ab cx")) == Errors(1, 5)
    assert character_errors(heard("שלום לך עולם", "שלום עולם")) == Errors(3, 12)
    assert character_errors(heard("打开文件，谢谢。", "打开 文档 谢谢")) == Errors(1, 6)


def test_an_empty_hypothesis_loses_everything() -> None:
    row = heard("open door", "")
    assert (word_errors(row), character_errors(row)) == (Errors(2, 2), Errors(9, 9))


@pytest.mark.parametrize("reference", ["", "  ", "\n"])
def test_an_empty_reference_gives_a_count_and_no_rate(reference: str) -> None:
    # case C08: a hallucination of three words
    row = heard(reference, "thank you very")
    assert (word_errors(row), character_errors(row)) == (Errors(3, 0), Errors(14, 0))
    assert word_errors(row).rate is None
    assert word_errors(heard(reference, "")) == Errors(0, 0)


def test_deletions_on_both_sides_of_a_match_are_all_counted() -> None:
    # case C08: 21 reference words of which the hypothesis holds only the sixth and the seventh
    words = "a list of words in which each stands but once so that no other place can ever be found for it"
    assert word_errors(heard(words, "each stands")) == Errors(19, 21)


def test_rates_are_pooled_not_averaged() -> None:
    rows = [heard("stop", "start"), heard("set the port of this one to the other one now", "")]
    rows.append(heard("", "nothing was said here"))
    assert pooled(rows[:2]) == Rates(1.0, 1.0)
    assert pooled([rows[0], heard("open the door", "Open the door")]) == Rates(1 / 4, 2 / 4)
    assert pooled([*rows[:1], rows[2]]) == Rates(1.0, 1.0)  # what was invented over silence is in no rate
    assert pooled(rows[2:]) == pooled([]) == Rates(None, None)


def test_the_forms_of_a_run_are_named() -> None:
    rows = [heard("open the door", ""), heard("Öffne bitte die Tür.", ""), heard("close the door", "")]
    assert normalisers(rows) == ["basic/1", WHISPER]
