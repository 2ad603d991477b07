"""Words that are noise elsewhere and belong to a value here, and the endings of owners."""

from __future__ import annotations

import pytest

from tests.judging.policy import label_of


@pytest.mark.parametrize(
    ("kind", "say", "heard", "label"),
    [
        ("term", "Jun He", "Jun He", "retained"),
        ("term", "Jun He", "Jun", "changed"),
        ("term", "Jun He", "Jun Wu", "changed"),
        ("term", "Ed Um", "Ed Um", "retained"),
        ("term", "Ed Um", "um, Ed Um", "retained"),
        ("term", "Ed Um", "Ed", "changed"),
        ("term", "Ed Um", "Ed Amm", "changed"),
        ("term", "ER diagram", "ER diagram", "retained"),
        ("term", "ER diagram", "E.R. diagram", "retained"),
        ("term", "ER diagram", "ER, um, diagram", "retained"),
        ("term", "ER diagram", "diagram", "changed"),
        ("text", "Do you know the tide", "Do you know the tide", "retained"),
        ("text", "Do you know the tide", "Do the tide", "changed"),
        ("text", "Show the tide table", "Show, you know, the um tide table", "retained"),
    ],
)
def test_fillers_count_in_a_value_that_has_them(kind: str, say: str, heard: str, label: str) -> None:
    assert label_of(say, kind, f'put "{say}" on the list today', f'put "{heard}" on the list today') == label


def test_a_gist_keeps_its_fillers() -> None:
    said, heard = "draw the ER model and wait", "draw the model and wait"
    assert label_of("draw the ER model", "gist", said, said) == "retained"
    assert label_of("draw the ER model", "gist", said, heard) == "unresolved"


@pytest.mark.parametrize(
    ("say", "said", "heard", "label"),
    [
        ("Tamsin", "Tamsin's", "Tamsin's", "retained"),
        ("Tamsin", "Tamsin's", "Tamsin’s", "retained"),
        ("Tamsin", "Tamsin's", "tamsins", "retained"),
        ("Tamsin", "Tamsin's", "Tamsin", "retained"),
        ("Tamsin", "Tamsin's", "Ross's", "changed"),
        ("Tamsin", "Tamsin's", "Tamara's", "changed"),
        ("Tamsin", "Tamsin's", "the", "omitted"),
        ("Tamsin Oke", "Tamsin Oke's", "Tamsin Oke's", "retained"),
        ("Tamsin Oke", "Tamsin Oke's", "Tamsin's", "changed"),
        ("Jun He", "Jun He's", "Jun He's", "retained"),
        ("Jun He", "Jun He's", "Jun's", "changed"),
        ("Wendy", "Wendy", "Wendy's", "changed"),
    ],
)
def test_the_ending_of_an_owner_is_no_part_of_a_name(say: str, said: str, heard: str, label: str) -> None:
    assert label_of(say, "term", f"read {said} paper today", f"read {heard} paper today") == label


def test_a_verbatim_text_has_no_owner() -> None:
    assert label_of("table", "text", "write table on it", "write table's on it") == "changed"


def test_the_case_of_an_owner() -> None:
    script = "Read Tamsin's paper today"
    assert label_of("Tamsin", "term", script, "Read Tamsin's paper today", case="exact") == "retained"
    assert label_of("Tamsin", "term", script, "Read tamsin's paper today", case="exact") == "changed"
    assert label_of("Tamsin", "term", script, "read tamsin's paper today", case="exact") == "unresolved"
