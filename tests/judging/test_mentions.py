from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import finding_of, label_of, labels_of

EYES = "I read late and a large print view would help my eyes. Please turn on the large print view in Okular."
TIDES = "Open /srv/tides/june.csv first. Then sort the rows by height and save /srv/tides/june.csv again."
SHELF = "Move alpha.txt to the shelf. Print the list. Delete alpha.txt at the end."


@pytest.mark.parametrize(
    ("kind", "say", "script", "heard", "label"),
    [
        ("term", "large print view", EYES, "Please turn on the large print view in Okular.", "retained"),
        ("term", "large print view", EYES, "I read late and a large print view would help my eyes.", "retained"),
        ("term", "large print view", EYES.lower(), "please turn on the large print view in okular", "retained"),
        ("path", "/srv/tides/june.csv", TIDES, "Then sort the rows and save /srv/tides/june.csv again.", "retained"),
        (
            "path",
            "/srv/tides/june.csv",
            TIDES,
            "Then sort the rows and save slash srv slash tides slash june dot csv again.",
            "retained",
        ),
        ("filename", "alpha.txt", SHELF, "Print the list. Delete alpha.txt at the end.", "retained"),
        ("text", "Low Tide", 'The title is "Low Tide". Print "Low Tide" on top.', "Print Low Tide on top.", "retained"),
        (
            "term",
            "Tamsin",
            "Write to Tamsin today. I met her boss, and Tamsin's dog was there.",
            "I met her boss, and Tamsin's dog was there.",
            "retained",
        ),
    ],
)
def test_a_name_is_heard_where_it_is_said_again(kind: str, say: str, script: str, heard: str, label: str) -> None:
    assert label_of(say, kind, script, heard) == label


def test_the_evidence_is_the_other_mention() -> None:
    heard = "Print the list. Delete alpha.txt at the end."
    finding = finding_of("alpha.txt", "filename", SHELF, heard)
    assert (finding.heard, finding.start) == ("alpha.txt", heard.index("alpha.txt"))
    assert "says it again" in finding.reason


@pytest.mark.parametrize(
    ("kind", "say", "script", "heard"),
    [
        ("term", "large print view", EYES, EYES.replace("large print view", "", 1)),
        ("filename", "alpha.txt", SHELF, SHELF.replace("alpha.txt ", "", 1)),
    ],
)
def test_a_gap_may_have_held_another_name(kind: str, say: str, script: str, heard: str) -> None:
    assert label_of(say, kind, script, heard) == "unresolved"


@pytest.mark.parametrize(
    ("kind", "say", "script", "heard"),
    [
        ("term", "large print view", EYES, EYES.replace("large", "small", 1)),
        ("filename", "alpha.txt", SHELF, SHELF.replace("alpha", "beta", 1)),
    ],
)
def test_another_value_in_the_first_place_stays_changed(kind: str, say: str, script: str, heard: str) -> None:
    assert label_of(say, kind, script, heard) == "changed"


@pytest.mark.parametrize(
    ("kind", "say", "script", "heard"),
    [
        ("term", "large print view", EYES, "Please turn on the small print view in Okular."),
        ("path", "/srv/tides/june.csv", TIDES, "Then sort the rows by height and save /srv/tides/july.csv again."),
        (
            "filename",
            "alpha.txt",
            "Move alpha.txt up. Print alpha.txt today. Delete alpha.txt at the end.",
            "Print alpha.txt today. Delete alpha.md at the end.",
        ),
    ],
)
def test_another_value_at_a_mention_tells_nothing(kind: str, say: str, script: str, heard: str) -> None:
    assert label_of(say, kind, script, heard) == "omitted"


