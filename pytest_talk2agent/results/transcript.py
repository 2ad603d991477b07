"""The transcript of one recording, with everything that made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Transcript:
    """What an interface heard in one recording.

    ``audio_sha256`` hashes the bytes of the file and ``samples_sha256`` its decoded samples (both None for interfaces
    that do not hear); ``seconds`` is the length of the audio and ``elapsed`` the time its transcription took, in
    seconds; ``identity`` is what ``fingerprint`` was computed from; ``notes`` are remarks on the audio. ``state`` is
    one of `interfaces.utterance.STATES`.

    Where the condition biases or repairs, ``offered`` are the terms that the agent can see and ``sent`` those that the
    recogniser was given; ``silence`` is what it heard, with the longest list of the run, where nobody speaks ("text"),
    or why that is not known ("error"). ``raw`` is the text before its repair, ``repair`` what the repair says of it.
    """

    text: str
    fingerprint: str
    identity: Mapping[str, str]
    version: str
    audio_sha256: str | None = None
    samples_sha256: str | None = None
    seconds: float | None = None
    elapsed: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    state: str = "transcribed"
    offered: tuple[str, ...] | None = None
    sent: tuple[str, ...] | None = None
    silence: Mapping[str, Any] | None = None
    raw: str | None = None
    repair: Mapping[str, Any] | None = None

    @property
    def sent_sha256(self) -> str | None:
        """SHA-256 (hexadecimal) of the list that was sent, as JSON; None where none was."""
        if self.sent is None:
            return None
        return hashlib.sha256(json.dumps(self.sent, ensure_ascii=False).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store, the model server's wire and reports."""
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
        return data if self.sent is None else {**data, "sent_sha256": self.sent_sha256}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """The inverse of `to_json`; raises TypeError or KeyError where a field is missing or unknown."""
        if not isinstance(data["text"], str):
            raise TypeError("the text of a transcript is a string")
        values = {name: value for name, value in data.items() if name != "sent_sha256"}
        if missing := {one.name for one in fields(cls)} - values.keys():
            raise KeyError(sorted(missing)[0])
        for name in ("notes", "offered", "sent"):
            if values[name] is not None or name == "notes":
                values[name] = tuple(values[name])
        return cls(**values)
