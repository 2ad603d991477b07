"""Values that are symbols alone."""

from __future__ import annotations

import pytest

from tests.judging.policy import label_of

KINDS = ["term", "text", "choice", "code", "identifier"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("say", "said", "heard", "label"),
    [
        (">", '">"', '">"', "retained"),
        (">", '">"', ">", "retained"),
        (">", '">"', "greater than", "retained"),
        (">", '">"', "greater than sign", "retained"),
        (">", "greater than sign", ">", "retained"),
        (">", '">"', "less than", "changed"),
        (">", '">"', '"<"', "changed"),
        (">", '">"', '">="', "changed"),
        (">", '">"', "", "omitted"),
        ("#", "#", "#", "retained"),
        ("#", "#", "hash", "retained"),
        ("#", "hash", "a hash sign", "retained"),
        ("#", "#", "ash", "changed"),
        ("#", "#", "C#", "changed"),
        ("√", "√", "√", "retained"),
        ("√", "√", "the square root sign", "retained"),
        ("√", "√", "✓", "changed"),
        ("√", "√", "", "omitted"),
        (",", '","', '","', "retained"),
        (",", '","', "comma", "retained"),
        (",", '","', '";"', "changed"),
        (",", '","', "semicolon", "changed"),
        ("***", "***", "***", "retained"),
        ("***", "***", "star star star", "retained"),
        ("***", "***", "**", "changed"),
        ("->", "->", "dash greater than", "retained"),
        ("->", "->", "-", "changed"),
        ("@", "@", "at sign", "retained"),
        ("—", "—", "—", "retained"),
    ],
)
def test_symbols(kind: str, say: str, said: str, heard: str, label: str) -> None:
    script, transcript = f"put {said} before every line of it", f"put {heard} before every line of it"
    assert label_of(say, kind, script, transcript) == label


def test_a_preposition_is_no_symbol() -> None:
    assert label_of("@", "term", "set the @ sign at the top", "set the sign at the top") == "omitted"


def test_an_option_that_is_another_symbol_is_changed() -> None:
    script = "sort it with > between the rows"
    assert label_of(">", "choice", script, "sort it with < between the rows", options=[">", "<"]) == "changed"


def test_commas_of_a_quoted_list_are_no_symbols() -> None:
    script = 'separate "oak","ash" and "elm" by "," alone'
    assert label_of(",", "text", script, script) == "retained"
    assert label_of(",", "text", script, 'separate "oak","ash" and "elm" by alone') == "omitted"