@pytest.mark.parametrize(
    ("kind", "say", "first", "second"),
    [
        ("number", "2", "Keep 2 copies of the log.", "Then print page 2 of it."),
        ("quantity", "2 cm", "Set the left margin to 2 cm.", "The right margin shall be 2 cm too."),
        ("date", "2027-05-06", "Ship it on the 6th of May 2027.", "We are closed on the 6th of May 2027."),
        ("code", "B4", "Put the sum into B4.", "Colour B4 red."),
        ("flag", "--force", "Push with --force.", "Never remove the folder with --force."),
        ("choice", "left", "Align the title left.", "Close the panel on the left."),
        ("term", "merge", "Please merge the two cells.", "I shall merge the branches."),
        ("term", "cassette", "Copy the song onto the cassette.", "Mail me the cassette."),
        ("term", "six boards", "Paint six boards.", "There are six boards in the yard."),
        ("term", "Notes", "Open Notes and make a list.", "The app keeps my notes."),
        ("term", "Notes", "Open Notes and make a list.", "Wait a bit. Notes of last week can go."),
        ("term", "Notes", "Open Notes and make a list.", "- Notes of last week can go."),
        ("term", "Tamsin", "Write to Tamsin today.", "I met Tamsin Oke at the fair."),
        ("term", "Oke", "Write to Oke today.", "I met Tamsin Oke at the fair."),
        ("term", "Garden", "Put it into the folder Garden.", "Then open Garden.example.com today."),
        ("text", "Low Tide", 'Write "Low Tide" on top.', "The low tide is at nine."),
        ("filename", "plan.docx", "Open plan.docx and read it.", "Then mail /srv/old/plan.docx to Bert."),
        ("filename", "plan.docx", "Open plan.docx and read it.", "Do not mail plan.docx to anybody."),
        ("path", "/srv", "Do not list /srv at all.", "Make a folder in /srv now."),
        ("filename", "plan.docx", "打开 plan.docx 。", "最后不要删除 plan.docx 。"),
        ("identifier", "title", 'Fill the field "title" with it.', "Keep it short. The title shall not be long."),
        ("code", "gate", "Use the code gate for it.", "Paint the gate green."),
    ],
)
def test_what_may_be_another_thing_is_no_mention(kind: str, say: str, first: str, second: str) -> None:
    fields: dict[str, Any] = {"options": ["left", "right"]} if kind == "choice" else {}
    assert label_of(say, kind, f"{first} {second}", f"{first} {second}", **fields) == "retained"
    assert label_of(say, kind, f"{first} {second}", second, **fields) == "omitted"


def test_the_value_of_another_intention_is_not_borrowed() -> None:
    wall = {"say": "north wall", "kind": "term"}
    script = "Paint the north wall. Then hang the map on the north wall."
    assert labels_of({"painted": wall, "map": wall}, script, "Then hang the map on the north wall.") == {
        "painted": "omitted",
        "map": "retained",
    }
    assert labels_of({"painted": wall, "map": wall}, script, "Paint the north wall.") == {
        "painted": "retained",
        "map": "omitted",
    }


def test_a_longer_value_of_another_intention_is_not_borrowed() -> None:
    fields = {"sheet": {"say": "Tide Table", "kind": "text"}, "copy": {"say": "Tide Table (old)", "kind": "text"}}
    script = 'Name the sheet "Tide Table". Then name the copy "Tide Table (old)".'
    assert labels_of(fields, script, 'Then name the copy "Tide Table (old)".') == {
        "sheet": "omitted",
        "copy": "retained",
    }


def test_a_mention_before_the_place_is_another_thing() -> None:
    fields = {"file": {"say": "tides.docx", "kind": "filename"}, "folder": {"say": "Desktop", "kind": "term"}}
    script = "My draft is on the Desktop at home. Save the copy as tides.docx on the Desktop."
    assert labels_of(fields, script, script) == {"file": "retained", "folder": "retained"}
    assert labels_of(fields, script, "My draft is on the Desktop at home.") == {"file": "omitted", "folder": "omitted"}


def test_one_item_of_a_list_is_heard_where_it_is_said_again() -> None:
    script = "Copy alpha.txt. Print beta.txt. Burn alpha.txt."
    fields = {"files": {"say": ["alpha.txt", "beta.txt"], "kind": "filename"}}
    assert labels_of(fields, script, "Print beta.txt. Burn alpha.txt.") == {"files": "retained"}
    assert labels_of(fields, script, "Copy. Print beta.txt. Burn alpha.txt.") == {"files": "unresolved"}
    assert labels_of(fields, script, "Print beta.txt.") == {"files": "changed"}
