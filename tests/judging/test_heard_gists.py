"""Gists as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "gist",
        "hide the toolbar",
        "hide the toolbar and zoom in",
        {"keywords": [["hide"], ["toolbar"]], "contrary": ["show the toolbar"]},
        {
            "retained": ["hide the toolbar and zoom in", "Hiding the toolbar and zoom in"],
            "changed": ["do not hide the toolbar and zoom in", "show the toolbar and zoom in"],
            "omitted": ["and zoom in"],
            "unresolved": ["hide the scrollbar and zoom in"],
        },
    ),
    (
        "gist",
        "do not email the client",
        "finish the draft but do not email the client yet",
        {"keywords": [["email"], ["client"]]},
        {
            "retained": [
                "finish the draft but do not email the client yet",
                "finish the draft but don't email the client yet",
                "finish the draft but never email the client yet",
            ],
            "changed": ["finish the draft but do email the client yet", "finish the draft and email the client yet"],
            "omitted": ["finish the draft"],
            "unresolved": ["finish the draft but do not call the client yet"],
        },
    ),
    (
        "gist",
        "turn off the heater",
        "turn off the heater when we leave",
        {"keywords": [["turn"], ["off"], ["heater"]], "contrary": ["turn on the heater"]},
        {
            "retained": ["turn off the heater when we leave"],
            "changed": ["turn on the heater when we leave", "don't turn off the heater when we leave"],
            "omitted": ["when we leave"],
            "unresolved": [
                "switch off the heater when we leave",
                "turn of the heater when we leave",
                "turn off the heather when we leave",
            ],
        },
    ),
    (
        "gist",
        "keep the originals",
        "shrink the photos and keep the originals please",
        {"keywords": [["keep"], ["originals"]], "contrary": ["delete the originals"]},
        {
            "retained": [
                "shrink the photos and keep the originals please",
                "shrink the photos and keep the original please",
            ],
            "changed": [
                "shrink the photos and don't keep the originals please",
                "shrink the photos and delete the originals please",
            ],
            "omitted": ["shrink the photos please"],
            "unresolved": ["shrink the photos and move the originals please"],
        },
    ),
    (
        "gist",
        "without dropping rows",
        "merge the sheets without dropping rows and save",
        {"keywords": [["without"], ["dropping"], ["rows"]]},
        {
            "retained": ["merge the sheets without dropping rows and save"],
            "changed": ["merge the sheets dropping rows and save", "merge the sheets and drop rows and save"],
            "omitted": ["merge the sheets and save"],
        },
    ),
    (
        "gist",
        "mute the channel",
        "mute the channel until monday and archive the rest",
        {"keywords": [["mute"], ["channel"]]},
        {
            "retained": [
                "mute the channel until monday and archive the rest",
                "Muted the channel until Monday and archive the rest",
                "mute the channels until Monday and archive the rest",
            ],
            "changed": ["don't mute the channel until Monday and archive the rest"],
            "omitted": ["until Monday and archive the rest", "archive the rest"],
            "unresolved": [
                "unmute the channel until Monday and archive the rest",
                "mute the panel until Monday and archive the rest",
            ],
        },
    ),
    (
        "gist",
        "only on weekdays",
        "water the beds at six a m, only on weekdays, and log it",
        {"keywords": [["only"], ["weekdays"]], "contrary": ["on weekends"]},
        {
            "retained": ["water the beds at 6 a.m., only on weekdays, and log it"],
            "changed": [
                "water the beds at 6 a.m., only on weekends, and log it",
                "water the beds at 6 a.m., not on weekdays, and log it",
            ],
            "omitted": ["water the beds at 6 a.m. and log it"],
            "unresolved": ["water the beds at 6 a.m., on weekdays, and log it"],
        },
    ),
    (
        "gist",
        "do not overwrite existing files",
        "unpack it here but do not overwrite existing files",
        {"keywords": [["overwrite"], ["existing files"]], "contrary": ["overwrite everything"]},
        {
            "retained": [
                "unpack it here but do not overwrite existing files",
                "unpack it here and don't overwrite existing files",
                "unpack it here but never overwrite existing files",
            ],
            "changed": [
                "unpack it here but overwrite existing files",
                "unpack it here but do now overwrite existing files",
            ],
            "omitted": ["unpack it here"],
            "unresolved": ["unpack it here but do not override existing files"],
        },
    ),
    (
        "gist",
        "ask before deleting",
        "clean the tray and ask before deleting anything",
        {"keywords": [["ask"], ["before"], ["delete", "deleting"]], "contrary": ["without asking"]},
        {
            "retained": [
                "clean the tray and ask before deleting anything",
                "clean the tray and ask before you delete anything",
            ],
            "changed": ["clean the tray and delete anything without asking"],
            "omitted": ["clean the tray"],
            "unresolved": [
                "clean the tray and task before deleting anything",
                "clean the tray and ask after deleting anything",
            ],
        },
    ),
    (
        "gist",
        "stop at the first error",
        "run all checks, stop at the first error, and mail me",
        {"keywords": [["stop"], ["first"], ["error"]]},
        {
            "retained": ["run all checks, stop at the first error, and mail me"],
            "changed": ["run all checks, do not stop at the first error, and mail me"],
            "omitted": ["run all checks and mail me"],
            "unresolved": [
                "run all checks, stop at the first era, and mail me",
                "run all checks, stop at the last error, and mail me",
            ],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
