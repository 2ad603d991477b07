"""The negations of two texts beside each other."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.alignment import align
from pytest_talk2agent.judging.polarity import Polarity, Unit, is_denied
from pytest_talk2agent.speech.tokens import tokenise


def _differs(said: str, heard: str, word: str, idle: tuple[int, ...] = ()) -> list[bool]:
    script, transcript = tokenise(said), tokenise(heard)
    polarity = Polarity(script, transcript, align(script, transcript), (), idle)
    units = [Unit(at, at + 1, at) for at in (script.norms.index(word), transcript.norms.index(word))]
    return [is_heard for _, is_heard in polarity.differing(*units)]


@pytest.mark.parametrize(
    ("said", "heard", "found"),
    [
        ("do not push it", "push it", [False]),
        ("push it", "do not push it", [True]),
        ("do not push it", "never push it", []),
        ("do not push it", "don't you push it", []),
        ("push it", "don't you push it", []),
        ("do not wait and do not push it", "do not wait, push it", [False]),
        ("do not stop do not push it", "Do not stop. Do not push it.", []),
        ("do not forget to push it", "push it", []),
    ],
)
def test_what_one_text_has_and_the_other_has_not(said: str, heard: str, found: list[bool]) -> None:
    assert _differs(said, heard, "push") == found


def test_a_negation_inside_a_value_is_none() -> None:
    assert _differs("open example dot org", "open example not org", "org") == [True]
    assert _differs("open example dot org", "open example not org", "org", idle=(2,)) == []


def test_the_span_s_own_negation_does_not_count() -> None:
    stream = tokenise("type do not enter there")
    assert is_denied(stream, 3, 4)
    assert not is_denied(stream, 1, 4)
