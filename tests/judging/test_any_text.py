"""The rules label every intention of every text, whatever characters it is made of."""

from __future__ import annotations

import random
import unicodedata
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention

INTENTIONS = {
    "port": Intention(say=("8000",), kind="number"),
    "file": Intention(say=("report_final.docx",), kind="filename"),
    "place": Intention(say=("/srv/archive",), kind="path"),
    "flag": Intention(say=("--dry-run",), kind="flag"),
    "when": Intention(say=("2026-09-24",), kind="date"),
    "at": Intention(say=("16:30",), kind="time"),
    "cost": Intention(say=("18.50 dollars",), kind="money"),
    "share": Intention(say=("35 %",), kind="percent"),
    "long": Intention(say=("90 minutes",), kind="duration"),
    "much": Intention(say=("20 mm",), kind="quantity"),
    "name": Intention(say=("get_user_name",), kind="identifier"),
    "code": Intention(say=("KD0047",), kind="code"),
    "mail": Intention(say=("amy.lee@example.org",), kind="email"),
    "page": Intention(say=("example.org/status",), kind="url"),
    "who": Intention(say=("Lindgren",), kind="term"),
    "title": Intention(say=("Show the tide table",), kind="text"),
    "which": Intention(say=("draft",), kind="choice", options=("draft", "ready")),
    "build": Intention(say=("2.10.1",), kind="version"),
    "keep": Intention(say=("do not push yet",), kind="gist", keywords=(("push",),)),
}
SCRIPT = (
    "set the port to eighty hundred and open report_final.docx in /srv/archive with --dry-run on the 24th of september"
    " 2026 at 16:30 for 18.50 dollars or 35 % and 90 minutes, cut it at 20 mm, rename get_user_name, use KD0047, write"
    " to amy.lee@example.org, open example.org/status, pay Lindgren, use the title Show the tide table, open a draft"
    " from version 2.10.1 and do not push yet"
)
APOSTROPHES = "\u02bc'\u2019\u02bb\u0149"


@cache
def by_category() -> dict[str, list[str]]:
    """Every character of Unicode by its category."""
    found: dict[str, list[str]] = defaultdict(list)
    for code in range(0x110000):
        found[unicodedata.category(chr(code))].append(chr(code))
    return found


def check(heard: str, script: str = SCRIPT) -> None:
    found = judge(Case(script, script, INTENTIONS, heard)).findings
    assert list(found) == list(INTENTIONS)
    for finding in found.values():
        if finding.start is not None:
            assert heard[finding.start : finding.end] == finding.heard


@pytest.mark.parametrize("category", sorted(by_category()))
def test_every_category_of_characters(category: str) -> None:
    chance = random.Random(category)
    words = SCRIPT.split()
    for _ in range(3):
        heard = [*words]
        for character in chance.choices(by_category()[category], k=12):
            heard.insert(chance.randrange(len(heard)), character * chance.choice([1, 1, 2]))
        check(" ".join(heard))
        check("".join(chance.choices(by_category()[category], k=30)))


@given(st.text(), st.text(APOSTROPHES + "\u0300\u200d\u0130\u00df\u00bd\u2167\u4e94\u0663\u00b2'1a. ", max_size=12))
@example("", "\u02bc")
@example("Set the port to 8000 ", "\u02bc")
@settings(max_examples=60)
def test_any_text(heard: str, odd: str) -> None:
    check(heard + odd)
    check(f"{odd} {SCRIPT[:60]}{odd}{SCRIPT[60:]} {odd}")
    check(SCRIPT[:80], f"{odd} {heard} {SCRIPT}")


@pytest.mark.parametrize("text", [f"to 8000 {one} and" for one in (*APOSTROPHES, "\u02bc\u02bc", "'\u02bc")])
def test_no_token_is_empty(text: str) -> None:
    assert all(tokenise(text).norms)
