"""Negations of other languages, and which language a text is in."""

from __future__ import annotations

import pytest

from pytest_talk2agent.speech.languages import base, known, knows, negations, spoken_in
from pytest_talk2agent.speech.tokens import tokenise


@pytest.mark.parametrize(
    ("named", "text", "found"),
    [
        ("en", "Do not delete the folder.", "en"),
        ("en", "Lösche den Ordner nicht.", "de"),
        ("en", "Ne supprime pas le dossier.", "fr"),
        ("en", "No borres la carpeta.", "es"),
        ("en", "Non cancellare la cartella.", "it"),
        ("en", "不要删除文件夹。", "zh"),
        ("en", "Open Firefox.", "en"),
        ("pt-BR", "Do not delete the folder.", "pt"),
    ],
)
def test_the_language_of_a_text(named: str, text: str, found: str) -> None:
    assert spoken_in(named, tokenise(text)) == found


@pytest.mark.parametrize(
    ("language", "text", "word", "count"),
    [
        ("de", "Lösche den Ordner nicht und speichere.", "ordner", 1),
        ("de", "Lösche den Ordner und speichere nicht.", "ordner", 0),
        ("fr", "Ne supprime pas le dossier", "dossier", 1),
        ("zh", "不要删除", "删", 1),
        ("zh", "删除不", "删", 0),
    ],
)
def test_negations_of_a_clause(language: str, text: str, word: str, count: int) -> None:
    stream = tokenise(text)
    at = stream.norms.index(word)
    assert negations(stream, at, at + 1, language) == count


def test_what_is_known() -> None:
    assert known() == ("de", "en", "es", "fr", "it", "zh")
    assert knows(base("de-AT"))
    assert not knows("pl")
