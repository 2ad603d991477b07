"""Verbatim, Whisper's normal form, and Chinese and Japanese by characters."""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.forms import (
    BASIC,
    VERBATIM,
    cjk_characters,
    form_for,
    is_cjk,
    is_english,
    normalise,
    whisper_english,
)
from pytest_talk2agent.tasks.loader import load_tasks

SUITES = Path(__file__).parents[2] / "suites"


def test_verbatim_keeps_all_but_blanks() -> None:
    assert VERBATIM.apply("  Push\tto  Main.\n") == "Push to Main."
    assert VERBATIM.apply("cafe\u0301") == "café"
    assert VERBATIM.edits("Push to Main", "push  to main").error_rate == Fraction(2, 3)
    assert VERBATIM.character_edits("Push to Main", "push  to main").error_rate == Fraction(1, 6)


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
    edits = VERBATIM.edits("打开文件，谢谢。", "打开 文档 谢谢")
    assert (edits.errors, edits.reference) == (1, 6)
    assert VERBATIM.character_edits("打开文件，谢谢。", "打开 文档 谢谢") == edits


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
        edits = whisper_english().edits("pay twelve hundred fifty dollars", "Pay $1250.")
        assert (edits.errors, edits.reference) == (0, 2)


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
