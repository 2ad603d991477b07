"""Recordings for conditions of sound: speech of the shipped suites, and a folder of tones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.speech.audio import Audio, read_audio

FIXTURES = Path(__file__).parents[3] / "fixtures_audio"


@pytest.fixture(scope="session")
def speech() -> Audio:
    """A request of nine seconds, with others beside it."""
    return read_audio(FIXTURES / "git" / "rename-function.slt.flac")


@pytest.fixture(scope="session")
def noises() -> Path:
    """A folder of recordings."""
    return FIXTURES / "media"
