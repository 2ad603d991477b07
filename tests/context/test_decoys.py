from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.decoys import inserted, interleaved, make_decoys
from pytest_talk2agent.context.vocabulary import ContextError, is_term
from pytest_talk2agent.speech.sounds import sounds_alike
from pytest_talk2agent.speech.tokens import tokenise

from .tasks import task_of

TERMS = ("beds_south.ods", "loadRows", "Nora Lindgren", "MAX_ROWS", "tide-model", "archive.tar.gz")


def test_decoys_are_the_same_every_time_and_of_the_terms_style(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    decoys = make_decoys(task, TERMS, 6)
    assert decoys == make_decoys(task, TERMS, 6)
    assert decoys[:3] == make_decoys(task, TERMS, 3)
    # Pinned: a change would silently make biased runs differ from stored ones.
    assert decoys == PINNED


PINNED = (
    "marzipan_quartz.ods",
    "yodelPuffin",
    "Kiwi Raccoon",
    "UMBRELLA_QUARTZ",
    "otter-walrus",
    "tulip.tar.gz",
)  # fmt: skip


def test_other_tasks_get_other_decoys(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    assert make_decoys(task, TERMS, 6) != make_decoys(task.model_copy(update={"id": "garden/other"}), TERMS, 6)


@pytest.mark.parametrize("terms", [(), TERMS, ("nginx",)])
def test_no_decoy_sounds_like_what_is_said_or_seen(tmp_path: Path, terms: tuple[str, ...]) -> None:
    task = task_of(tmp_path).model_copy(update={"instruction": "Feed the otters, wallnut, and thistles in a cayak."})
    decoys = make_decoys(task, terms, 30)
    assert len(set(decoys)) == 30
    assert all(map(is_term, decoys)) or terms == ("nginx",)  # a single plain word is in the style of a single word
    said = [token.norm for token in tokenise(task.instruction).tokens]
    for decoy in decoys:
        words = [token.norm for token in tokenise(decoy).tokens if token.kind == "word"]
        assert not {"otter", "walnut", "thistle", "kayak"}.intersection(words)
        assert not any(sounds_alike(word, other) for word in words for other in said)


def test_more_decoys_than_there_are_words_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match=r"only \d+ of 500 decoys can be made .*; lower terms_decoys"):
        make_decoys(task_of(tmp_path), ("nginx",), 500)


NAMES = st.lists(st.text("ab", min_size=1), unique=True, max_size=8)


@given(NAMES, st.lists(st.text("xy", min_size=1), unique=True, max_size=8))
def test_interleaving_keeps_both_orders_and_spreads_evenly(terms: list[str], decoys: list[str]) -> None:
    mixed = interleaved(terms, decoys)
    assert [name for name in mixed if name in terms] == terms
    assert [name for name in mixed if name in decoys] == decoys
    for length in range(len(mixed) + 1):
        expected = length * len(decoys) / max(1, len(mixed))
        assert abs(sum(name in decoys for name in mixed[:length]) - expected) <= 1


@pytest.mark.parametrize(
    ("term", "transcript"),
    [
        ("beds_south.ods", "open beds_south.ods now"),
        ("beds_south.ods", "Open Beds South ODS."),
        ("beds_south.ods", "open beds underscore south dot o d s"),
        ("invoice_07.pdf", "take invoice underscore oh seven dot p d f"),
        ("invoice_07.pdf", "take invoice zero seven dot PDF"),
        ("sensors_2026.tar.gz", "sensors underscore twenty twenty six dot tar dot g z"),
        ("lamps_320.jpg", "lamps three hundred and twenty dot jay peg"),
        ("loadRows", "load rows"),
        ("load_rows", "LoadRows, please"),
        ("Nora Lindgren", "call nora lindgren!"),
        ("tide-model", "the tide dash model"),
        ("data.json", "data dot jason"),
        ("https://a.example", "https colon slash slash a dot example"),
    ],
)
def test_a_term_is_found_in_any_spoken_or_written_form(term: str, transcript: str) -> None:
    assert inserted([term, term], ["something else"], transcript) == (term,)
    assert inserted([term], ["something else", f"please {transcript}"], transcript) == ()


@pytest.mark.parametrize(
    ("term", "transcript"),
    [
        ("beds_south.ods", "beds south"),
        ("nora", "norah and noras"),
        ("VLC", "v l"),
        ("load_rows", "loads rows"),
        ("invoice_07.pdf", "invoice 70 pdf"),
        ("...", "dot dot dot ..."),
        ("load_rows", "load" + " underscore" * 2000 + " rows"),
        ("load_rows", "load" + "_" * 2000 + "rows"),
        ("x_y", ""),
    ],
)
def test_parts_and_other_words_are_not_the_term(term: str, transcript: str) -> None:
    assert inserted([term], [], transcript) == ()


def test_a_spoken_form_counts_as_spoken() -> None:
    assert inserted(["beds_north.ods"], ["move beds underscore north dot o d s"], "move beds_north.ods") == ()


@given(st.text(max_size=40), st.lists(st.text(max_size=8), max_size=4))
def test_whatever_was_spoken_is_never_inserted(transcript: str, terms: list[str]) -> None:
    assert inserted(terms, [transcript], transcript) == ()
    assert set(inserted(terms, [], transcript)) <= set(terms)
