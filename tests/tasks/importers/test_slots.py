from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.tasks.importers.slots import find_slots, words_of

SENTENCES: dict[str, list[tuple[str, str]]] = {
    "Write to amy@lind.example today.": [("amy@lind.example", "email")],
    "Open https://a.example/x?y=1&z=2, please.": [("https://a.example/x?y=1&z=2", "url")],
    "Open `https://a.example/x/`.": [("https://a.example/x/", "url")],
    "打开 https://a.example/x，然后关闭。": [("https://a.example/x", "url")],
    "Move it to /srv/archive.": [("/srv/archive", "path")],
    "Move ~/Downloads/*.pdf and ./b.txt to ../c/.": [
        ("~/Downloads/*.pdf", "path"),
        ("./b.txt", "path"),
        ("../c/", "path"),
    ],
    "Save it to `/tmp_workspace/results/a_b.json`": [("/tmp_workspace/results/a_b.json", "path")],
    "Use and/or, not 3/4.": [],
    'Name it "Spring Report".': [("Spring Report", "text")],
    "Name it “Spring Report,” then 'close' it.": [("Spring Report", "text"), ("close", "text")],
    "Amy's and Joe's, don't touch.": [],
    "命名为「春季报告」。": [("春季报告", "text")],
    'Save it as "report.docx" in "/srv/x".': [("report.docx", "filename"), ("/srv/x", "path")],
    'Put "-" and ", " between.': [],
    "Open report_final.docx and a.tar.gz.": [("report_final.docx", "filename"), ("a.tar.gz", "filename")],
    "Open the site of amylind.github.io today.": [],
    "Visit example.com for it.": [],
    "Call it with --dry-run.": [("--dry-run", "flag")],
    "Install v3.9.0 or 10.2.11.": [("v3.9.0", "version"), ("10.2.11", "version")],
    "Ring at 07:30 or at 9:15 pm.": [("07:30", "time"), ("9:15 pm", "time")],
    "Due 2026-02-25.": [("2026-02-25", "date")],
    "Set it to 12.5% or 40 percent.": [("12.5%", "percent"), ("40 percent", "percent")],
    "It costs $1,250.50, or €30.": [("$1,250.50", "money"), ("€30", "money")],
    "Wait 30 seconds, then 2-hour rest.": [("30 seconds", "duration"), ("2-hour", "duration")],
    "Bold A1, then sum B2:C10.": [("A1", "code"), ("B2:C10", "code")],
    "It is like Seek-R1-like work.": [],
    "Rename get_data to fetch.": [("get_data", "identifier")],
    "Make 3 copies of 1,250.5 units.": [("3", "number"), ("1,250.5", "number")],
    "Print 3, and 3 again, and Report.pdf, report.pdf.": [("3", "number"), ("Report.pdf", "filename")],
    "Bring back the last tab.": [],
    "": [],
}


@pytest.mark.parametrize(("sentence", "expected"), SENTENCES.items())
def test_slots_of_a_sentence(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert [(slot.value, slot.kind) for slot in find_slots(sentence)] == expected


PIECES = st.sampled_from(
    [
        *(
            "a",
            "Zz",
            "报告",
            "é",
            "3",
            "07:30",
            "1.2.3",
            "0x",
            "_",
            "-",
            "--",
            ".",
            "..",
            "/",
            "//",
            "~",
            "*",
            ":",
            "@",
        ),
        *("a@b.c", "http://", "https://a", "'", '"', "“", "”", "「", "」", "$", "%", " ", "  ", "\n", ",", "12", "A1"),
        *("days", ".txt", ".com", "`", "\u2028", "\U0001f600"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_slots_do_not_overlap_and_their_values_stand_in_them(text: str) -> None:
    slots = find_slots(text)
    for slot in slots:
        assert slot.value in text[slot.start : slot.end]
        assert any(character.isalnum() for character in slot.value)
    for before, after in pairwise(slots):
        assert before.start < before.end <= after.start < after.end
    assert len({slot.value.casefold() for slot in slots}) == len(slots)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_slots_and_the_words_between_are_the_instruction(text: str) -> None:
    slots = find_slots(text)
    parts = [text[slot.start : slot.end] for slot in slots] + list(words_of(text, slots))
    assert sorted("".join("".join(parts).split())) == sorted("".join(text.split()))


def test_the_words_between_the_slots() -> None:
    text = "Copy a.txt to /srv/x today."
    assert list(words_of(text, find_slots(text))) == ["Copy", "to", "today."]
    assert list(words_of("a.txt", find_slots("a.txt"))) == []
    assert list(words_of(" Stop it. ", [])) == ["Stop it."]
