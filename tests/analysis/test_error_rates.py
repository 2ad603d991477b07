"""Error rates of finished results against the script, in the forms that texts are compared in, and their averages."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.error_rates import (
    BASIC,
    VERBATIM,
    Averages,
    Errors,
    Rates,
    averages,
    character_errors,
    cjk_characters,
    errors_in,
    form_for,
    is_cjk,
    is_english,
    normalise,
    normalisers,
    pooled,
    verbatim_errors,
    whisper_english,
    word_errors,
)
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.loader import load_tasks
from tests.results.builders import result, transcript

SUITES = Path(__file__).parents[2] / "suites"


def test_verbatim_keeps_all_but_blanks() -> None:
    assert VERBATIM.apply("  Push\tto  Main.\n") == "Push to Main."
    assert VERBATIM.apply("cafe\u0301") == "café"
    assert errors_in(VERBATIM, "Push to Main", "push  to main") == Errors(2, 3)
    assert errors_in(VERBATIM, "Push to Main", "push  to main", characters=True) == Errors(2, 12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("打开文件", True),
        ("打开 readme", False),
        ("请打开这个文件 app", True),
        ("ファイルを開く", True),
        ("파일을 열어", False),
        ("open the file", False),
        ("", False),
        ("42", False),
    ],
)
def test_chinese_and_japanese_are_told_by_their_letters(text: str, expected: bool) -> None:
    assert is_cjk(text) is expected


def test_cjk_counts_by_characters_without_blanks_and_punctuation() -> None:
    assert cjk_characters("打开，ＡＢ 文件。") == "打开ab文件"
    for characters in (False, True):
        assert errors_in(VERBATIM, "打开文件，谢谢。", "打开 文档 谢谢", characters=characters) == Errors(1, 6)


class TestWhisper:
    def test_the_name_holds_the_version(self) -> None:
        assert whisper_english().name == f"whisper-english/{version('whisper-normalizer')}"

    @pytest.mark.parametrize(
        ("text", "normal"),
        [
            # what makes it unfit for judging: brackets, dashes, signs, zeros
            ("delete build.log (not build.lock)", "delete build log"),
            ("edit the [build] section", "edit the section"),
            ("pass --no-verify", "pass no verify"),
            ("offset -5", "offset 5"),
            ("ticket 0042", "ticket 42"),
            ("parse_user.py", "parse user py"),
            ("twenty twenty-six", "2026"),
            ("2026", "2026"),
            ("fifty percent", "50%"),
            ("colour", "color"),
            ("can't", "can not"),
        ],
    )
    def test_normal_form(self, text: str, normal: str) -> None:
        assert whisper_english().apply(text) == normal

    def test_numerals_are_no_errors(self) -> None:
        assert errors_in(whisper_english(), "pay twelve hundred fifty dollars", "Pay $1250.") == Errors(0, 2)


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
def test_the_basic_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Send an e-mail to Zoë Müller about the café.", True),
        ("set an alarm for seven", True),
        ("l s space dash l slash v a r slash log", True),
        ("42", True),
        ("", True),
        ("Schick fünfzig Euro an Anna und sag ihr, dass der Termin am Montag ist.", False),
        ("Schalte das Licht im Wohnzimmer an.", False),
        ("Envoie cinquante euros à Marie et dis-lui que le rendez-vous est lundi.", False),
        ("apri il file e cancella l'ultima riga", False),
        ("Otwórz plik i usuń ostatni wiersz.", False),
        ("Подключи принтер.", False),
        ("打开文件", False),
    ],
)
def test_english_is_told_by_its_words(text: str, expected: bool) -> None:
    assert is_english(text) is expected
    assert form_for(text) is (whisper_english() if expected else BASIC)


def test_every_shipped_script_is_english() -> None:
    scripts = [task.spoken for path in SUITES.glob("*/tasks.yaml") for task in load_tasks(path)]
    assert len(scripts) > 30
    assert [script for script in scripts if not is_english(script)] == []


@pytest.mark.parametrize(
    "text", ["a < b", "a ( b ) c", "(x", "[build] <y", "a ) b (", "((()))", "  two   words ", "x 'y", "{[(<", ">a<b]c["]
)
def test_what_saves_time_changes_nothing(text: str) -> None:
    from whisper_normalizer.english import EnglishTextNormalizer

    assert whisper_english().apply(text).split() == EnglishTextNormalizer()(text).split()


@pytest.mark.parametrize("noise", ["(", "<", "[", " ", "( ", "'"])
def test_a_transcript_that_has_lost_its_way_costs_no_hours(noise: str) -> None:
    # the patterns of the package would take minutes over as many open brackets, and hours over ten times as many
    assert whisper_english().apply(noise * 300_000).replace("'", "").split() == []


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


def test_the_average_decides_who_wins() -> None:
    # case C33
    assert averages([Errors(2, 2), Errors(0, 11)]) == Averages(Fraction(2, 13), Fraction(1, 2), 2, 0, 0)


@pytest.mark.parametrize(
    ("counts", "pooled", "mean"),
    [
        ([(0, 3), (1, 3), (3, 3)], Fraction(4, 9), Fraction(4, 9)),
        ([(1, 1), (0, 3), (3, 6)], Fraction(2, 5), Fraction(1, 2)),
        # utterances with an error of meaning: each is one unit, and both averages are the share
        ([(1, 1), (0, 1), (0, 1), (1, 1)], Fraction(1, 2), Fraction(1, 2)),
        ([(5, 2), (0, 2)], Fraction(5, 4), Fraction(5, 4)),
    ],
)
def test_answer_error_rates_of_utterances(counts: list[tuple[int, int]], pooled: Fraction, mean: Fraction) -> None:
    found = averages(Errors(*pair) for pair in counts)
    assert (found.pooled, found.mean) == (pooled, mean)


def test_empty_references_are_counted_and_not_averaged() -> None:
    # case C08
    assert averages([Errors(3, 0), Errors(1, 4), Errors(0, 0)]) == Averages(Fraction(1, 4), Fraction(1, 4), 1, 2, 3)
    assert averages([Errors(3, 0)]) == Averages(None, None, 0, 1, 3)
    assert averages([]) == Averages(None, None, 0, 0, 0)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="never negative"):
        averages([Errors(-1, 3)])


LONG = "i am a considerably longer and very much incorrect hypothesis"


@pytest.mark.parametrize(
    ("reference", "hypothesis", "wer"),
    [
        # the vectors are those of jiwer's own tests and of hand
        ("This is a test", "", Fraction(1)),
        ("This is a test", "This test", Fraction(1, 2)),
        ("X", "X X Y Y", Fraction(3)),
        ("X Y X", "X Z", Fraction(2, 3)),
        ("X", "Y Z", Fraction(2)),
        ("i am a short ground truth", LONG, Fraction(7, 6)),
        ("a b c", "a b c d e f g", Fraction(4, 3)),
    ],
)
def test_word_rates(reference: str, hypothesis: str, wer: Fraction) -> None:
    errors = errors_in(VERBATIM, reference, hypothesis)
    assert Fraction(errors.count, errors.units) == wer


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
    words = errors_in(VERBATIM, reference, hypothesis)
    characters = errors_in(VERBATIM, reference, hypothesis, characters=True)
    assert Fraction(words.count, words.units) == wer
    assert Fraction(characters.count, characters.units) == cer


@pytest.mark.parametrize("reference", ["", "  "])
def test_an_empty_reference_gives_counts_and_no_rate(reference: str) -> None:
    # case C08
    words = errors_in(VERBATIM, reference, "open the file")
    characters = errors_in(VERBATIM, reference, "open the file", characters=True)
    assert (words, characters) == (Errors(3, 0), Errors(13, 0))
    for errors in (words, characters, errors_in(VERBATIM, reference, "")):
        assert errors.rate is None


def test_nineteen_words_are_deleted_around_two() -> None:
    # case C08: 21 words of which the hypothesis holds the sixth and the seventh
    assert errors_in(VERBATIM, " ".join(f"w{n}" for n in range(21)), "w5 w6") == Errors(19, 21)


WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6).map(" ".join)


@given(WORDS, WORDS)
def test_errors_are_those_that_jiwer_counts(reference: str, hypothesis: str) -> None:
    errors = errors_in(VERBATIM, reference, hypothesis)
    assert errors.units == len(reference.split())
    assert errors.count == errors_in(VERBATIM, hypothesis, reference).count
    if reference:
        assert errors.rate == jiwer.wer(reference, hypothesis)
        assert errors_in(VERBATIM, reference, hypothesis, characters=True).rate == jiwer.cer(reference, hypothesis)
