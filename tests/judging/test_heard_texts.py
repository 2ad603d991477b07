"""Verbatim texts as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "text",
        "see you at 7",
        "put the note see you at seven on the fridge page",
        {},
        {
            "retained": [
                'Put the note "See you at seven" on the fridge page',
                "Put the note see you at 7 on the fridge page",
                "Put the note see you see you at seven on the fridge page",
                "Put the note um see you at, uh, 7 on the fridge page",
            ],
            "changed": ["Put the note see you at 17 on the fridge page", "Put the note see you at on the fridge page"],
            "unresolved": ["Put the note sea you at 7 on the fridge page"],
        },
    ),
    (
        "text",
        "Too hot to handle",
        "name the album too hot to handle and share it",
        {},
        {
            "retained": ["Name the album Too Hot to Handle and share it"],
            "changed": [
                "name the album too hot to handle it and share it",
                "name the album too hot handle and share it",
            ],
            "unresolved": [
                "name the album two hot to handle and share it",
                "name the album to hot to handle and share it",
                "name the album 2 hot 2 handle and share it",
            ],
        },
    ),
    (
        "text",
        "their seats are taken",
        "send the line their seats are taken to the crew",
        {},
        {
            "retained": ["send the line their seats are taken to the crew"],
            "changed": [
                "send the line the seats are taken to the crew",
                "send the line their seats are token to the crew",
            ],
            "unresolved": [
                "send the line there seats are taken to the crew",
                "send the line they're seats are taken to the crew",
            ],
        },
    ),
    (
        "text",
        'open "late" on Fridays',
        "set the sign to open quote late quote on fridays and save",
        {},
        {
            "retained": [
                "set the sign to open quote late quote on fridays and save",
                'Set the sign to open "late" on Fridays and save',
                "set the sign to open late on fridays and save",
                "set the sign to open quote late unquote on fridays and save",
            ],
        },
    ),
    (
        "text",
        "Lunch: 12 to 2",
        "print lunch colon twelve to two on the door card",
        {},
        {
            "retained": [
                "print lunch colon twelve to two on the door card",
                'Print "Lunch: 12 to 2" on the door card',
                "Print lunch 12 to 2 on the door card",
            ],
            "unresolved": ["print lunch colon twelve to too on the door card"],
        },
    ),
    (
        "text",
        "night shift starts",
        "label it night shift starts and go on",
        {},
        {
            "retained": [
                "label it night shift night shift starts and go on",
                "label it night shift starts night shift starts and go on",
            ],
            "changed": ["label it night shift started and go on"],
            "unresolved": ["label it knight shift starts and go on"],
        },
    ),
    (
        "text",
        "Is 8 OK?",
        "reply is eight okay to the thread",
        {},
        {
            "retained": ['Reply "Is eight ok?" to the thread'],
            "changed": ["reply is eighty okay to the thread"],
            "unresolved": ["reply is ate okay to the thread"],
        },
    ),
    (
        "text",
        "we owe 3 cents",
        "write we owe three cents on the card",
        {},
        {
            "retained": ['Write "We owe 3 cents" on the card'],
            "unresolved": ["write we owe three sense on the card"],
        },
    ),
    (
        "text",
        "Quiet hours",
        "name the rule quiet hours and turn it on",
        {},
        {
            "retained": [
                "name the rule loud hours, no, quiet hours and turn it on",
                "name the rule Quiet Hours and turn it on",
            ],
            "changed": ["name the rule quite hours and turn it on"],
            "unresolved": ["name the rule quiet ours and turn it on"],
        },
    ),
    (
        "text",
        "Draft v2",
        "call it capital d draft v two and lock it",
        {"case": "exact"},
        {
            "retained": ["call it Draft v2 and lock it"],
            "changed": ["Call it draft V2 and lock it"],
            "unresolved": ["call it draft v2 and lock it"],
        },
    ),
    (
        "text",
        "8 GB of RAM",
        "require eight gigabytes of ram on the page",
        {},
        {
            "retained": ["require 8 GB of RAM on the page", "require eight gigabytes of ram on the page"],
            "changed": ["require 16 GB of RAM on the page"],
        },
    ),
    (
        "text",
        "meeting moved to Thursday",
        "post meeting moved to thursday in the channel team",
        {},
        {
            "retained": [
                'post "Meeting moved to Thursday" in the channel team',
                "post that meeting moved to Thursday in the channel team",
                "post meeting moved to Thursday, thanks, in the channel team",
            ],
            "changed": [
                "post meeting moved to Tuesday in the channel team",
                "post the meeting moved to Thursday in the channel team",
                "post meeting moves to Thursday in the channel team",
            ],
            "omitted": ["post in the channel team"],
            "unresolved": ["post meeting moved two thursday in the channel team"],
        },
    ),
    (
        "text",
        "I'll be there by 9",
        "reply i'll be there by nine to sam",
        {},
        {
            "retained": [
                "reply I will be there by 9 to Sam",
                'reply "I\'ll be there by nine" to Sam',
                "reply ill be there by nine to Sam",
            ],
            "changed": ["reply I'll be there by 5 to Sam", "reply he'll be there by nine to Sam"],
        },
    ),
    (
        "text",
        "no smoking",
        "hang a sign that says no smoking by the gate",
        {},
        {
            "retained": ["hang a sign that says no smoking by the gate"],
            "changed": ["hang a sign that says smoking by the gate"],
            "unresolved": ["hang a sign that says know smoking by the gate"],
        },
    ),
    (
        "text",
        "Buy bread, milk & eggs",
        "write buy bread comma milk and eggs on the list",
        {},
        {
            "retained": [
                "write buy bread, milk and eggs on the list",
                'write "Buy bread, milk & eggs" on the list',
                "write buy bread milk and eggs on the list",
            ],
            "changed": ["write buy bread, milk on the list"],
            "unresolved": ["write by bread, milk and eggs on the list"],
        },
    ),
    (
        "text",
        "be kind",
        "frame the words be kind and hang it up",
        {},
        {
            "retained": ["frame the words be kind and hang it up", "frame the words be be kind and hang it up"],
            "changed": ["frame the words be kinder and hang it up"],
            "unresolved": ["frame the words bee kind and hang it up", "frame the words B kind and hang it up"],
        },
    ),
    (
        "text",
        "Rue 9",
        "title it rue nine and close",
        {},
        {
            "retained": ["title it Rue 9 and close"],
            "changed": ["title it Rue 5 and close", "title it rue mine and close"],
            "unresolved": ["title it Roo nine and close"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
