"""The page on voice agents says of each adapter what its code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.ability_table import HEAD, ability_rows, ability_table
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import Abilities, VoiceAgent
from pytest_talk2agent.workflows.lines.cascade import Cascade

PAGE = Path(__file__).parents[3] / "docs" / "voice-agents.md"
SPECS = {
    "spoken:AGENT": "spoken:silent",
    "openai-realtime:MODEL": "openai-realtime:m?base_url=ws://127.0.0.1:1/v1",
    "gemini-live:MODEL": "gemini-live:m?base_url=https://127.0.0.1:1",
    "voice-ws:URL": "voice-ws:ws://127.0.0.1:1/voice",
    "media-stream:URL": "media-stream:ws://127.0.0.1:1/media",
}


def abilities(spec: str) -> Abilities:
    agent = make_agent(spec)
    assert isinstance(agent, VoiceAgent)
    return agent.abilities


def test_the_page_has_the_table_of_the_code() -> None:
    for package in ("openai", "google.genai", "websockets"):
        pytest.importorskip(package, reason="needs the adapters' SDKs")
    found = {name: abilities(spec) for name, spec in SPECS.items()}
    names = ["spoken:AGENT", "cascade:ASR+MODEL+VOICE", *list(SPECS)[1:]]
    table = ability_table({name: found.get(name, Cascade.abilities) for name in names})
    assert table in PAGE.read_text(encoding="utf-8")


def test_every_ability_changes_its_column() -> None:
    black_box = Abilities(
        virtual=False, yields="agent", truncates=False, words=False, calls="posted", ends=False, finishes=False
    )
    other = Abilities(
        virtual=True, yields="client", truncates=True, words=True, calls="session", ends=True, greets=True, kept=False
    )
    one, two = ability_rows({"a": black_box, "b": other})
    assert len(one) == len(two) == len(HEAD)
    assert not any(left == right for left, right in zip(one, two, strict=True))
    package, kept = "as the package says", "stands for the next run"
    assert list(one) == [
        *("`a`", "real", "agent", "no", "no: `--t2a-listener`", "posted by the agent", "no", "by silence"),
        *(package, kept),
    ]
    assert list(two) == [
        *("`b`", "virtual, real", "client", "yes", "yes", "through the session", "yes", "told"),
        *("always", "does not: it is called again"),
    ]
