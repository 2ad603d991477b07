"""Verbatim, Whisper's normal form, and Chinese and Japanese by characters."""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import version

import pytest

from pytest_talk2agent.analysis import forms
from pytest_talk2agent.analysis.forms import VERBATIM, cjk_characters, is_cjk, whisper_english


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
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("whisper_normalizer", reason="whisper-normalizer is not installed")

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


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    whisper_english.cache_clear()
    monkeypatch.setattr(forms, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"whisper-normalizer; pip install \"pytest-talk2agent\[metrics\]\""):
        whisper_english()
