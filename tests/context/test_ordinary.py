from __future__ import annotations

import pytest

from pytest_talk2agent.context.ordinary import is_ordinary
from pytest_talk2agent.speech.words import listed


@pytest.mark.parametrize(
    "word", listed("sure main tests passing copied stopped quickly engines reviewers unmuted build will red dashes")
)
def test_ordinary_words_and_their_inflections(word: str) -> None:
    assert is_ordinary(word)


@pytest.mark.parametrize(
    "word", listed("suren luka novac norra lindgren nginx ginx yamel piperject kubernetes grafana srb rsync")
)
def test_names_and_sounds_are_not(word: str) -> None:
    assert not is_ordinary(word)
