from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.vocabulary import Place, Vocabulary, clean, is_ordinary, is_term, stands_in, words_of
from pytest_talk2agent.speech.words import listed

HERE, THERE = Place("w", "a.md"), Place("w", "b.md")


@pytest.mark.parametrize(
    "term",
    ["load_rows", "loadRows", "budget.ods", "map server", "nginx", "VLC", "DuckDuckGo", "A4 paper", "北京", "Lucca"],
)
def test_names_are_terms(term: str) -> None:
    assert is_term(term)


@pytest.mark.parametrize(
    "text", ["", "a", "id", "42", "2026-09", "report", "Files", "x" * 61, "a\x1bb_c", "a_two_three_four_five_six_seven"]
)  # fmt: skip
def test_plain_words_numbers_and_sentences_are_none(text: str) -> None:
    assert not is_term(text)


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("user: hunter_two", "user"),
        ("year=2026", "year"),
        ("https://garden.example.com/roses", "https://garden.example.com/roses"),
        ("https://amy:hunter@garden.example.com", "https://amy"),
        (unicodedata.normalize("NFD", "café_menu"), "café_menu"),
        ("  two \n words ", "two words"),
    ],
)
def test_a_value_is_cut_off(name: str, cleaned: str) -> None:
    assert clean(name) == cleaned


def test_paths_give_folders_and_file_names() -> None:
    found = Vocabulary()
    found.add_path("~/Downloads/tide-model/load_rows.py", HERE)
    found.add_path(r"C:\work\Tide Tables\north.ods", HERE)
    found.add_path("tide-model/.env.local", HERE)
    assert set(found.places) == {"tide-model", "load_rows.py", "Tide Tables", "north.ods"}


@pytest.mark.parametrize(
    ("path", "alone"),
    [
        ("contacts/Hanna Brandt.vcf", "Hanna Brandt"),
        ("BK-7316.pdf", "BK-7316"),
        ("VLC.desktop", "VLC"),
        ("bed_plan.tar.gz", None),
        ("poster.png", None),
        ("bed_plan", None),
    ],
)
def test_a_file_name_stands_without_its_extension_where_it_is_said_so(path: str, alone: str | None) -> None:
    found = Vocabulary()
    found.add_path(path, HERE)
    names = {path.rpartition("/")[2], alone} - {None}
    assert set(found.places) - {"contacts"} == names


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Roll back", {"Roll back"}),
        ("How to roll config.yaml back", {"config.yaml"}),
        ("What Nora Lindgren should do with loadRows today", {"Nora", "Lindgren", "loadRows"}),
        ("Password hunter_two", set()),
        ("API key: hunter_two", {"API key"}),
        ("of the", set()),
        ("Open the gate", set()),
        ("Ask for Lindgren", {"Lindgren"}),
        ("(DuckDuckGo)", {"DuckDuckGo"}),
    ],
)
def test_lines_give_short_phrases_and_written_names(line: str, expected: set[str]) -> None:
    found = Vocabulary()
    found.add_line(line, HERE)
    assert set(found.places) == expected


def test_order_is_frequency_then_length_then_text() -> None:
    found = Vocabulary()
    for name in ("b_long_one", "a_long_one", "often_x", "short_x"):
        found.add(name, HERE)
    found.add("often_x", THERE)
    found.add("often_x", THERE)
    assert found.ranked() == ["often_x", "a_long_one", "b_long_one", "short_x"]


def test_secrets_are_counted_and_not_kept() -> None:
    found = Vocabulary()
    found.add("ghp_16C7e42F292c6912E7", HERE)
    found.add("ghp_16C7e42F292c6912E7", THERE)
    assert (found.places, found.rejected) == ({}, 1)


NAMES = st.lists(st.tuples(st.from_regex(r"[a-zA-Z_ .]{3,12}", fullmatch=True), st.sampled_from([HERE, THERE])))


@given(NAMES, st.randoms())
def test_order_does_not_depend_on_what_is_seen_first(names: list[tuple[str, Place]], shuffle: object) -> None:
    once, again = Vocabulary(), Vocabulary()
    for name, place in names:
        once.add(name, place)
    for name, place in sorted(names, key=lambda _: shuffle.random()):  # type: ignore[attr-defined]
        again.add(name, place)
    ranked = once.ranked()
    assert ranked == again.ranked()
    assert len(set(ranked)) == len(ranked)
    counts = [len(once.places[term]) for term in ranked]
    assert counts == sorted(counts, reverse=True)


def test_words_are_compared_without_case_and_marks() -> None:
    text = " ".join(words_of("Open Beds_North.ODS now"))
    assert stands_in(words_of("beds-north ods"), text)
    assert not stands_in(words_of("beds nor"), text)
    assert not stands_in([], text)


@pytest.mark.parametrize(
    "word", listed("sure main tests passing copied stopped quickly engines reviewers unmuted build will red dashes")
)
def test_ordinary_words_and_their_inflections(word: str) -> None:
    assert is_ordinary(word)


@pytest.mark.parametrize(
    "word", listed("suren luka novac norra lindgren nginx ginx yamel piperject kubernetes grafana srb rsync")
)
def test_names_and_sounds_are_not(word: str) -> None:
    assert not is_ordinary(word)
