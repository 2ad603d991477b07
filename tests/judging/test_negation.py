"""Which words a negation governs."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.clause_words import by_first
from pytest_talk2agent.judging.negation import denials, phrase_at
from pytest_talk2agent.speech.tokens import tokenise

SCOPES = {
    "do not wait, push": ["wait"],
    "push, don't worry": ["worry"],
    "do not email Bob or call Ann": ["email bob or call ann"],
    "do not email Bob, call Ann, or push": ["email bob call ann or push"],
    "do not email Bob and call Ann": ["email bob"],
    "do not touch it just move it": ["touch it just"],
    "never mind, send it": [],
    "neither mail Bob nor call Ann": ["mail bob nor call ann"],
    "use no colours": ["colours", "use"],
    "print it with no colours": ["colours"],
    "meet on friday no saturday": [],
    "No, push.": [],
    "why not push it": [],
    "not only the draft": [],
    "anything but the draft": ["the draft"],
    "copy all files but keep one": [],
    "nothing but the draft": [],
    "nothing may be deleted": ["may be deleted"],
    "delete nothing": ["delete"],
    "refrain from pushing": ["pushing"],
    "do not forget to push": ["forget to push", "push"],
    "run it with --no-deps and dash dash no cache": [],
    "instead of the draft, print the plan": ["the draft"],
    "send it no later than noon": [],
    "make sure not to push": ["to push"],
}


@pytest.mark.parametrize("text", SCOPES)
def test_scope(text: str) -> None:
    stream = tokenise(text)
    assert [" ".join(stream.norms[one.low : one.high]) for one in denials(stream)] == SCOPES[text]


@pytest.mark.parametrize(
    ("text", "polite"),
    [("don't you help me", True), ("could you not wait", True), ("is there no train", True), ("do not help me", False)],
)
def test_a_question_may_deny_nothing(text: str, polite: bool) -> None:
    assert {one.polite for one in denials(tokenise(text))} == {polite}


def test_a_pause_that_speech_does_not_show() -> None:
    (one,) = denials(tokenise("do not push, merge"))
    assert (one.high, one.wide) == (3, 4)
    assert one.covers(3, loosely=True)
    assert not one.covers(3)


def test_the_longest_phrase_counts() -> None:
    phrases = by_first([("no",), ("no", "wait")])
    assert phrase_at(tokenise("no wait"), 0, phrases) == ("no", "wait")
    assert phrase_at(tokenise("no, push"), 0, phrases) == ("no",)
    assert phrase_at(tokenise("push"), 0, phrases) is None
