"""Whole requests: answers in their place, values that changed places, and several faults at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import labels_of

LABELS = {"R": "retained", "C": "changed", "O": "omitted", "U": "unresolved"}

# A script, its intentions, and the labels of transcripts by their first letters.
REQUESTS: list[tuple[str, dict[str, dict[str, Any]], dict[str, str]]] = [
    (
        "set a timer for nine minutes, call it tea and play blue harbour at the end",
        {
            "t": {"say": "9 minutes", "kind": "duration"},
            "n": {"say": "tea", "kind": "term"},
            "s": {"say": "Blue Harbour", "kind": "term"},
        },
        {
            "Your timer for 9 minutes has been set. Blue Harbour will play at the end.": "OOO",
            "Timer set for 9 minutes. I have called it Tea. Blue Harbour is queued.": "OOO",
            "OK, I set a timer for nine minutes and called it tea.": "OOO",
            "Okay. Set a timer for nine minutes, call it tea and play Blue Harbour at the end.": "RRR",
            (
                "Set a timer for nine minutes, call it tea and play Blue Harbour at the end. Your timer has been set."
            ): "RRR",
            "I'll set a timer for nine minutes, call it tea and play Blue Harbour at the end.": "RRR",
            "Sorry, I can't play Blue Harbour.": "OOO",
            "I'm sorry, but I cannot set timers. Is there anything else I can help you with?": "OOO",
            "The timer is set for nine minutes and it is called tea.": "OOO",
            "Thank you for calling Blue Harbour. How may I help you?": "OOO",
            "nine minutes tea blue harbour": "OOO",
            "tea, Blue Harbour, timer": "OOO",
            "set timer nine minutes call tea play blue harbour end": "RRR",
            "timer nine minutes, call it tea, play blue harbour at the end": "RRR",
            "Unfortunately I am not able to do that.": "OOO",
            "Sure, which song would you like to hear at the end?": "OOO",
            "Thanks for watching.": "OOO",
            "": "OOO",
            "set a timer for nine minutes call it tea and": "RRO",
            "Goodbye.": "OOO",
            "Set a timer for nine minutes. Call it tea. Play Blue Harbour at the end.": "RRR",
            "Set a timer for nine minutes. Call it tea. Play Blue Harbour at the end. Thank you.": "RRR",
            "set a timer for 9 hours, call it tee and play blue arbor at the end": "CUC",
        },
    ),
    (
        (
            "restore ledger dot d b from the fourteenth of february twenty twenty seven, "
            "check table entries underscore v three and run with dash dash verify"
        ),
        {
            "f": {"say": "ledger.db", "kind": "filename"},
            "d": {"say": "2027-02-14", "kind": "date"},
            "fl": {"say": "--verify", "kind": "flag"},
            "t": {"say": "entries_v3", "kind": "identifier"},
        },
        {
            "ledger database entries february verify": "OOOO",
            "ledger.db, entries_v3, --verify": "OOOO",
            "restore ledger.db from 14 February 2027, check table entries_v3 and run with --verify": "RRRR",
            "I've restored ledger.db from 14 February 2027 and checked the table.": "OOOO",
            "The database ledger.db was restored successfully.": "OOOO",
            "restore ledger.db, check entries_v3, --verify": "RORR",
            "There is no file called ledger.db in this folder.": "OOOO",
        },
    ),
    (
        (
            "send it from desk at club dot example dot org, set reply to to desk at club dot "
            "example dot org and use the subject autumn fair"
        ),
        {
            "a": {"say": "desk@club.example.org", "kind": "email"},
            "b": {"say": "desk@club.example.org", "kind": "email"},
            "s": {"say": "autumn fair", "kind": "text"},
        },
        {
            "Send it from desk@club.example.org and use the subject autumn fair": "ROR",
            "Send it, set reply-to to desk@club.example.org and use the subject autumn fair": "ORR",
            (
                "Send it from desk@club.example.org, set reply to to desk@club.example.org and "
                "use the subject autumn fair"
            ): "RRR",
            (
                "Send it from desk@club.example.com, set reply to to desk@club.example.org and "
                "use the subject autumn fair"
            ): "CRR",
        },
    ),
    (
        ("fetch maps dot example dot net slash north and maps dot example dot net slash south every hour"),
        {
            "a": {"say": "https://maps.example.net/north", "kind": "url"},
            "b": {"say": "https://maps.example.net/south", "kind": "url"},
        },
        {
            "Fetch maps.example.net/south every hour": "OR",
            "Fetch maps.example.net/north every hour": "RO",
            "Fetch maps.example.net/south and maps.example.net/north every hour": "CC",
            "Fetch maps.example.net/north and maps.example.net/mouth every hour": "RC",
            "Fetch maps.example.net/north and maps.example.net/north every hour": "RC",
            "fetch every hour": "OO",
        },
    ),
    (
        "lint it with dash x and dash dash strict and at most five warnings",
        {
            "a": {"say": "-x", "kind": "flag"},
            "b": {"say": "--strict", "kind": "flag"},
            "n": {"say": "5", "kind": "number"},
        },
        {
            "lint it with strict and at most five warnings": "OUR",
            "lint it with -x and at most 5 warnings": "ROR",
            "lint it with --strict and at most 9 warnings": "ORC",
            "lint it with dash y and dash dash strict and at most five warnings": "CRR",
        },
    ),
    (
        "upgrade the parser to two point four and the server to three point one tonight",
        {
            "a": {"say": "2.4", "kind": "version"},
            "b": {"say": "3.1", "kind": "version"},
        },
        {
            "upgrade the parser to 2.4 and the server to 3.1 tonight": "RR",
            "upgrade the parser to and the server to 3.1 tonight": "OR",
            "upgrade the parser and the server to 3.1 tonight": "OR",
            "upgrade the parser to 3.1 and the server to 2.4 tonight": "CC",
            "upgrade the parser to 24 and the server to 3.1 tonight": "CR",
            "upgrade the parser to three point one and the server tonight": "CO",
        },
    ),
    (
        "give the laptop to marek and the camera to marika",
        {
            "a": {"say": "Marek", "kind": "term"},
            "b": {"say": "Marika", "kind": "term"},
        },
        {
            "give the laptop to Marika and the camera to Marek": "CC",
            "give the laptop to Marika and the camera to Marika": "CR",
            "give the laptop to Marick and the camera to Marika": "UR",
            "give the laptop and the camera to Marika": "OR",
            "give the laptop to Mark and the camera to Marica": "CU",
        },
    ),
    (
        "add rice, beans and corn to the basket",
        {
            "p": {"say": ["rice", "beans", "corn"], "kind": "term"},
        },
        {
            "add rice, beans and corn to the basket": "R",
            "add rice and corn to the basket": "C",
            "add rice, peas and corn to the basket": "C",
            "add corn, beans and rice to the basket": "R",
            "to the basket": "O",
        },
    ),
    (
        "set width to three hundred and height to twenty",
        {
            "w": {"say": "300", "kind": "number"},
            "h": {"say": "20", "kind": "number"},
        },
        {
            "set width to 300 and height to 20": "RR",
            "set width to 20 and height to 300": "CC",
            "set width to 300 and height to 320": "RC",
        },
    ),
    (
        "open the pool from five to ten p m and heat it",
        {
            "a": {"say": "17:00", "kind": "time"},
            "b": {"say": "22:00", "kind": "time"},
        },
        {
            "open the pool from five to ten p m and heat it": "RR",
            "Open the pool from 5 to 10 PM and heat it": "RR",
            "Open the pool from 5 to 10 and heat it": "UU",
            "Open the pool from 5 PM to 10 PM and heat it": "RR",
        },
    ),
]


@pytest.mark.parametrize(("script", "intentions", "heard"), REQUESTS, ids=[request[0][:40] for request in REQUESTS])
def test_requests(script: str, intentions: dict[str, dict[str, Any]], heard: dict[str, str]) -> None:
    for transcript, letters in heard.items():
        wanted = {name: LABELS[letter] for name, letter in zip(intentions, letters, strict=True)}
        assert labels_of(intentions, script, transcript) == wanted, transcript
