"""Which text speakers agreed to, for takes of the recording page: their records lie beside the sound.

A short module, since only a card asks for it and what it reads is the page's.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from pytest_talk2agent.recording.dataset.collection import DataSet, Item
from pytest_talk2agent.recording.page.speaker_state import SpeakerState
from pytest_talk2agent.recording.page.take import Take
from pytest_talk2agent.tasks.errors import counted


@dataclass
class Agreed:
    """One text, and what was recorded under it."""

    text: str
    recordings: int
    speakers: set[str]


def consent_of(data: DataSet) -> str:
    """What a card says about consent; empty where no recording has a record of it.

    A record that cannot be read counts as none: the page itself is what complains about it.
    """
    agreed: dict[str, Agreed] = {}
    for item in data.items:
        if found := _consent(item):
            text, speaker = found
            one = agreed.setdefault(text, Agreed(text, 0, set()))
            one.recordings += 1
            one.speakers.add(speaker)
    parts = []
    for one in agreed.values():
        quoted = "\n".join(f"> {line}".rstrip() for line in one.text.strip().splitlines())
        made = f"{counted(one.recordings, 'recording')} by {counted(len(one.speakers), 'speaker')}"
        parts.append(f"Agreed to before {made}:\n\n{quoted}")
    left = len(data.items) - sum(one.recordings for one in agreed.values())
    if agreed and left:
        parts.append(f"Without a record of consent: {counted(left, 'recording')}.")
    return "\n\n".join(parts)


def _consent(item: Item) -> tuple[str, str] | None:
    """The text and the speaker."""
    audio = item.recording.audio
    try:
        take = Take.model_validate_json(audio.with_suffix(".json").read_bytes())
        folder = audio.parents[2] / "speakers"
        state = SpeakerState.model_validate_json((folder / f"{take.speaker}.json").read_bytes())
    except (OSError, ValidationError, IndexError):
        return None
    known = {consent.sha256: consent.text for consent in state.consents}
    return (known[take.consent_sha256], take.speaker) if take.consent_sha256 in known else None
