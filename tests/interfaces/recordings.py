"""Recordings that ship with the project, and what is said in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import fingerprint_of
from pytest_talk2agent.interfaces.utterance import Hypothesis, Utterance

FOLDER = Path(__file__).parents[2] / "fixtures_audio" / "desktop"
SPOKEN = {
    "reading-light.joe.flac": "turn the reading light mode on from eight p m to quarter past six in the morning and "
    "reduce the blue by thirty five percent",
    "search-engine.slt.flac": "in firefox make duckduckgo the standard search engine and open new tabs next to the "
    "current one",
}


def utterances() -> list[Utterance]:
    """The recordings as utterances; skips where the checkout has no recordings."""
    if not FOLDER.is_dir():
        pytest.skip(f"no recordings in {FOLDER}")
    return [Utterance(name, "1", said, said, FOLDER / name) for name, said in SPOKEN.items()]


def texts(interface: Interface, batch: list[Utterance]) -> list[str]:
    """The transcripts of a batch that must not fail."""
    results = interface.transcribe(batch)
    assert all(isinstance(result, Hypothesis) for result in results), results
    return [result.text for result in results if isinstance(result, Hypothesis)]


def fingerprint(interface: Interface) -> str:
    """The fingerprint of an interface."""
    return fingerprint_of(interface.identity())
