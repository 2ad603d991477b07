from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import label_of, labels_of


@pytest.mark.parametrize(
    ("say", "heard", "label"),
    [
        ("Firefox", "fire fox", "retained"),
        ("CO2", "c o 2", "retained"),
        ("PDF", "P.D.F.", "retained"),
        ("Okular", "ocular", "unresolved"),
        ("Birch", "beach", "changed"),
        ("main", "mean", "changed"),
        ("Odile Brandvik", "odile brandvik", "retained"),
        ("Odile Brandvik", "Odile Branvik", "changed"),
        ("Lindqvist", "Lindquist", "unresolved"),
        ("mail relay", "male relay", "unresolved"),
        ("Firefox", "", "omitted"),
    ],
)
def test_term(say: str, heard: str, label: str) -> None:
    assert label_of(say, "term", f"open the {say} now and wait", f"open the {heard} now and wait") == label


@pytest.mark.parametrize("kind", ["term", "text", "code"])
def test_a_number_at_the_end_of_a_line_is_not_that_of_the_next(kind: str) -> None:
    words = "Buy a board.\n2. The chip is a Quartz 8 Rev 3\n3. It has two ports"
    assert label_of("Quartz 8 Rev 3", kind, words, words) == "retained"
    assert label_of("Quartz 8 Rev 3", kind, words, words.replace("Rev 3", "Rev 5")) == "changed"


def test_a_listed_spelling_is_the_same_name() -> None:
    script = "send it to ivor lindqvist today"
    assert label_of("Ivor Lindqvist", "term", script, "send it to Ivor Lindquist today", also="Ivor Lindquist") == (
        "retained"
    )


def test_swapped_names_are_both_changed() -> None:
    wanted = {"a": {"say": "alpha", "kind": "term"}, "b": {"say": "bravo", "kind": "term"}}
    assert labels_of(wanted, "move it from alpha to bravo now", "move it from bravo to alpha now") == {
        "a": "changed",
        "b": "changed",
    }


def test_a_homophone_in_a_list_is_changed() -> None:
    script = "open the schemas sales, stock and staff now"
    assert label_of(["sales", "stock", "staff"], "term", script, "open the schemas sails, stock and staff now") == (
        "changed"
    )


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("descending", "retained"),
        ("downwards", "retained"),
        ("ascending", "changed"),
        ("random", "changed"),
        ("", "omitted"),
    ],
)
def test_choice(heard: str, label: str) -> None:
    script = "sort the list descending and print it"
    got = label_of(
        "descending", "choice", script, f"sort the list {heard} and print it",
        options=["ascending", "descending"], also=["downwards"],
    )  # fmt: skip
    assert got == label


def test_a_longer_option_is_not_taken_for_a_shorter_one() -> None:
    script = "set the access to read and write for all"
    fields: dict[str, Any] = {"options": ["read", "read and write"]}
    assert label_of("read", "choice", "set the access to read for all", script, **fields) == "changed"
    assert label_of("read and write", "choice", script, script, **fields) == "retained"


TEXT = "commit with the message do not remove the site map and push it"


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("do not remove the site map", "retained"),
        ("“Don't remove the site map”", "retained"),
        ("do not, um, remove the site map", "retained"),
        ("do not remove the sight map", "unresolved"),
        ("do not remove the sitemap", "unresolved"),
        ("do not remove the map", "changed"),
        ("do not remove the old site map", "changed"),
        ("do remove the site map", "changed"),
        ("", "omitted"),
    ],
)
def test_text(heard: str, label: str) -> None:
    transcript = f"commit with the message {heard} and push it"
    assert label_of("do not remove the site map", "text", TEXT, transcript) == label


def test_words_inside_quotation_marks_are_all_of_the_text() -> None:
    script = "set the title to long files and mail it"
    assert label_of("long files", "text", script, 'set the title to "long files" and mail it') == "retained"
    assert label_of("long files", "text", script, 'set the title to "very long files" and mail it') == "changed"


def test_numbers_in_text_may_be_digits_or_words() -> None:
    script = "set the reply to back on the twentieth of type one and wait"
    heard = "set the reply to back on the 20th of type 1 and wait"
    assert label_of("back on the twentieth of type one", "text", script, heard) == "retained"


def test_a_possessive_mark_is_punctuation_and_never_a_verb() -> None:
    script = "empty the printer's queue today"
    assert label_of("the printer's queue", "text", script, "empty the printers queue today") == "retained"
    assert label_of("the printer's queue", "text", script, "empty the printer is queue today") == "changed"
    assert label_of("it's ready", "text", "say it's ready now", "say it is ready now") == "retained"


def test_an_article_is_no_letter_of_an_acronym() -> None:
    assert label_of("PDF", "term", "attach a P D F file now", "attach a P D F file now") == "retained"


def test_exact_text() -> None:
    script = "put the text Ready, set, go! on it"
    say = "Ready, set, go!"
    assert label_of(say, "text", script, 'put the text "Ready, set, go!" on it', case="exact") == "retained"
    assert label_of(say, "text", script, "Put the text Ready set go on it", case="exact") == "unresolved"
    assert label_of(say, "text", script, "put the text ready set go on it", case="exact") == "unresolved"
    assert label_of(say, "text", script, "Put the text ready, set, go! on it", case="exact") == "changed"


def test_chinese_text() -> None:
    assert label_of("你好世界", "text", "写下 你好世界 然后保存", "写下你好世界然后保存") == "retained"
    assert label_of("你好世界", "text", "写下 你好世界 然后保存", "写下你好时界然后保存") == "changed"
