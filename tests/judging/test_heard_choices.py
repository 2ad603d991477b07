"""Choices as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "choice",
        "A5",
        "print it on a five paper twice",
        {"options": ["A4", "A5"]},
        {
            "retained": ["print it on a 5-paper twice", "print it on A5 paper twice", "print it on a five paper twice"],
            "changed": ["print it on A4 paper twice"],
            "omitted": ["print it on paper twice"],
        },
    ),
    (
        "choice",
        "ascending",
        "sort the names ascending and save",
        {"options": ["ascending", "descending"]},
        {
            "retained": ["sort the names ascending and save", "sort the names in ascending order and save"],
            "changed": ["sort the names descending and save", "sort the names attending and save"],
            "omitted": ["sort the names and save"],
        },
    ),
    (
        "choice",
        "slow",
        "set the fan to slow for the night",
        {"options": ["slow", "fast"]},
        {
            "retained": ["set the fan to fast, no, slow for the night"],
            "changed": ["set the fan to fast for the night", "set the fan to slow, no, fast for the night"],
            "omitted": ["set the fan for the night"],
            "unresolved": ["set the fan to fast slow for the night"],
        },
    ),
    (
        "choice",
        "green",
        "mark it green in the list",
        {"options": ["red", "green", "blue"], "also": ["lime"]},
        {
            "retained": ["mark it green in the list", "mark it lime in the list"],
            "changed": ["mark it red in the list", "mark it grin in the list"],
            "omitted": ["mark it in the list"],
            "unresolved": ["mark it greene in the list"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
