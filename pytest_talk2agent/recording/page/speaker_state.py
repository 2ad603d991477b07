"""What a speaker has said besides the scripts: yes to the consent text, and which prompts to skip."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_talk2agent.recording.durable import write_durably
from pytest_talk2agent.recording.page.take import TakeError


class Consent(BaseModel):
    """That a speaker agreed, and to which text: ``sha256`` of it, and the text itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    at: str
    text: str


class SpeakerState(BaseModel):
    """One speaker's file. Consents to earlier texts stay in it: takes were made under them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speaker: str
    consents: tuple[Consent, ...] = ()
    skipped: tuple[str, ...] = Field(default=())

    def agreed_to(self, sha256: str) -> bool:
        """Whether the speaker agreed to this text."""
        return any(consent.sha256 == sha256 for consent in self.consents)


class SpeakerFiles:
    """The files of a folder's speakers. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._states: dict[str, SpeakerState] = {}

    def state(self, speaker: str) -> SpeakerState:
        """What is known of a speaker; raises TakeError for a damaged file."""
        if speaker not in self._states:
            path = self._path(speaker)
            state = SpeakerState(speaker=speaker)
            if path.exists():
                try:
                    state = SpeakerState.model_validate_json(path.read_bytes())
                except ValidationError:
                    raise TakeError(f"{path}: damaged; restore it, or delete it and ask for consent again") from None
            self._states[speaker] = state
        return self._states[speaker]

    def agree(self, speaker: str, consent: Consent) -> None:
        """Keep a consent; raises OSError."""
        state = self.state(speaker)
        if not state.agreed_to(consent.sha256):
            self._save(state.model_copy(update={"consents": (*state.consents, consent)}))

    def skip(self, speaker: str, task: str, *, skipped: bool) -> None:
        """Keep that a prompt is to be skipped, or no longer; raises OSError."""
        state = self.state(speaker)
        others = tuple(name for name in state.skipped if name != task)
        changed = (*others, task) if skipped else others
        if set(changed) != set(state.skipped):
            self._save(state.model_copy(update={"skipped": changed}))

    def _save(self, state: SpeakerState) -> None:
        write_durably(self._path(state.speaker), f"{state.model_dump_json(indent=1)}\n".encode())
        self._states[state.speaker] = state

    def _path(self, speaker: str) -> Path:
        return self._folder / f"{speaker}.json"
