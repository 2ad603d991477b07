"""Signs of a text, and what is wrong with those that were heard."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.signs import compare_signs, signs_beside, signs_of
from pytest_talk2agent.speech.tokens import tokenise

SIGNS = {
    "-5": "-",
    "C++ and C#": "++#",
    "=A1+B1": "=+",
    "/exit": "/",
    "user@host": "@",
    "well-known facts": "",
    "covid-19": "",
    "Rate (%)": "",
    "Ready? Go!": "",
    "3.14": "",
    "10:30": "",
    "a - b": "",
    "A1-B1": "-",
}


@pytest.mark.parametrize("value", SIGNS)
def test_signs(value: str) -> None:
    assert "".join(mark for _, mark, _ in signs_of(value)) == SIGNS[value]


@pytest.mark.parametrize(
    ("value", "heard", "label"),
    [
        ("-5", "-5", None),
        ("-5", "minus 5", None),
        ("-5", "5", "changed"),
        ("5", "-5", "changed"),
        ("/exit", "exit", "unresolved"),
        ("a+b", "a-b", "changed"),
        ("C# beats C", "C beats C", "changed"),
        ("C beats C", "C beats C#", "changed"),
        ("#a", "hash a", None),
        ("a@b", "a/b", "changed"),
    ],
)
def test_what_is_wrong(value: str, heard: str, label: str | None) -> None:
    stream = tokenise(heard)
    words = [
        index for index, token in enumerate(stream.tokens) if token.kind != "symbol" and token.norm in value.lower()
    ]
    found, _, _ = signs_beside(stream, words[0], words[-1] + 1, value, 0, len(stream))
    verdict = compare_signs(signs_of(value), found, aligned=False)
    assert (verdict[0].value if verdict else None) == label
