from __future__ import annotations

import pytest

from pytest_talk2agent.context.windows import consonants, goes_on, hear, lost


def test_the_pieces_of_a_transcript() -> None:
    text = "Open forward slash srv, take twenty one dot mp3; do not stop engine X."
    pieces = hear(text)
    assert [text[piece.start : piece.end] for piece in pieces] == [
        "Open", "forward slash", "srv", "take", "twenty one", "dot", "mp", "3", "do", "not", "stop", "engine", "X",
    ]  # fmt: skip
    by_norm = {piece.norm: piece for piece in pieces}
    assert by_norm["forwardslash"].symbol == "/"
    assert not by_norm["forwardslash"].printed
    assert "21" in by_norm["twentyone"].options
    assert by_norm["3"].joined
    assert by_norm["take"].paused
    assert by_norm["not"].fixed
    assert by_norm["engine"].ordinary
    assert not by_norm["x"].ordinary
    assert by_norm["srv"].spelled


@pytest.mark.parametrize(
    ("text", "index"),
    [("a.luka", 1), ("luka_old", 0), ("luka dot txt", 0), ("dash luka", 0), ("3ary", 0)],
)
def test_a_name_goes_on(text: str, index: int) -> None:
    pieces = hear(text)
    assert goes_on(pieces[index], pieces[index + 1])


@pytest.mark.parametrize("text", ["docs/luka", "docs slash luka", "(luka)", "a luka", "dash, luka", "at luka"])
def test_a_name_ends(text: str) -> None:
    pieces = hear(text)
    at = next(index for index, piece in enumerate(pieces) if piece.norm == "luka")
    assert at == 0 or not goes_on(pieces[at - 1], pieces[at])
    assert at == len(pieces) - 1 or not goes_on(pieces[at], pieces[at + 1])


def test_consonants_are_counted_by_class() -> None:
    assert lost(consonants("bim"), consonants("pin")) == 0
    assert lost(consonants("lil"), consonants("la")) == 1
    assert lost(consonants("la"), consonants("lil")) == 0
    assert lost(consonants("tad"), consonants("")) == 0
