"""What a new user tried: amounts for times, files without their extension, decimal commas."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Finding
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention

TIME, FILE, MONEY = "Wake me at {} in the morning.", "Send {} to Anna.", "Pay {} to Anna."
CASES = (
    # An amount is no time.
    (TIME, "time", "07:30", "$730", "changed"),
    (TIME, "time", "07:30", "$7.30", "changed"),
    (TIME, "time", "06:15", "£6:15", "changed"),
    (TIME, "time", "06:15", "615 euros", "changed"),
    (TIME, "time", "06:15", "USD 615", "changed"),
    (TIME, "time", "06:15", "615%", "changed"),
    (TIME, "time", "06:15", "6:15 percent", "changed"),
    (TIME, "time", "07:30", "730", "retained"),
    (TIME, "time", "07:30", "7:30", "retained"),
    (TIME, "time", "07:30", "half past seven", "retained"),
    # A decimal comma.
    (MONEY, "money", "850.50 euros", "850,50 euros", "retained"),
    (MONEY, "money", "850.50 euros", "€850,50", "retained"),
    (MONEY, "money", "850.50 euros", "850,5 euros", "retained"),
    (MONEY, "money", "850.50 euros", "850,60 euros", "changed"),
    (MONEY, "money", "850.50 euros", "850,50 dollars", "changed"),
    (MONEY, "money", "850.50 euros", "850,500 euros", "changed"),
    (MONEY, "money", "850.50 euros", "85,050 euros", "changed"),
    (MONEY, "money", "850 euros", "850,50 euros", "changed"),
    (MONEY, "money", "50 euros", "850,50 euros", "changed"),
    (MONEY, "money", "850,50 euros", "850.50 euros", "retained"),
    (MONEY, "money", "€1,850.50", "€1.850,50", "retained"),
    (MONEY, "money", "€1,850.50", "1850,50 euros", "retained"),
    (MONEY, "money", "€1,850.50", "€1.850,60", "changed"),
    ("Draw a line of {} there.", "quantity", "1.5 cm", "1,5 centimetres", "retained"),
    ("Draw a line of {} there.", "quantity", "5 cm", "1,5 centimetres", "changed"),
    ("Set the share to {} now.", "percent", "3.25%", "3,25 %", "retained"),
    ("Set the share to {} now.", "percent", "3%", "3,25 %", "changed"),
    ("Set the factor to {} now.", "number", "0.5", "0,5", "retained"),
    ("Set the factor to {} now.", "number", "0.125", "0,125", "retained"),
    ("Set the factor to {} now.", "number", "1250", "1,250", "retained"),
    ("Set the factor to {} now.", "number", "1.25", "1,250", "changed"),
)


def label(instruction: str, kind: str, say: str | list[str], heard: str, files: tuple[str, ...] = ()) -> Finding:
    said = instruction.format(say if isinstance(say, str) else ", ".join(say))
    intention = Intention.model_validate({"say": say, "kind": kind})
    return judge(Case(said, said, {"it": intention}, instruction.format(heard), files)).findings["it"]


@pytest.mark.parametrize(("instruction", "kind", "say", "heard", "expected"), CASES)
def test_a_value_in_another_print(instruction: str, kind: str, say: str, heard: str, expected: str) -> None:
    found = label(instruction, kind, say, heard)
    assert found.label.value == expected, found.reason


def test_numbers_in_a_list_without_blanks_stay_numbers() -> None:
    assert label("Open the ports {} there.", "number", ["22", "80"], "22,80").label.value == "retained"
    assert label("Open the ports {} there.", "number", ["25", "587", "993"], "25,587,993").label.value != "changed"


NAMES = (
    ("statement_october", "the extension is missing"),
    ("statement underscore october", "the extension is missing"),
    ("statement october", "the extension is missing, and separators are missing or of another sort"),
    ("statement october.pdf", "the separators are missing or of another sort"),
)


@pytest.mark.parametrize(("heard", "reason"), NAMES)
def test_what_is_missing_of_a_filename_is_named(heard: str, reason: str) -> None:
    found = label(FILE, "filename", "statement_october.pdf", heard)
    assert (found.label.value, found.reason) == ("unresolved", reason)


def test_one_file_of_the_workspace_settles_the_extension() -> None:
    files = ("in/statement_october.pdf", "in/notes.txt")
    found = label(FILE, "filename", "statement_october.pdf", "statement_october", files)
    assert (found.label.value, "extension" in found.reason) == ("retained", True)
    two = (*files, "in/statement_october.docx")
    assert label(FILE, "filename", "statement_october.pdf", "statement_october", two).label.value == "unresolved"
