"""Where words of correction stand, and which value they take back."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.corrections import corrected_between, corrections, withdrawn
from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention

FOUND = {
    "pay 30, no, 40": ["no"],
    "pay 30. No wait, sorry, 40": ["no wait sorry"],
    "pay thirty no forty": ["no"],
    "Use no colours, please.": [],
    "Wait 90 minutes, then ring.": [],
    "ask peter i mean petra": ["i mean"],
    "Pay 40. Make that 30.": ["make that"],
}


@pytest.mark.parametrize("text", FOUND)
def test_where_they_stand(text: str) -> None:
    stream = tokenise(text)
    assert [" ".join(stream.norms[start:end]) for start, end in corrections(stream)] == FOUND[text]


def test_between() -> None:
    stream = tokenise("pay 30, no, 40")
    assert corrected_between(stream, 1, 4)
    assert not corrected_between(stream, 3, 4)


@pytest.mark.parametrize(
    ("say", "kind", "script", "found"),
    [
        ("15 minutes", "duration", "wait ten no fifteen minutes", "ten"),
        ("Petra", "term", "ask peter sorry petra", "peter"),
        ("light", "choice", "use the dark theme no the light theme", "dark"),
        ("today", "choice", "ring them tomorrow scratch that ring them today", "tomorrow"),
        ("light", "choice", "use the light theme", None),
    ],
)
def test_what_is_taken_back(say: str, kind: str, script: str, found: str | None) -> None:
    options = {"options": ["dark", "light", "today", "tomorrow"]} if kind == "choice" else {}
    intention = Intention.model_validate({"say": say, "kind": kind, **options})
    stream = tokenise(script)
    right = [one for one in read_value(Scene(intention, stream, locating=True), 0, 0, len(stream))
             if one.label.value == "retained"]  # fmt: skip
    span = withdrawn(intention, 0, stream, right[-1])
    assert (None if span is None else " ".join(stream.norms[slice(*span)])) == found
