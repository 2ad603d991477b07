"""A recording: one take of a task's spoken script by one speaker."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pytest_talk2agent.tasks.errors import shown

_SHA256 = re.compile(r"^[0-9a-fA-F]{64}$")
_LABEL = re.compile(r"\w[\w.+-]*")


class Recording(BaseModel):
    """One recording, as a task file or a manifest lists it.

    ``audio`` is a path that the loader has resolved; ``sha256`` is over the bytes of the file. ``take`` and
    ``speaker`` become part of pytest node ids. ``seconds`` is how long it is said to be; ``voice`` is the spec of the
    voice that spoke it, and empty where a person did, or nobody says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    audio: Path
    speaker: str | None = None
    take: str | None = None
    sha256: str | None = Field(default=None, json_schema_extra={"pattern": _SHA256.pattern})
    seconds: float | None = Field(default=None, json_schema_extra={"exclusiveMinimum": 0})
    voice: str = ""
    note: str = ""

    @field_validator("seconds")
    @classmethod
    def _check_seconds(cls, value: float | None) -> float | None:
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"a recording of {value:g} seconds; write how long it is, or delete the key")
        return value

    @field_validator("speaker", "take")
    @classmethod
    def _check_label(cls, value: str | None) -> str | None:
        if value is not None and not _LABEL.fullmatch(value):
            raise ValueError(f"{shown(value)} cannot be part of a test id; use letters, digits and . _ + -, no blank")
        return value

    @field_validator("sha256")
    @classmethod
    def _check_sha256(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not _SHA256.fullmatch(value):
            raise ValueError("a SHA-256 is 64 hexadecimal digits; run `sha256sum` on the recording")
        return value.lower()


def name_takes(recordings: Sequence[Recording]) -> list[tuple[str, Recording]]:
    """Give every recording a name that is unique among them, in their order.

    It is the declared take; else the speaker, where no other recording has that speaker; else the next free number.
    """
    speakers = Counter(recording.speaker for recording in recordings)
    taken = {recording.take for recording in recordings if recording.take}
    numbers = (str(number) for number in count(1))
    named = []
    for recording in recordings:
        name = recording.take
        if name is None and recording.speaker and speakers[recording.speaker] == 1 and recording.speaker not in taken:
            name = recording.speaker
        if name is None:
            name = next(number for number in numbers if number not in taken)
        taken.add(name)
        named.append((name, recording))
    return named
