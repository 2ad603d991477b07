"""The user's voice in a session with sound: a text in, the frozen samples of it out.

The clips are those of the package (``user/audio/index.jsonl``, APEX-Voice 2.5), found by their exact text; of several
the first row counts, or with an accent the first of that voice. Each is checked against its digest before it is heard.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol, get_args

from pytest_talk2agent.tasks.errors import counted, shown
from pytest_talk2agent.tasks.files import is_inside
from pytest_talk2agent.workflows.agents.protocol import InfrastructureError
from pytest_talk2agent.workflows.audio.clip_form import (
    LEVEL_DB,
    RATE,
    Floats,
    Pcm,
    decode,
    digest_of,
    in_form,
    read_flac,
    speech_power,
)
from pytest_talk2agent.workflows.caller.speech import CLOSINGS, NUDGE
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Clip, WordTime

Mode = Literal["prerendered", "auto"]


class BankError(InfrastructureError):
    """The user has no voice for what it says, so nobody knows what the agent would have done. One clear line."""


class LiveVoice(Protocol):
    """What speaks a text that has no clip, such as a voice of `recording.voices`."""

    def identity(self) -> Mapping[str, str]:
        """Everything that can change the samples of a text."""
        ...

    def speak(self, text: str) -> tuple[Floats, int]:
        """Samples of full scale 1, and their rate in Hz."""
        ...


@dataclass(frozen=True)
class Level:
    """How loud the user speaks: the mean square without pauses, and the largest magnitude; full scale is 1."""

    power: float
    peak: float


@dataclass(frozen=True, eq=False)
class Utterance:
    """What the user says, as it is sent.

    ``samples`` are 16 bit at 24 kHz and cannot be written. ``file`` is the clip's; None where a live voice spoke, whose
    name ``voice`` then is. ``words`` are there where the clip has them.
    """

    text: str
    samples: Pcm
    voice: str
    file: str | None = None
    words: tuple[WordTime, ...] = ()

    @property
    def duration_ms(self) -> int:
        """Milliseconds, rounded up."""
        return -(-len(self.samples) * 1000 // RATE)

    def plain(self) -> dict[str, str | None]:
        """What a log says of where the samples are from: the clip, or that a live voice made them."""
        return {"voice": self.voice, "clip": self.file, "source": "live" if self.file is None else "clip"}


class SpeechBank:
    """The clips of a package.

    With ``mode`` "prerendered" a text without a clip is an error; with "auto" the live voice speaks it, which has to be
    named. ``accent`` is the voice of the bank in which everything is said.

    Raises:
        BankError: where "auto" has no voice, "prerendered" has one, or no clip is in the accent.
    """

    def __init__(
        self,
        package: Package,
        *,
        mode: Mode = "prerendered",
        live: tuple[str, LiveVoice] | None = None,
        accent: str = "",
    ) -> None:
        if mode not in get_args(Mode) or (mode == "auto") != (live is not None):
            raise BankError(f"speech bank {mode!r}: a live voice goes with the mode auto, and none with prerendered")
        self._folder = package.folder / PurePosixPath(package.task.audio_manifest).parent
        self._package, self._live, self._accent = package, live, accent
        self._clips: dict[str, Clip] = {}
        for clip in package.clips:
            if not accent or clip.voice == accent:
                self._clips.setdefault(clip.text, clip)
        if accent and not self._clips:
            known = ", ".join(voices_of(package)) or "none"
            raise BankError(f"{self._folder}: no clip in the voice {shown(accent)}; its voices: {known}")
        self._spoken: dict[str, Utterance] = {}

    def say(self, text: str) -> Utterance:
        """The samples of a text.

        Raises:
            BankError: where it has no clip and nothing may speak instead, or its clip is not what the index says.
        """
        if text not in self._spoken:
            clip = self._clips.get(text)
            self._spoken[text] = self._speak(text) if clip is None else self._read(clip)
        return self._spoken[text]

    def check(self) -> None:
        """Read every clip, so that a session finds no fault halfway.

        Raises:
            BankError: for what no voice will say, or the first clip that is not what the index says.
        """
        missing = self.missing()
        if missing and self._live is None:
            more = f", and {counted(len(missing) - 1, 'other text')}" if len(missing) > 1 else ""
            raise BankError(self._absent(missing[0], more))
        for clip in self._clips.values():
            self._read(clip)

    def missing(self) -> list[str]:
        """The texts that the user of this package may say and that have no clip, in the order of the bank."""
        return [text for text in texts_of(self._package) if text not in self._clips]

    def identity(self) -> dict[str, str]:
        """Everything that can change what the user sounds like."""
        digests = sorted(f"{clip.text}\n{clip.pcm16_sha256}" for clip in self._clips.values())
        made = {"bank": hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]}
        if self._accent:
            made["accent"] = self._accent
        if self._live is not None:
            name, voice = self._live
            made |= {"live": name, **{f"live_{key}": value for key, value in voice.identity().items()}}
        return made

    @cached_property
    def level(self) -> Level:
        """How loud the clips are, all together; that of the form where there is none."""
        import numpy as np

        sounds = [decode(self._read(clip).samples) for clip in self._clips.values()]
        if not sounds:
            nominal = 10 ** (LEVEL_DB / 10)
            return Level(nominal, nominal**0.5)
        whole: Floats = np.concatenate(sounds)
        return Level(speech_power(whole), float(np.abs(whole).max()))

    def _speak(self, text: str) -> Utterance:
        if self._live is None:
            raise BankError(self._absent(text))
        name, voice = self._live
        try:
            pcm = in_form(*voice.speak(text))
        except ValueError as error:
            raise BankError(f"live voice {name}: {shown(text)}: {error}") from None
        pcm.flags.writeable = False
        return Utterance(text, pcm, name)

    def _absent(self, text: str, more: str = "") -> str:
        voice = f" in the voice {self._accent}" if self._accent else ""
        hint = f"render it with `talk2agent speak {self._package.folder} --voice SPEC`, or name a live voice"
        return f"{self._folder}: no clip{voice} says {shown(text)}{more}; {hint}"

    def _read(self, clip: Clip) -> Utterance:
        path = self._folder / clip.file
        if not is_inside(path, [self._folder]):
            raise BankError(f"{self._folder}: the clip {shown(clip.file)} leads out of it; name a file inside it")
        try:
            stat = path.stat()
            pcm, digest = _samples(path, stat.st_mtime_ns, stat.st_size)
        except OSError as error:
            raise BankError(f"{path}: the clip cannot be read ({error.strerror})") from None
        except ValueError as error:
            raise BankError(f"{path}: {error}") from None
        if clip.sample_rate != RATE or clip.num_samples != len(pcm):
            wanted = f"{clip.num_samples} samples at {clip.sample_rate} Hz"
            raise BankError(f"{path}: the index says {wanted}, and it has {len(pcm)} at {RATE} Hz; render it again")
        if clip.pcm16_sha256 != digest:
            said = clip.pcm16_sha256 or "nothing"
            raise BankError(f"{path}: its samples have the SHA-256 {digest}, the index says {said}; render it again")
        return Utterance(clip.text, pcm, clip.voice, clip.file, clip.word_timestamps)


def texts_of(package: Package) -> list[str]:
    """Every text that the user of a package may say: variants, closings, nudges; each once."""
    clips = package.clips
    variants = [variant.text for line in package.bank for variant in line.variants]
    closings = [clip.text for clip in clips if clip.kind == "closing"] or CLOSINGS
    nudges = [clip.text for clip in clips if clip.kind == "nudge"] or [NUDGE]
    return list(dict.fromkeys([*variants, *closings, *nudges]))


def voices_of(package: Package) -> list[str]:
    """The voices of a package's clips, in the order of its index."""
    return _once(clip.voice for clip in package.clips)


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))


@lru_cache(maxsize=2048)
def _samples(path: Path, *unchanged: int) -> tuple[Pcm, str]:
    pcm = read_flac(path.read_bytes())
    pcm.flags.writeable = False
    return pcm, digest_of(pcm)
