"""Dates and times as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "time",
        "8:30 am",
        "wake me at eight thirty a m and play rain",
        {},
        {
            "retained": [
                "wake me at 8.30 in the morning and play rain",
                "Wake me at 08:30 and play rain",
                "This morning wake me at half past eight and play rain",
            ],
            "changed": [
                "Wake me at 8:30 p.m. and play rain",
                "Wake me at 8:13 a.m. and play rain",
                "Wake me at 20:30 and play rain",
            ],
            "unresolved": [
                "Wake me at 8:30 and play rain",
                "Wake me at half past eight and play rain",
                "wake me at eight thirty o'clock and play rain",
            ],
        },
    ),
    (
        "time",
        "9:50 pm",
        "lock the door at nine fifty p m and dim the lamp",
        {},
        {
            "retained": [
                "lock the door at ten to ten in the evening and dim the lamp",
                "lock the door at ten to ten tonight and dim the lamp",
                "Tonight lock the door at 9.50 and dim the lamp",
                "Lock the door at 21.50 and dim the lamp",
                "at night lock the door at nine fifty and dim the lamp",
            ],
            "changed": [
                "lock the door at ten to nine in the evening and dim the lamp",
                "Lock the door at 9:50 in the morning and dim the lamp",
            ],
            "unresolved": ["lock the door at ten to ten and dim the lamp"],
        },
    ),
    (
        "time",
        "17:45",
        "show me the trains after quarter to six in the evening from ludlow",
        {},
        {
            "retained": [
                "Show me the trains after 5.45 this evening from Ludlow",
                "This evening, show me the trains after 5:45 from Ludlow",
                "show me the trains after a quarter to six tonight from ludlow",
            ],
            "changed": ["Show me the trains after 6:15 this evening from Ludlow"],
            "unresolved": ["Show me the trains after 5:45 from Ludlow"],
        },
    ),
    (
        "time",
        "02:30",
        "run the sweep every night at half past two and log it",
        {},
        {
            "retained": [
                "run the sweep every night at half past two and log it",
                "Run the sweep every night at 2:30 and log it",
                "Run the sweep every night at 2:30 AM and log it",
            ],
            "unresolved": ["Run the sweep at half past two and log it"],
        },
    ),
    (
        "time",
        "12:00",
        "serve the soup at noon for six guests",
        {},
        {
            "retained": ["Serve the soup at 12 PM for six guests", "Serve the soup at twelve noon for six guests"],
            "changed": ["Serve the soup at midnight for six guests"],
            "unresolved": ["Serve the soup at 12 for six guests"],
        },
    ),
    (
        "time",
        "07:05",
        "leave at five past seven in the morning with the van",
        {},
        {
            "retained": [
                "leave at seven oh five in the morning with the van",
                "Leave at 7.05 a.m. with the van",
                "Leave at 0705 with the van",
            ],
            "changed": ["Leave at 7:50 a.m. with the van", "leave at five to seven in the morning with the van"],
        },
    ),
    (
        "time",
        "10 am",
        "open the gate at nine a m, no, ten a m, and wave",
        {},
        {
            "retained": ["Open the gate at 9 a.m., no, 10 a.m. and wave", "Open the gate at 10 a.m. and wave"],
            "changed": ["open the gate at nine a m and wave", "Open the gate at 10 a.m., no, 9 a.m. and wave"],
            "omitted": ["open the gate and wave"],
        },
    ),
    (
        "date",
        "2027-03-09",
        "ship it on the ninth of march twenty twenty seven by train",
        {},
        {
            "retained": ["ship it on March 9, 2027 by train", "ship it on 2027-03-09 by train"],
            "changed": [
                "ship it on March 19, 2027 by train",
                "ship it on the 9th of May 2027 by train",
                "ship it on the ninth of march twenty twenty by train",
            ],
            "omitted": ["ship it by train"],
            "unresolved": [
                "ship it on 9/3/2027 by train",
                "ship it on 09.03.2027 by train",
                "ship it on March 9 by train",
                "ship it on March 2027 by train",
            ],
        },
    ),
    (
        "date",
        "tomorrow",
        "read tomorrow's forecast out loud",
        {},
        {
            "retained": ["read tomorrow's forecast out loud", "read tomorrows forecast out loud"],
            "changed": ["read today's forecast out loud"],
            "omitted": ["read the forecast out loud"],
        },
    ),
    (
        "date",
        "Friday",
        "cancel friday's call and tell ida",
        {},
        {
            "retained": ["cancel Friday's call and tell Ida", "cancel Friday call and tell Ida"],
            "changed": ["cancel Thursday's call and tell Ida"],
            "omitted": ["cancel the call and tell Ida"],
        },
    ),
    (
        "time",
        "23:30",
        "stop the music at half past eleven at night",
        {},
        {
            "retained": [
                "stop the music at 11:30 PM",
                "stop the music at 11:30 at night",
                "stop the music at 11.30 tonight",
                "stop the music at 23.30",
            ],
            "changed": ["stop the music at half past ten at night"],
            "unresolved": ["stop the music at 11:30", "stop the music at half past eleven"],
        },
    ),
    (
        "date",
        "4 October",
        "meet on the fourth of october in oslo",
        {},
        {
            "retained": ["meet on October 4th in Oslo", "meet on 4 Oct in Oslo"],
            "changed": ["meet on October 14th in Oslo", "meet on the fourth of november in Oslo"],
            "omitted": ["meet in Oslo"],
            "unresolved": ["meet on 4/10 in Oslo", "meet on the fourth in Oslo", "meet in October in Oslo"],
        },
    ),
    (
        "date",
        "next Tuesday",
        "move it to next tuesday at the latest",
        {},
        {
            "retained": ["move it to next Tuesday at the latest"],
            "changed": ["move it to next Thursday at the latest", "move it to last Tuesday at the latest"],
            "omitted": ["move it at the latest"],
            "unresolved": ["move it to Tuesday at the latest"],
        },
    ),
    (
        "date",
        "2027-08-02",
        "fly on the second of august twenty twenty seven to riga",
        {},
        {
            "retained": ["fly on August 1, no, August 2, 2027 to Riga"],
            "changed": ["fly on August 2, 2027, I mean August 3, 2027 to Riga"],
            "unresolved": ["fly on August 1, 2027, August 2, 2027 to Riga"],
        },
    ),
    (
        "time",
        "6:15",
        "ring the bell at a quarter past six",
        {},
        {
            "retained": ["ring the bell at 6:15", "ring the bell at quarter past six", "ring the bell at six fifteen"],
            "changed": ["ring the bell at 6:50", "ring the bell at quarter to six"],
            "omitted": ["ring the bell at"],
        },
    ),
    (
        "time",
        "20:00",
        "start the film at eight in the evening",
        {},
        {
            "retained": [
                "start the film at 8 in the evening",
                "start the film at 8 PM",
                "start the film at 20:00",
                "start the film at eight tonight",
            ],
            "changed": ["start the film at 8 a.m.", "start the film at eight in the morning"],
            "omitted": ["start the film in the evening"],
            "unresolved": ["start the film at eight o'clock"],
        },
    ),
    (
        "time",
        "noon",
        "close the form at noon tomorrow",
        {},
        {
            "retained": [
                "close the form at 12 PM tomorrow",
                "close the form at midday tomorrow",
                "close the form at 12 noon tomorrow",
            ],
            "changed": ["close the form at midnight tomorrow"],
            "omitted": ["close the form tomorrow"],
        },
    ),
    (
        "date",
        "2026-12-31",
        "run it on new years eve, the thirty first of december twenty twenty six",
        {},
        {
            "retained": [
                "run it on New Year's Eve, the 31st of December 2026",
                "run it on New Year's Eve, December 31, 2026",
                "run it on New Year's Eve, 31/12/2026",
                "run it on New Year's Eve, 12/31/2026",
            ],
            "changed": ["run it on New Year's Eve, December 30, 2026"],
            "unresolved": ["run it on New Year's Eve, the 31st of December"],
        },
    ),
    (
        "date",
        "2027-05-05",
        "open on the fifth of may twenty twenty seven",
        {},
        {
            "retained": ["open on 5/5/2027", "open on May 5, 2027", "open on May 5th 2027"],
            "changed": ["open on the 5th of May 2017", "open on the 15th of May 2027", "open on the 5th of March 2027"],
        },
    ),
    (
        "date",
        "Saturday",
        "mow the lawn on saturday morning",
        {},
        {
            "retained": ["mow the lawn on Saturday morning", "mow the lawn on Sat morning"],
            "changed": ["mow the lawn on Sunday morning"],
            "omitted": ["mow the lawn in the morning"],
        },
    ),
    (
        "time",
        "15:30",
        "feed the cat at half past three in the afternoon and lock up",
        {},
        {
            "retained": [
                "feed the cat at 3:30 PM and lock up",
                "this afternoon feed the cat at half past three and lock up",
                "feed the cat at half three in the afternoon and lock up",
                "Feed the cat at 15h30 and lock up",
            ],
            "changed": ["feed the cat at half past three in the morning and lock up"],
            "omitted": ["feed the cat in the afternoon and lock up"],
            "unresolved": ["feed the cat at 3:30 and lock up"],
        },
    ),
    (
        "time",
        "00:15",
        "reboot at a quarter past midnight each day",
        {},
        {
            "retained": [
                "reboot at 12:15 AM each day",
                "reboot at 0:15 each day",
                "reboot at a quarter past midnight each day",
            ],
            "changed": ["reboot at a quarter past noon each day", "reboot at 12:15 PM each day"],
            "unresolved": ["reboot at 12:15 each day"],
        },
    ),
    (
        "date",
        "2027-10-04",
        "sign on the fourth of october twenty twenty seven, not on the eleventh",
        {},
        {
            "retained": ["sign on October 4, 2027, not on the 11th"],
            "changed": ["sign on October 11, 2027, not on the 4th"],
            "unresolved": ["sign on 10/4/2027, not on the 11th", "sign on the 4th, not on the 11th"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
