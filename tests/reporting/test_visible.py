"""Text that was heard, named or thrown elsewhere, and tables of it."""

from __future__ import annotations

import json
import subprocess
import unicodedata

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_talk2agent.reporting.visible import (
    encodable,
    shell_word,
    table,
    visible,
    visible_json,
    visible_line,
    visible_lines,
)
from pytest_talk2agent.tasks.importers.draft import to_yaml

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("\x00\x07\t\r\n\x1b\x7f\x9b\u200b\u200d\u202e\u2028\ufeff\ufe0f:#[ \u00a0\u3000é👩\\"),
    )
)
NEVER = {"Cc", "Cs", "Zl", "Zp"}


def is_command(line: str) -> bool:
    """How the runner of GitHub Actions looks at a line (ActionCommand.cs); .NET trims Unicode's blanks, too."""
    return line.strip().startswith("::") or "##[" in line


@given(HOSTILE)
def test_nothing_steers_a_terminal_and_no_line_is_a_command(text: str) -> None:
    for shown in (visible(text), visible_line(text)):
        assert not [one for one in shown if unicodedata.category(one) in NEVER and one != "\n"]
        assert not any(map(is_command, shown.split("\n")))
    assert "\n" not in visible_line(text)
    shown.encode()


@given(HOSTILE)
def test_what_is_visible_stays(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert visible_line(visible_line(text)) == visible_line(text)


@given(
    st.text(
        alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters=":#\u3164\uffa0\u115f\u1160")
    )
)
def test_plain_text_stays(text: str) -> None:
    assert visible(text) == text == visible_line(text)


def test_every_character_of_unicode() -> None:
    for code in range(0x110000):
        character = chr(code)
        shown = visible(f"a{character}b")
        if unicodedata.category(character) in NEVER and character != "\n":
            assert shown == f"a{character.encode('unicode-escape').decode()}b"
        assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;pwn\x07", r"\x1b[2J\x1b]0;pwn\x07"),
        ("8080\u202e0808", r"8080\u202e0808"),
        ("ad\u200bmin", r"ad\u200bmin"),
        ("half \ud83d", r"half \ud83d"),
        ("a\r\nb\rc\td", "a\nb\\rc\\td"),
        ("a\u2028b\x85c", r"a\u2028b\x85c"),
        ("\U000e0041tag", r"\U000e0041tag"),
        ("  ::stop-commands::x", r"  \x3a:stop-commands::x"),
        ("\u3000::set-env", "\u3000\\x3a:set-env"),
        ("one\n::two", "one\n\\x3a:two"),
        ("x ##[add-mask]e", r"x ##\x5badd-mask]e"),
        ("##vso[task.complete]", r"##vso\x5btask.complete]"),
        ("##teamcity[testStarted]", r"##teamcity\x5btestStarted]"),
        ("f.yaml::task[a] # [b]", "f.yaml::task[a] # [b]"),
        (r"a \x1b that was written so", r"a \x1b that was written so"),
    ],
)
def test_how_it_is_spelled(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["👩‍💻", "❤️‍🔥", "1️⃣", "می‌خواهم", "क्‍ष", "naïve 東京 ﷺ Ωmega"])
def test_what_scripts_and_pictures_are_joined_with_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", ["a\u200db", "\u200dx", "x\u200c", "8\ufe0f", "é\u200d\u200dé"])
def test_the_same_characters_elsewhere_are_spelled(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text) != text


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\t"])
def test_one_line_is_one_whatever_ends_it(end: str) -> None:
    assert visible_line(f"a{end}::b") == "a ::b"


def test_lines_stay_as_many_as_they_are() -> None:
    assert visible_lines(["a\nb", "::c"]) == ["a b", r"\x3a:c"]


@given(st.recursive(HOSTILE, lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner)))
def test_json_means_the_same(value: object) -> None:
    shown = visible_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(shown) == value
    assert visible(shown) == shown


@example([{"say": "\ufe00"}])
@example([{"say": "\u3164"}])
@given(st.lists(st.dictionaries(st.just("say") | st.just("instruction"), HOSTILE | st.text()), min_size=1))
def test_yaml_means_the_same(documents: list[dict[str, str]]) -> None:
    documents = [{name: text.encode(errors="replace").decode() for name, text in each.items()} for each in documents]
    shown = visible(to_yaml(documents))
    assert list(yaml.safe_load_all(shown)) == documents
    assert visible(shown) == shown


class TestEncodable:
    def test_lines_stay_lines_where_a_bar_cannot_be_written(self) -> None:
        assert encodable("a ██·· 0.5\nb → “c” é", "ascii") == 'a ##.. 0.5\nb > "c" \\xe9'

    def test_what_can_be_written_stays(self) -> None:
        assert encodable("a ██·· é", "utf-8") == "a ██·· é"
        assert encodable("é ·", "latin-1") == "é ·"

    def test_no_command_comes_out_of_it(self) -> None:
        assert not is_command(encodable("██[add-mask]x", "ascii"))

    @given(HOSTILE, st.sampled_from(["ascii", "latin-1", "cp1252", "cp932", "utf-8"]))
    def test_it_can_be_written(self, text: str, encoding: str) -> None:
        encodable(visible(text), encoding).encode(encoding)


class TestShellWord:
    @pytest.mark.parametrize("text", ["plain", "two words", "it's $(x) `y`", "a=b;c", ""])
    def test_plain_words_are_quoted_as_everywhere(self, text: str) -> None:
        assert self.read(shell_word(text)) == text.encode()

    @pytest.mark.parametrize(
        "text", ["a\n$(touch pwned)", "\x1b[2J'\\", "##[x]", "::stop", "\u202e\u200b", "tab\there", "\udcff\x9b"]
    )
    def test_others_can_be_read_and_mean_the_same(self, text: str) -> None:
        word = shell_word(text)
        assert visible_line(word) == word
        assert self.read(word) == text.encode(errors="surrogateescape")

    @staticmethod
    def read(word: str) -> bytes:
        command = ["bash", "-c", f"printf %s {word}"]
        return subprocess.run(command, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}).stdout


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert table(["item", "n"], [["a", "1"], ["long name", "22"]]) == ["item       n", "a          1", "long name  22"]


def test_no_line_ends_in_blanks() -> None:
    assert table(["item", "what"], [["a", ""]]) == ["item  what", "a"]


def test_a_table_without_rows_is_its_head() -> None:
    assert table(["item", "what"], []) == ["item  what"]
