from __future__ import annotations

import pytest

from pytest_talk2agent.context.pronunciation import atom, is_fixed, pronounced, sounds_of


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        ("report_final.docx", ("report", "_", "final", ".", "docx")),
        ("loadRows", ("load", "rows")),
        ("HTTPServer2", ("http", "server", "2")),
        ("/srv/archive/2026", ("/", "srv", "/", "archive", "/", "2026")),
        ("Nora Lindgren", ("nora", "lindgren")),
        ("--dry-run", ("-", "-", "dry", "-", "run")),
        ("", ()),
    ],
)
def test_a_term_has_parts(term: str, parts: tuple[str, ...]) -> None:
    assert pronounced(term).parts == parts


def test_what_a_term_is_made_of() -> None:
    term = pronounced("/var/log_2.tar.gz")
    assert (term.lead, term.trail, term.extension) == ("/", "", True)
    assert term.letters == "varlog2targz"
    assert term.words == ("var", "log", "tar", "gz")
    assert term.symbols == {"/", "_", "."}
    assert pronounced("invoice_").trail == "_"
    assert not pronounced("2.10.1").extension


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("nginx", ["en", "jin", "x"]),
        ("rsync", ["r", "sync"]),
        ("pdf", ["p", "d", "f"]),
        ("srv", ["s", "r", "v"]),
        ("a.docx", ["a", ".", "doc", "x"]),
        ("a.yaml", ["a", ".", "yammel"]),
    ],
)
def test_a_term_has_the_readings_that_people_use(term: str, said: list[str]) -> None:
    vowels = str.maketrans({"Y": "i", "j": "g"})
    wanted = "".join("." if word == "." else sounds_of(word) for word in said).translate(vowels)
    assert wanted in [reading.sounds.translate(vowels) for reading in pronounced(term).readings]


def test_every_sound_has_its_part() -> None:
    for term in ("report_final.docx", "nginx-tree.txt", "no_clobber2"):
        for reading in pronounced(term).readings:
            assert len(reading.sounds) == len(reading.owners)
            assert "".join(reading.of(index) for index in range(len(pronounced(term).parts))) == reading.sounds


def test_numbers_and_negations_are_like_nothing_else() -> None:
    signs = [atom(word) for word in ("no", "not", "one", "two", "twelfth", "hundred")]
    assert None not in signs
    assert len(set(signs)) == len(signs)
    assert all(is_fixed(sign) for sign in signs if sign)
    assert atom("know") is None
    assert atom("no") == atom("no")
    assert is_fixed("7")
    assert not is_fixed("b")
