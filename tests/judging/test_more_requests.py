"""Whole requests with several faults at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import labels_of

LABELS = {"R": "retained", "C": "changed", "O": "omitted", "U": "unresolved"}

# A script, its intentions, and the labels of transcripts by their first letters.
REQUESTS: list[tuple[str, dict[str, dict[str, Any]], dict[str, str]]] = [
    (
        "write to ina voss that the bill of forty five euros is paid",
        {
            "b": {"say": "the bill of 45 euros is paid", "kind": "text"},
            "m": {"say": "45 euros", "kind": "money"},
            "w": {"say": "Ina Voss", "kind": "term"},
        },
        {
            "Write to Ina Voss that the bill of 45 euros is paid": "RRR",
            "write to ina voss that the bill of forty five euros is paid": "RRR",
            "Write to Ina Voss that the bill of €45 is paid": "RRR",
            "Write to Ina Voss that the bill of 54 euros is paid": "CCR",
        },
    ),
    (
        ("crawl docs dot example dot io slash v two slash twice a day and skip pages over four hundred kilobytes"),
        {
            "u": {"say": "https://docs.example.io/v2/", "kind": "url"},
            "s": {"say": "400 kB", "kind": "quantity"},
        },
        {
            "Crawl docs.example.io/v7 twice a day and skip pages over 400 kilobytes": "CR",
            "Crawl docs.example.io/v2 twice a day and skip pages over 400 kilobytes": "RR",
            "Crawl docks.example.io/v2 twice a day and skip pages over 400 kilobytes": "CR",
            "Crawl twice a day and skip pages over 400 kilobytes": "OR",
        },
    ),
    (
        "copy the folder slash srv slash films slash to the disk and keep two versions",
        {
            "u": {"say": "/srv/films/", "kind": "path"},
            "n": {"say": "2", "kind": "number"},
        },
        {
            "copy the folder /srv/films to the disk and keep 2 versions": "RR",
            "copy the folder /srv/films/ to the disk and keep too versions": "RU",
            "copy the folder /srv/film to the disk and keep 2 versions": "CR",
        },
    ),
    (
        (
            "remind me at quarter past four in the afternoon on the third of may twenty "
            "twenty seven to pay twelve dollars fifty"
        ),
        {
            "t": {"say": "16:15", "kind": "time"},
            "d": {"say": "2027-05-03", "kind": "date"},
            "m": {"say": "$12.50", "kind": "money"},
        },
        {
            "Remind me at 4:15 PM on May 3, 2027 to pay $12.50.": "RRR",
            "Remind me at 4:15 PM on May 3rd, 2027, to pay 12.50.": "RRC",
            "Remind me at 3:45 PM on May 3, 2027 to pay $12.15.": "CRC",
            "Remind me on May 3, 2027 at 4:15 PM to pay $12.50.": "RRR",
            "Remind me at 4:15 on 3/5/2027 to pay $12.50": "UUR",
        },
    ),
    (
        "rent the blue van for thirty five euros a day and the red van for forty euros a day",
        {
            "a": {"say": "35 euros", "kind": "money"},
            "b": {"say": "40 euros", "kind": "money"},
        },
        {
            "Rent the blue van for €35 a day and the red van for €40 a day.": "RR",
            "Rent the blue van for 35 and the red van for €40 a day.": "CR",
            "Rent the red van for €40 a day.": "OR",
            "Rent the blue van for €40 a day and the red van for €35 a day.": "CC",
            "Rent the blue van for 35 euros a day and the red van for 14 euros a day.": "RC",
        },
    ),
    (
        "tell the crew to meet at dock nine, not dock five, and bring ropes",
        {
            "d": {"say": "dock 9", "kind": "term"},
            "r": {
                "say": "bring ropes",
                "kind": "gist",
                "keywords": [["bring"], ["ropes"]],
                "contrary": ["do not bring"],
            },
        },
        {
            "tell the crew to meet at dock 9, not dock 5, and bring ropes": "RR",
            "tell the crew to meet at dock 5, not dock 9, and bring ropes": "CR",
            "tell the crew to meet at dock nein, not dock five, and bring robes": "CU",
            "tell the crew to meet at dock 9 and don't bring ropes": "RC",
        },
    ),
    (
        "set the alarm for six forty a m, volume eleven, and repeat it on weekdays",
        {
            "t": {"say": "06:40", "kind": "time"},
            "v": {"say": "11", "kind": "number"},
        },
        {
            "set the alarm for 6:40 AM, volume 11, and repeat it on weekdays": "RR",
            "set the alarm for six fourteen a m volume seven and repeat it on weekdays": "CC",
            "set the alarm for 6:40 AM volume and repeat it on weekdays": "RO",
            "set alarm six forty a m volume eleven repeat weekdays": "RR",
            "alarm 6:40 AM, volume 11, weekdays": "RR",
        },
    ),
    (
        "book a table for four at seven thirty p m under the name okafor",
        {
            "n": {"say": "4", "kind": "number"},
            "t": {"say": "7:30 pm", "kind": "time"},
            "w": {"say": "Okafor", "kind": "term"},
        },
        {
            "Book a table for 4 at 7:30 p.m. under the name Okafor": "RRR",
            "book a table for for at seven thirty p m under the name okafor": "URR",
            "book a table for at seven thirty p m under the name okafor": "ORR",
            "Book a table for four at 7:30 under the name Okafer": "RUU",
            "Your table for 4 at 7:30 PM is booked under the name Okafor.": "OOO",
            "I have booked a table for four at 7:30 PM.": "OOO",
            "Table for 4 booked at 7:30 PM.": "OOO",
            "Book a table for 4 at 7.30 this evening under the name Oak for": "RRC",
        },
    ),
    (
        "rename the branch old dash parser to legacy dash parser and delete the tag r c one",
        {
            "a": {"say": "old-parser", "kind": "identifier"},
            "b": {"say": "legacy-parser", "kind": "identifier"},
            "c": {"say": "rc1", "kind": "code"},
        },
        {
            "rename the branch old-parser to legacy-parser and delete the tag RC1": "RRR",
            "rename the branch legacy-parser to old-parser and delete the tag rc1": "CCR",
            "rename the branch old parser to legacy parser and delete the tag rc one": "UUR",
            "rename the branch old-parser to legacy-parser and delete the tag RCL": "RRU",
            "rename the branch to legacy-parser and delete the tag RC1": "ORR",
        },
    ),
    (
        (
            "the invoice is due on the fifth of june twenty twenty seven and the deposit on "
            "the fifth of july twenty twenty seven"
        ),
        {
            "a": {"say": "2027-06-05", "kind": "date"},
            "b": {"say": "2027-07-05", "kind": "date"},
        },
        {
            "The invoice is due on June 5, 2027 and the deposit on July 5, 2027.": "RR",
            "The invoice is due on July 5, 2027 and the deposit on July 5, 2027.": "CR",
            "The invoice is due on June 5 and the deposit on July 5, 2027.": "RR",
            "The invoice is due on 5/6/2027 and the deposit on 5/7/2027.": "UU",
            "The invoice is due on June 5, 2027.": "RO",
        },
    ),
    (
        "please call the plumber about the leak, the number is five five five oh one two three",
        {
            "w": {"say": "plumber", "kind": "term"},
            "n": {"say": "5550123", "kind": "code"},
        },
        {
            "Please call the plumber about the leak. The number is 555-0123.": "RR",
            "Please call the plumber about the leak. The number is 555-0132.": "RC",
            "Sure! I'll call the plumber about the leak. The number is 555-0123.": "RR",
            "Calling the plumber now.": "OO",
            "I called the plumber about the leak.": "OO",
            "The plumber has been called about the leak.": "OO",
        },
    ),
    (
        "what is the weather in bergen on saturday",
        {
            "p": {"say": "Bergen", "kind": "term"},
            "d": {"say": "Saturday", "kind": "date"},
        },
        {
            "What's the weather in Bergen on Saturday?": "RR",
            "The weather in Bergen on Saturday will be sunny with 12 degrees.": "OO",
            "What is the weather in Bergamo on Saturday?": "CR",
            "In Bergen it is 9 degrees and raining.": "OO",
        },
    ),
    (
        (
            "set the oven to two hundred and ten degrees celsius, bake the rye loaf for fifty "
            "minutes and send the photo to marit at bakes dot example dot com"
        ),
        {
            "o": {"say": "210 °C", "kind": "quantity"},
            "l": {"say": "rye loaf", "kind": "term"},
            "t": {"say": "50 minutes", "kind": "duration"},
            "m": {"say": "marit@bakes.example.com", "kind": "email"},
        },
        {
            (
                "Set the oven to 210°C, bake the rye loaf for 50 minutes and send the photo to marit@bakes.example.com."
            ): "RRRR",
            (
                "Set the oven to 210 degrees, bake the wry loaf for 15 minutes and send the photo "
                "to marit@bakes.example.com."
            ): "CUCR",
            (
                "Set the oven to 200 and 10 degrees Celsius, bake the rye loaf for 50 minutes and "
                "send the photo to marit@baker.example.com."
            ): "RRRC",
            (
                "set the oven to two ten degrees celsius bake the rye loaf for fifty minutes and "
                "send the photo to marit at bakes dot example dot com"
            ): "RRRR",
            "Set the oven, bake the loaf for minutes and send the photo to Marit.": "OCOC",
            "oven 210 rye loaf 50 minutes": "OOOO",
            (
                "The oven is preheating to 210 degrees Celsius. I'll send the photo to "
                "marit@bakes.example.com when it's ready."
            ): "OOOO",
            ("To bake a rye loaf, preheat your oven to 210 degrees Celsius and bake it for 50 minutes."): "OOOO",
            (
                "Set the oven to 210 °C. Bake the rye loaf for 50 minutes. Set the oven to 210 "
                "°C. Bake the rye loaf for 50 minutes. Set the oven to 210 °C. Bake the rye loaf "
                "for 50 minutes."
            ): "RRRO",
        },
    ),
    (
        (
            "clone the repository tide charts from git dot example dot org, check out the tag "
            "v one point nine and run the tests with dash dash fast"
        ),
        {
            "r": {"say": "tide-charts", "kind": "identifier", "style": "any"},
            "h": {"say": "https://git.example.org", "kind": "url"},
            "v": {"say": "v1.9", "kind": "version"},
            "f": {"say": "--fast", "kind": "flag"},
        },
        {
            (
                "Clone the repository tide-charts from git.example.org, check out the tag v1.9 "
                "and run the tests with --fast."
            ): "RRRR",
            (
                "Clone the repository Tide Charts from get.example.org, check out the tag V1.9 "
                "and run the tests with fast."
            ): "RCRU",
            (
                "Clone the repository Tied Charts from git.example.org, check out the tag v1.5 "
                "and run the tests with --last."
            ): "CRCC",
            "Clone tide-charts from git.example.org, check out v1.9, run the tests --fast": "RRRR",
            "I have cloned the repository tide-charts from git.example.org and checked out v1.9.": "OOOO",
            (
                "clone the repository tide charts from git dot example dot org check out the tag "
                "one nine and run the tests"
            ): "RRUO",
        },
    ),
    (
        (
            "invite priya, tomas and wen to the review at quarter past three in the afternoon "
            "on the ninth of april and book room delta"
        ),
        {
            "p": {"say": ["Priya", "Tomas", "Wen"], "kind": "term"},
            "t": {"say": "15:15", "kind": "time"},
            "d": {"say": "9 April", "kind": "date"},
            "r": {"say": "Delta", "kind": "term"},
        },
        {
            "Invite Priya, Tomas and Wen to the review at 3:15 PM on April 9 and book room Delta.": "RRRR",
            "Invite Priya, Thomas and Wen to the review at 3:15 on April 19 and book room Delta.": "CUCR",
            (
                "Invite Priya and Wen to the review at a quarter to three in the afternoon on the "
                "9th of April and book room Delta."
            ): "CCRR",
            "Invite Priya, Tomas and Wen to the review on April 9 and book room D.": "RORC",
            "Invite Priya, Tomas, and Wen to the review at 15.15 on 9 April and book room Delta.": "RRRR",
        },
    ),
    (
        (
            "transfer six hundred and forty euros to jonas eklund with the note rent for may "
            "and two hundred euros to oskar with the note thanks"
        ),
        {
            "a": {"say": "€640", "kind": "money"},
            "w": {"say": "Jonas Eklund", "kind": "term"},
            "n": {"say": "rent for May", "kind": "text"},
            "b": {"say": "€200", "kind": "money"},
        },
        {
            (
                "Transfer €640 to Jonas Eklund with the note rent for May and €200 to Oskar with the note thanks."
            ): "RRRR",
            (
                "Transfer 640 to Jonas Eklund with the note rent for May and 200 euros to Oskar with the note thanks."
            ): "CRRR",
            (
                "Transfer €614 to Jonas Ecklund with the note rent four May and €200 to Oskar with the note thanks."
            ): "CUUR",
            (
                "Transfer six forty euros to Jonas Eklund with the note rent for me and €200 to "
                "Oskar with the note thanks."
            ): "URCR",
            (
                "Transfer €200 to Jonas Eklund with the note rent for May and €640 to Oskar with the note thanks."
            ): "CRRC",
            "Transfer €640 to Jonas Eklund and €200 to Oskar with the note thanks.": "RROR",
        },
    ),
    (
        "turn on the porch light at eight p m, off at six a m, and never on sundays",
        {
            "on": {"say": "20:00", "kind": "time"},
            "off": {"say": "06:00", "kind": "time"},
            "n": {"say": "never on Sundays", "kind": "gist", "keywords": [["never", "not"], ["sundays"]]},
        },
        {
            "Turn on the porch light at 8 PM, off at 6 AM, and never on Sundays.": "RRR",
            "Turn on the porch light at 8, off at 6, and never on Sundays.": "UUR",
            "Turn on the porch light at 6 AM, off at 8 PM, and never on Sundays.": "CCR",
            "Turn on the porch light from 8 PM to 6 AM, and on Sundays.": "RRC",
            "Turn on the porch light at 8 tonight, off at 6 in the morning, but not on Sundays.": "RRR",
        },
    ),
    (
        "uh, could you um open the file trip notes dot t x t and add the line bring two torches",
        {
            "f": {"say": "trip notes.txt", "kind": "filename"},
            "l": {"say": "bring two torches", "kind": "text"},
        },
        {
            'Could you open the file trip notes.txt and add the line "Bring two torches"?': "RR",
            "open the file tripnotes.txt and add the line bring to torches": "UU",
            "open the file trip_notes.txt and add the line bring 2 torches": "UR",
            "open the file strip notes.txt and add the line bring two porches": "CC",
            "Could you open the file and add the line?": "OO",
            "Sure, here is the line: bring two torches": "OO",
        },
    ),
    (
        ("the password is capital k nine dollar sign four dash w and the user is guest underscore two"),
        {
            "p": {"say": "K9$4-w", "kind": "code"},
            "u": {"say": "guest_2", "kind": "identifier"},
        },
        {
            "The password is K9$4-w and the user is guest_2": "RR",
            "The password is K94W and the user is guest2": "RU",
            "The password is K9$5-w and the user is guest_3": "CC",
            ("the password is capital k nine dollar sign four dash w and the user is guest underscore to"): "RC",
        },
    ),
    (
        (
            "scale the poster to fifty percent, rotate it by minus five degrees and export it "
            "as poster dash small dot p n g"
        ),
        {
            "s": {"say": "50%", "kind": "percent"},
            "r": {"say": "-5 degrees", "kind": "quantity"},
            "f": {"say": "poster-small.png", "kind": "filename"},
        },
        {
            "Scale the poster to 50%, rotate it by -5 degrees and export it as poster-small.png.": "RRR",
            "Scale the poster to 15%, rotate it by 5 degrees and export it as poster small.png.": "CCU",
            ("Scale the poster to 50, rotate it by minus five degrees and export it as poster-small.jpg."): "CRC",
            "Scale the poster to 50 percent, rotate it by -5° and export it as posters-small.png": "RRC",
            (
                "scale the poster to fifty percent rotate it by minus five and export it as poster dash small dot ping"
            ): "RCR",
        },
    ),
]


@pytest.mark.parametrize(("script", "intentions", "heard"), REQUESTS, ids=[request[0][:40] for request in REQUESTS])
def test_requests(script: str, intentions: dict[str, dict[str, Any]], heard: dict[str, str]) -> None:
    for transcript, letters in heard.items():
        wanted = {name: LABELS[letter] for name, letter in zip(intentions, letters, strict=True)}
        assert labels_of(intentions, script, transcript) == wanted, transcript
