"""A take: one reading of one script by one speaker, as it stands in its record beside the sound."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_talk2agent.recording.page.take_checks import Finding

HEX = r"^[0-9a-f]{64}$"


class Heard(BaseModel):
    """What an interface made of a take: its text, and the intentions that the judge does not find in it.

    ``error`` is why there is none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    interface: str
    text: str = ""
    lost: tuple[str, ...] = ()
    error: str = ""


class Take(BaseModel):
    """A finished take.

    ``key`` names what the speaker sent: the same sound for the same task is the same take. ``number`` counts the takes
    of a speaker and task from 1 and is never given twice. ``audio`` is the path of the FLAC file in the folder of
    takes, ``audio_sha256`` that of its bytes. ``kept_anyway`` says that the speaker keeps it in spite of its faults;
    ``deleted`` that the speaker took it back, and its sound is gone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    key: str = Field(pattern=r"^[0-9a-f]{32}$")
    task: str
    speaker: str
    number: int = Field(ge=1)
    script: str
    declared: bool
    audio: str
    audio_sha256: str = Field(pattern=HEX)
    rate: int
    seconds: float
    recorded: str
    consent_sha256: str = Field(pattern=HEX)
    findings: tuple[Finding, ...] = ()
    heard: Heard | None = None
    kept_anyway: bool = False
    deleted: bool = False

    @property
    def name(self) -> str:
        """What the take is called in manifests and test ids."""
        return f"{self.speaker}-{self.number}"

    @property
    def is_kept(self) -> bool:
        """Whether it may stand in a manifest."""
        return not self.deleted and (self.kept_anyway or all(one.severity != "fault" for one in self.findings))


class TakeError(ValueError):
    """A folder of takes that cannot be used: one line, with the place and what to do."""


def take_key(speaker: str, task: str, rate: int, pcm_sha256: str) -> str:
    """The key of a take, 32 hexadecimal digits: from who read what, and from the samples that were sent."""
    return hashlib.sha256("\0".join((speaker, task, str(rate), pcm_sha256)).encode()).hexdigest()[:32]


def read_take(text: str, place: str) -> Take:
    """A take from its record; raises TakeError."""
    try:
        return Take.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "record"
        raise TakeError(f"{place}: {where}: {first['msg']}; restore the file, or move it and its sound away") from None
