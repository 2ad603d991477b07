"""Amounts of money as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "money",
        "$24.90",
        "charge twenty four dollars ninety to the card",
        {},
        {
            "retained": [
                "charge $24.90 to the card",
                "charge twenty four dollars and ninety cents to the card",
                "Charge 24 dollars and 90 cents to the card",
                "Charge $24 and 90 cents to the card",
            ],
            "changed": ["charge 24.90 to the card", "charge €24.90 to the card", "charge $2490 to the card"],
            "omitted": ["charge dollars to the card", "charge to the card"],
            "unresolved": ["charge twenty four ninety dollars to the card", "charge 24 90 dollars to the card"],
        },
    ),
    (
        "money",
        "£3,150.40",
        "pay three thousand one hundred and fifty pounds forty today",
        {},
        {
            "retained": [
                "Pay £3,150 and 40 pence today",
                "Pay £3,150.40 today",
                "pay three thousand one hundred fifty pounds and forty pence today",
            ],
            "changed": ["Pay £3,150 today"],
        },
    ),
    (
        "money",
        "1350 euros",
        "ask for thirteen hundred and fifty euros in advance",
        {},
        {
            "retained": [
                "ask for 13 hundred and 50 euros in advance",
                "Ask for 1,350 EUR in advance",
                "ask for thirteen hundred fifty euro in advance",
                "Ask for 1350 euros, four digits, in advance",
                "ask for thirteen fifty euros, four digits, in advance",
            ],
            "changed": ["Ask for €1.350 in advance", "Ask for 1350 in advance"],
            "unresolved": ["ask for thirteen fifty euros in advance"],
        },
    ),
    (
        "money",
        "2 million dollars",
        "budget two million dollars for the bridge",
        {},
        {
            "retained": [
                "budget $2 million for the bridge",
                "budget $2m for the bridge",
                "budget 2,000,000 dollars for the bridge",
            ],
            "changed": ["budget two billion dollars for the bridge"],
        },
    ),
    (
        "money",
        "$880",
        "cap the cost at eight hundred eighty dollars and stop",
        {},
        {
            "retained": ["Cap the cost at $808, no, $880 and stop"],
            "changed": ["Cap the cost at $880, no, $808 and stop"],
            "unresolved": ["Cap the cost at $808, $880 and stop", "Cap the cost at $800 80 and stop"],
        },
    ),
    (
        "money",
        "$40",
        "put forty on the pears, all prices in dollars",
        {},
        {
            "retained": ["put 40 on the pears, all prices in dollars"],
            "changed": [
                "put 40 on the pears, all prices in euros",
                "put 40 on the pears",
                "put 14 on the pears, all prices in dollars",
            ],
        },
    ),
    (
        "money",
        "$7.05",
        "tip seven dollars and five cents on the card",
        {},
        {
            "retained": ["tip $7.05 on the card"],
            "changed": ["tip $7.50 on the card", "tip 705 dollars on the card", "tip seven five dollars on the card"],
            "unresolved": ["tip seven oh five dollars on the card"],
        },
    ),
    (
        "money",
        "$99",
        "cancel it if it costs more than ninety nine dollars a month",
        {},
        {
            "retained": [
                "cancel it if it costs more than $99 a month",
                "cancel it if it costs more than 99 bucks a month",
                "cancel it if it costs more than ninety nine dollars a month",
            ],
            "changed": ["cancel it if it costs more than $90 a month", "cancel it if it costs more than 99 a month"],
        },
    ),
    (
        "money",
        "CHF 250",
        "invoice two hundred and fifty swiss francs for the model",
        {},
        {
            "retained": [
                "invoice CHF 250 for the model",
                "invoice 250 Swiss francs for the model",
                "invoice 250 francs for the model",
            ],
            "changed": ["invoice 250 euros for the model"],
            "omitted": ["invoice for the model"],
            "unresolved": ["invoice two fifty swiss francs for the model"],
        },
    ),
    (
        "money",
        "20 cents",
        "raise the fare by twenty cents next year",
        {},
        {
            "retained": ["raise the fare by 20 cents next year"],
            "changed": [
                "raise the fare by 12 cents next year",
                "raise the fare by 20 next year",
                "raise the fare by $20 next year",
            ],
        },
    ),
    (
        "money",
        "€12",
        "share twelve euros each with ana and bea",
        {},
        {
            "retained": [
                "share 12 euros each with Ana and Bea",
                "share €12 each with Ana and Bea",
                "share €12.00 each with Ana and Bea",
            ],
            "changed": ["share 12 each with Ana and Bea", "share twenty euros each with Ana and Bea"],
        },
    ),
    (
        "money",
        "$1.2 million",
        "the budget is one point two million dollars this year",
        {},
        {
            "retained": [
                "The budget is $1.2 million this year",
                "The budget is $1,200,000 this year",
                "The budget is 1.2 million dollars this year",
            ],
            "changed": [
                "The budget is $1.2 billion this year",
                "The budget is $12 million this year",
                "The budget is 1.2 million this year",
                "the budget is one two million dollars this year",
            ],
        },
    ),
    (
        "money",
        "£40",
        "lend forty quid to pat until may",
        {},
        {
            "retained": [
                "lend £40 to Pat until May",
                "lend 40 quid to Pat until May",
                "lend 40 pounds to Pat until May",
            ],
            "changed": ["lend $40 to Pat until May", "lend 14 pounds to Pat until May"],
            "omitted": ["lend to Pat until May"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
