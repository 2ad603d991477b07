"""Every literal comes back from its spoken form, and no other one does."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
from forms import KINDS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from spoken_forms import MORE

from pytest_talk2agent.recording.literals import find_literals, kind_of
from pytest_talk2agent.recording.spoken import STYLES, Style, comes_back, readings, say
from pytest_talk2agent.tasks.intention import Intention, Kind

FAMILIES = {**KINDS, **MORE}
_KINDS: dict[str, Kind] = {
    name: Intention.model_validate({"say": "x", "kind": kind}).kind for name, (kind, _) in FAMILIES.items()
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"measure"}))
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_every_literal_comes_back_from_how_it_is_said(family: str, style: Style, seed: int) -> None:
    kind, make = _KINDS[family], FAMILIES[family][1]
    value = make(random.Random(seed))
    # What is said three times running looks like the loop of a recogniser, which the judge believes nothing of.
    assume(not re.search(r"([^\W_]{2,}).*\1.*\1", value.casefold()))
    said = say(kind, value, style)
    assert said is not None, value
    assert not any(character.isdigit() for character in said)
    assert all(character.isalpha() or character in " '-" for character in said), said


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from(["flag", "file", "version", "cardinal", "mixed code", "address"]))
def test_another_literal_of_the_kind_does_not_come_back(seed: int, family: str) -> None:
    kind, make = _KINDS[family], FAMILIES[family][1]
    draw = random.Random(seed)
    value, other = make(draw), make(draw)
    said = say(kind, value)
    assert said is not None
    if value.casefold() != other.casefold() and said not in set(readings(kind, other)):
        assert not comes_back(kind, other, said), (value, other)


@pytest.mark.parametrize(
    ("kind", "value", "people", "symbols"),
    [
        ("path", "src/utils/parser.py", "s r c slash utils slash parser dot p y", None),
        ("path", "~/.ssh/id_rsa", "tilde slash dot s s h slash i d underscore rsa", None),
        ("filename", "report_2026.tar.gz", "report underscore twenty twenty six dot tar dot g z",
         "report underscore two zero two six dot tar dot g z"),
        ("flag", "--no-verify", "dash dash no dash verify", None),
        ("flag", "-L", "dash capital l", None),
        ("url", "https://example.com/status?v=2", "example dot com slash status question mark v equals two",
         "h t t p s colon slash slash example dot com slash status question mark v equals two"),
        ("email", "a.lee@example.com", "a dot lee at example dot com", None),
        ("identifier", "getUserName", "camel case get user name", None),
        ("version", "v2.10.1", "v two point ten point one", "v two dot one zero dot one"),
        ("code", "0042", "zero zero four two", None),
        ("number", "-5", "minus five", None),
        ("date", "2024-03-15", "March fifteenth twenty twenty four", None),
        ("time", "22:00", "ten p m", None),
        ("money", "$1,250.50", "one thousand two hundred fifty dollars and fifty cents", None),
        ("money", "¥300", "three hundred yen", None),
        ("quantity", "35 mm", "thirty five millimeters", None),
    ],
)  # fmt: skip
def test_what_is_said(kind: Kind, value: str, people: str, symbols: str | None) -> None:
    assert say(kind, value) == people
    assert say(kind, value, "symbols") == (symbols or people)


def test_a_sign_without_a_name_has_no_reading() -> None:
    assert say("filename", "report→x.txt") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Copy src/a.py to ~/b-c and C:\\x\\y.txt.", ["src/a.py", "~/b-c", "C:\\x\\y.txt"]),
        ("Use and/or, his/her, e.g. this, i.e. that.", []),
        ("At 3:30 pm on 6 October 2026, pay $1,250.50 or 15%.", ["3:30 pm", "6 October 2026", "$1,250.50", "15%"]),
        ("Run it with -x and --dry-run twice, a well-known 3-page thing.", ["-x", "--dry-run"]),
        ("Go to docs.example.org/a, or www.b.com.", ["docs.example.org/a", "www.b.com"]),
        ("Set maxRetries and MAX_SIZE in A1:B2, cell C7.", ["maxRetries", "MAX_SIZE", "A1:B2", "C7"]),
        ('The password is "Ex@mple!55w0rd".', ["Ex@mple!55w0rd"]),
        ("发到a.lee@example.com，文件是report_v2.docx。", ["a.lee@example.com", "report_v2.docx"]),
        ("the 21st century, 12,500 rows, -5 degrees, 3.5", ["21st", "12,500", "-5", "3.5"]),
    ],
)
def test_what_counts_as_a_literal(text: str, found: list[str]) -> None:
    assert [one.value for one in find_literals(text)] == found
    assert all(text[one.start : one.end] == one.value for one in find_literals(text))


@given(st.text(max_size=200))
def test_literals_of_any_text_do_not_overlap(text: str) -> None:
    literals = find_literals(text)
    assert all(before.end <= after.start for before, after in pairwise(literals))


def test_known_values_are_literals_whatever_they_look_like() -> None:
    text = "Create the branch hotfix-tax from main."
    assert find_literals(text) == []
    assert [one.value for one in find_literals(text, [("hotfix-tax", "identifier")])] == ["hotfix-tax"]
    assert kind_of("hotfix-tax") is None
