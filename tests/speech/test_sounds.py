from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.speech.sounds import sound_key, sounds_alike
from pytest_talk2agent.speech.symbols import symbol_at
from pytest_talk2agent.speech.words import stem


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("site", "sight"),
        ("okular", "ocular"),
        ("lindqvist", "lindquist"),
        ("katherine", "catherine"),
        ("principal", "principle"),
        ("sales", "sails"),
        ("knight", "night"),
        ("meyer", "mayer"),
        ("smith", "smyth"),
        ("mail", "male"),
        ("whyte", "white"),
        ("rhona", "rona"),
        ("gnoll", "noll"),
        ("philippa", "filippa"),
        ("oaks", "okes"),
        ("masque", "mask"),
        ("seamus", "seamous"),
        ("lukas", "lucas"),
        ("hendricks", "hendrix"),
        ("fiona", "fionna"),
        ("harlow", "harlo"),
        ("hannah", "hanna"),
        ("fritz", "frits"),
        ("katarina", "katerina"),
        ("brna", "burna"),
        ("sons", "suns"),
        ("ashby", "ashbee"),
        ("tandem", "tandum"),
        ("sinclair", "sinclare"),
        ("ødegård", "odegard"),
    ],
)
def test_the_same_sound(first: str, second: str) -> None:
    assert sounds_alike(first, second)
    assert sounds_alike(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("birch", "beach"),
        ("main", "mean"),
        ("unused", "used"),
        ("hull", "hall"),
        ("pumps", "bumps"),
        ("site", "site"),
        ("beer", "burr"),
        ("castle", "cattle"),
        ("green", "grin"),
        ("mean", "main"),
        ("shell", "spell"),
        ("three", "tree"),
        ("comet", "commit"),
        ("export", "expert"),
        ("price", "prize"),
        ("form", "firm"),
        ("historic", "hysteric"),
        ("doll", "dole"),
        ("get", "jet"),
        ("race", "raise"),
    ],
)
def test_another_sound(first: str, second: str) -> None:
    assert not sounds_alike(first, second)


@given(st.text(max_size=60))
def test_every_text_has_a_key(text: str) -> None:
    assert sound_key(text) == sound_key(text)


def test_symbols_by_name() -> None:
    assert symbol_at(("full", "stop"), 0) == (".", 2)
    assert symbol_at(("underscore", "to", "slash"), 0) == ("_", 1)
    assert symbol_at(("apple",), 0) is None


def test_stems() -> None:
    assert {stem(word) for word in ("delete", "deletes", "deleted", "deleting")} == {stem("delete")}
    assert stem("dropping") == stem("drop")
    assert stem("copies") == stem("copy")
    assert stem("pass") == "pass"


@pytest.mark.parametrize("forms", ["note notes noted noting", "close closes closed closing", "bus buses", "box boxes",
                                   "rare rarely", "tap taps tapped tapping", "file files filed filing"])  # fmt: skip
def test_a_word_and_its_forms(forms: str) -> None:
    assert len(set(map(stem, forms.split()))) == 1


@pytest.mark.parametrize("words", ["not note", "not noted", "car care", "her here", "them theme", "plan plane planed",
                                   "tap tape taped", "fill file filed", "hard hardly", "no nothing"])  # fmt: skip
def test_other_words_have_other_stems(words: str) -> None:
    first, *others = map(stem, words.split())
    assert first not in others
