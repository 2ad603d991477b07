"""Durations as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "duration",
        "30 minutes",
        "nap for half an hour and then ring",
        {},
        {
            "retained": ["nap for 30 minutes and then ring", "nap for 0.5 hours and then ring"],
            "changed": [
                "nap for half a minute and then ring",
                "nap for thirty and then ring",
                "nap for thirteen minutes and then ring",
            ],
            "omitted": ["nap and then ring"],
        },
    ),
    (
        "duration",
        "1.5 hours",
        "rest for an hour and a half then stir",
        {},
        {
            "retained": [
                "rest for 90 minutes then stir",
                "rest for 1.5 hours then stir",
                "rest for one and a half hours then stir",
                "rest for 1 hour 30 then stir",
            ],
            "changed": [
                "rest for half an hour then stir",
                "rest for an hour then stir",
                "rest for 1 hour and 13 minutes then stir",
            ],
        },
    ),
    (
        "duration",
        "3 weeks",
        "keep it for three weeks in the shed",
        {},
        {
            "retained": ["keep it for 3 weeks in the shed", "keep it for 21 days in the shed"],
            "changed": [
                "keep it for 3 days in the shed",
                "keep it for three in the shed",
                "keep it for tree weeks in the shed",
            ],
            "omitted": ["keep it for weeks in the shed", "keep it in the shed"],
        },
    ),
    (
        "duration",
        "45 seconds",
        "wait thirty, no, forty five seconds before the retry",
        {},
        {
            "retained": ["wait 30, no, 45 seconds before the retry", "wait 45 seconds before the retry"],
            "changed": ["wait 30 seconds before the retry"],
            "unresolved": ["wait 30 45 seconds before the retry"],
        },
    ),
    (
        "duration",
        "20 minutes",
        "let it rise for twenty minutes by the stove",
        {},
        {
            "retained": ["let it rise for 20 min by the stove", "let it rise for a third of an hour by the stove"],
            "changed": [
                "let it rise for 20 by the stove",
                "let it rise for 20 months by the stove",
                "let it rise for 12 minutes by the stove",
            ],
            "omitted": ["let it rise by the stove"],
        },
    ),
    (
        "duration",
        "18 months",
        "keep the receipts eighteen months at least",
        {},
        {
            "retained": [
                "keep the receipts for 18 months at least",
                "keep the receipts a year and a half at least",
                "keep the receipts 1.5 years at least",
            ],
            "changed": ["keep the receipts 80 months at least", "keep the receipts 18 years at least"],
        },
    ),
    (
        "duration",
        "2 days",
        "warn them two days before the audit",
        {},
        {
            "retained": ["warn them 2 days before the audit", "warn them 48 hours before the audit"],
            "omitted": ["warn them days before the audit"],
            "unresolved": ["warn them to days before the audit", "warn them too days before the audit"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
