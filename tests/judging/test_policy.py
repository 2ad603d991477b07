"""One line for each thing that a careful reader would say of a short request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import label_of


@pytest.mark.parametrize(
    ("label", "kind", "say", "script", "transcript"),
    [
        (
            "changed",
            "path",
            "/srv/archive/2024",
            "put it in slash srv slash archive slash twenty twenty four",
            "put it in /srv/archive/2025",
        ),
        ("unresolved", "path", "~/notes/a.md", "open tilde slash notes slash a dot m d", "open notes slash a dot md"),
        ("changed", "flag", "-v", "run it with dash v", "run it with dash b"),
        ("unresolved", "flag", "-v", "run it with dash v", "run it with v"),
        ("retained", "flag", "--no-verify", "commit with dash dash no dash verify", "commit with -- no-verify"),
        ("unresolved", "flag", "--no-verify", "commit with dash dash no dash verify", "commit with no verify"),
        ("changed", "flag", "--no-verify", "commit with dash dash no dash verify", "commit with dash dash verify"),
        ("omitted", "flag", "--no-verify", "commit with dash dash no dash verify and push", "commit and push"),
        ("retained", "identifier", "user_id", "rename user underscore id now", "rename user_ID now"),
        ("changed", "identifier", "user_id", "rename user underscore id now", "rename user_idea now"),
        ("unresolved", "identifier", "userId", "rename camel case user id now", "rename userid now"),
        ("retained", "identifier", "userId", "rename camel case user id now", "rename userID now"),
        ("changed", "identifier", "elete", "type elete now", "type delete now"),
        ("changed", "number", "15", "use fifteen of them", "use 5 of them"),
        ("changed", "number", "7", "keep seven copies", "keep heaven copies"),
        ("changed", "number", "7", "keep seven copies", "keep several copies"),
        ("omitted", "number", "7", "keep seven copies", "keep copies"),
        ("retained", "quantity", "2.5 kg", "weigh two point five kilograms", "weigh 2500 grams"),
        ("changed", "quantity", "3 km", "run three kilometres", "run 3 miles"),
        ("retained", "quantity", "6 dB", "raise it by six decibels", "raise it by 6 dB"),
        ("changed", "quantity", "40 lines", "print forty lines", "print 40 pages"),
        ("changed", "percent", "41", "raise to forty one percent", "raise to 41"),
        ("retained", "percent", "41", "raise to forty one percent", "raise to 41 percent"),
        ("retained", "duration", "3 weeks", "wait three weeks", "wait 21 days"),
        ("changed", "duration", "3 weeks", "wait three weeks", "wait three days"),
        ("retained", "duration", "2:30", "set it to two minutes thirty seconds", "set it to 2:30"),
        ("unresolved", "date", "2027-05-06", "on the sixth of may twenty twenty seven", "on 5/6/2027"),
        ("unresolved", "date", "2027-05-06", "on the sixth of may twenty twenty seven", "on May 6"),
        ("changed", "date", "2027-05-06", "on the sixth of may twenty twenty seven", "on May 16, 2027"),
        ("changed", "date", "2027-05-06", "on the sixth of may twenty twenty seven", "on the sixth of march 2027"),
        ("retained", "date", "Friday", "do it on friday", "do it on Friday"),
        ("changed", "date", "next Friday", "do it next friday", "do it last Friday"),
        ("retained", "time", "18:30", "at half past six in the evening", "at 6:30 p.m."),
        ("unresolved", "time", "18:30", "at half past six in the evening", "at 6:30"),
        ("changed", "time", "18:30", "at half past six in the evening", "at 6:13 p.m."),
        ("retained", "time", "12:30", "at half past twelve", "at 12:30"),
        ("retained", "time", "12:30", "at half past twelve at lunch", "at half past twelve at lunch"),
        ("unresolved", "time", "16:00", "at four in the afternoon", "at four o clock"),
        ("retained", "time", "9:00", "at nine in the morning", "at 9 AM"),
        ("unresolved", "time", "9:00", "at nine in the morning", "at nine"),
        ("retained", "term", "Mira Tandberg", "ask mira tandberg about it", "ask Mira Tandberg about it"),
        ("changed", "term", "Mira Tandberg", "ask mira tandberg about it", "ask Mira Sandberg about it"),
        ("unresolved", "term", "Mira Tandberg", "ask mira tandberg about it", "ask Meera Tandberg about it"),
        ("omitted", "term", "Mira Tandberg", "ask mira tandberg about it", "ask about it"),
        ("retained", "text", "Back at 10", "set the status to back at ten", 'set the status to "Back at 10"'),
        ("changed", "text", "Back at 10", "set the status to back at ten", 'set the status to "Back at 2"'),
        ("changed", "text", "never stop", "write never stop on it", "write never start on it"),
        ("unresolved", "text", "see you there", "write see you there on it", "write sea you there on it"),
        ("changed", "text", "close the old door", "write close the old door on it", "write close the door on it"),
        ("retained", "code", "K9", "use label k nine", "use label kilo nine"),
        ("changed", "code", "4471", "pin four four seven one", "pin 4417"),
        ("retained", "code", "4471", "pin four four seven one", "pin forty four seventy one"),
        ("changed", "code", "4471", "pin four four seven one", "pin 44 71 1"),
        ("unresolved", "code", "O7", "use o seven", "use 07"),
        ("retained", "number", "1.15", "spacing one point one five", "spacing 1.15"),
        ("changed", "number", "1.15", "spacing one point one five", "spacing 115"),
        ("changed", "number", "1.15", "spacing one point one five", "spacing 1.5"),
        (
            "retained",
            "url",
            "https://x.example.com/a?b=2",
            "open x dot example dot com slash a question mark b equals two",
            "open x.example.com/a?b=2",
        ),
        (
            "changed",
            "url",
            "https://x.example.com/a?b=2",
            "open x dot example dot com slash a question mark b equals two",
            "open x.example.com/a?b=3",
        ),
        (
            "changed",
            "url",
            "https://x.example.com/a?b=2",
            "open x dot example dot com slash a question mark b equals two",
            "open x.example.com/a",
        ),
        ("retained", "money", "$1,100", "pay eleven hundred dollars", "pay $1100"),
        ("retained", "money", "$1,100", "pay eleven hundred dollars", "pay one thousand one hundred dollars"),
        ("changed", "money", "$1,100", "pay eleven hundred dollars", "pay $1,000"),
        ("omitted", "money", "$1,100", "pay eleven hundred dollars to bob", "pay dollars to bob"),
        ("changed", "money", "$1,100", "pay eleven hundred dollars", "pay 1100 pounds"),
        ("unresolved", "version", "v1.2", "install version one point two now", "install version one two now"),
        ("changed", "version", "v1.2", "install version one point two now", "install version 12 now"),
        ("retained", "path", "src/app.py", "open s r c slash app dot p y", "open src/app.py"),
        ("changed", "path", "src/app.py", "open s r c slash app dot p y", "open source slash app dot py"),
        ("retained", "filename", "data.csv", "open data dot c s v", "open data dot C.S.V."),
        ("unresolved", "filename", "data.csv", "open data dot c s v", "open data"),
        ("retained", "text", "four", "write four on it", "write 4 on it"),
        ("retained", "filename", ["a.txt", "b.txt"], "copy a dot t x t and b dot t x t", "copy a.txt and b.txt"),
        ("changed", "filename", ["a.txt", "b.txt"], "copy a dot t x t and b dot t x t", "copy a.txt"),
        ("omitted", "filename", ["a.txt", "b.txt"], "copy a dot t x t and b dot t x t now", "copy now"),
        ("changed", "filename", ["a.txt", "b.txt"], "copy a dot t x t and b dot t x t", "copy a.txt and d.txt"),
    ],
)
def test_label(label: str, kind: str, say: str | list[str], script: str, transcript: str) -> None:
    assert label_of(say, kind, script, transcript) == label


@pytest.mark.parametrize(
    ("label", "kind", "say", "script", "transcript", "files", "fields"),
    [
        (
            "changed",
            "choice",
            "read",
            "give them read access",
            "give them write access",
            (),
            {"options": ["read", "write"]},
        ),
        (
            "retained",
            "text",
            "16:9",
            "set the ratio to sixteen to nine",
            "set the ratio to 16:9",
            (),
            {"also": ["16 to 9", "sixteen to nine"]},
        ),
        ("retained", "filename", "data.csv", "open data dot c s v", "open data", ("data.csv", "b.txt"), {}),
        ("unresolved", "filename", "data.csv", "open data dot c s v", "open data", ("data.csv", "data.txt"), {}),
        ("changed", "filename", "data.csv", "open data dot c s v", "open data.tsv", ("data.csv",), {}),
        ("changed", "filename", "data.csv", "open data dot c s v", "open date.csv", ("data.csv",), {}),
        ("unresolved", "filename", "Readme.md", "open readme dot m d", "open readme.md", (), {"case": "exact"}),
        ("changed", "filename", "Readme.md", "Open readme dot m d", "Open readme.md", (), {"case": "exact"}),
        ("changed", "filename", "Readme.md", "Open readme dot m d", "Open README.md", (), {"case": "exact"}),
    ],
)
def test_label_with_context(
    label: str, kind: str, say: str, script: str, transcript: str, files: tuple[str, ...], fields: dict[str, Any]
) -> None:
    assert label_of(say, kind, script, transcript, files, **fields) == label
