"""The transcript of one recording, with everything that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Transcript:
    """What an interface heard in one recording.

    ``audio_sha256`` hashes the bytes of the file and ``samples_sha256`` its decoded samples (both None for interfaces
    that do not hear); ``seconds`` is the length of the audio and ``elapsed`` the time its transcription took, in
    seconds; ``identity`` is what ``fingerprint`` was computed from; ``notes`` are remarks on the audio.
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

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store, the model server's wire and reports."""
        return {**vars(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """The inverse of `to_json`; raises TypeError or KeyError where a field is missing or unknown."""
        if not isinstance(data["text"], str):
            raise TypeError("the text of a transcript is a string")
        return cls(**{**data, "notes": tuple(data["notes"])})
