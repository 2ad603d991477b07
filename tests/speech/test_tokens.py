from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.speech.tokens import tokenise


def _norms(text: str) -> list[str]:
    return list(tokenise(text).norms)


@pytest.mark.parametrize(
    ("text", "norms"),
    [
        ("cut at 20mm", ["cut", "at", "20", "mm"]),
        ("/srv/a_b.txt", ["/", "srv", "/", "a", "_", "b", ".", "txt"]),
        ("example.com.", ["example", ".", "com"]),
        ("../up and ./here", [".", ".", "/", "up", "and", ".", "/", "here"]),
        ("Don’t stop, it's on", ["do", "not", "stop", "it", "is", "on"]),
        ("the printer's queue", ["the", "printers", "queue"]),
        ("cannot can't won't", ["can", "not", "can", "not", "will", "not"]),
        ("“quoted”", ["quoted"]),
        ("rsync —dry-run", ["rsync", "--", "dry", "-", "run"]),
        ("日本", ["日", "本"]),
        ("٣٤", ["34"]),
    ],
)
def test_tokens(text: str, norms: list[str]) -> None:
    assert _norms(text) == norms


def test_glue_and_pauses() -> None:
    first, second, third = tokenise("20mm, wide").tokens
    assert (first.glued, second.glued, third.glued) == (False, True, False)
    assert (second.paused, third.paused) == (False, True)


@given(st.text(max_size=200))
def test_tokens_index_the_text_in_order(text: str) -> None:
    last = 0
    for token in tokenise(text).tokens:
        assert last <= token.start < token.end
        assert text[token.start : token.end] == token.text
        last = token.end
