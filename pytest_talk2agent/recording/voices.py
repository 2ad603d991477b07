"""Voices: what reads a script aloud. A spec names one, ``[LABEL=]ENGINE[:VOICE][?option=value&...]``.

Another distribution offers an engine under the entry-point group ``talk2agent.voices``: a callable that takes a
`VoiceSpec` and returns a `Voice`.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeAlias

from pytest_talk2agent.remote.option_text import split_options

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Speech: TypeAlias = "tuple[NDArray[numpy.float64], int]"
"""Mono samples, full scale 1, and their rate in Hz."""

ENTRY_POINTS = "talk2agent.voices"
FORM = "[LABEL=]ENGINE[:VOICE][?option=value&...]"
_ENGINES = {
    "command": "pytest_talk2agent.recording.programs:CommandVoice",
    "espeak-ng": "pytest_talk2agent.recording.programs:EspeakVoice",
    "festival": "pytest_talk2agent.recording.programs:FestivalVoice",
    "flite": "pytest_talk2agent.recording.programs:FliteVoice",
    "kokoro": "pytest_talk2agent.recording.kokoro:KokoroVoice",
    "openai": "pytest_talk2agent.recording.served_voice:ServedVoice",
    "piper": "pytest_talk2agent.recording.piper:PiperVoice",
}
_LABEL = re.compile(r"\w[\w.+-]*")


class VoiceError(ValueError):
    """A voice that cannot speak: a wrong spec, what is not installed, an engine that failed."""


@dataclass(frozen=True)
class VoiceSpec:
    """A parsed spec; ``text`` is what the user wrote, ``label`` what the voice is called as a speaker and a take."""

    text: str
    label: str
    engine: str
    voice: str = ""
    options: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def unlabelled(self) -> str:
        """The spec without its label: what can be rendered again under any name."""
        return self.text.strip().removeprefix(f"{self.label}=")

    def read(self, defaults: Mapping[str, str]) -> dict[str, str]:
        """The options over their defaults; raises VoiceError where one is unknown."""
        for name in self.options:
            if name not in defaults:
                known = f"known: {', '.join(defaults)}" if defaults else f"{self.engine} has none"
                raise VoiceError(f"voice {self.text!r}: unknown option {name!r}; {known}")
        return {**defaults, **self.options}

    def number(self, name: str, value: str, least: float, most: float) -> float:
        """An option's value as a number; raises VoiceError where it is none between two bounds."""
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not least <= number <= most:
            raise VoiceError(f"voice {self.text!r}: {name} must be a number from {least:g} to {most:g}, not {value!r}")
        return number


class Voice(ABC):
    """Text to speech."""

    at_once: bool = True
    """Whether several threads may speak at a time."""
    stable: bool = True
    """Whether the same text gives the same samples, so that a recording can be made again byte for byte."""

    @abstractmethod
    def check(self) -> None:
        """Raise VoiceError where something is not installed, with what installs it."""

    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Everything that can change the samples of a text."""

    @abstractmethod
    def speak(self, text: str) -> Speech:
        """Say a text; raises VoiceError where the engine fails or says nothing."""


def parse_voice(text: str) -> VoiceSpec:
    """Read a spec; raises VoiceError with the form that is expected."""
    label, equals, rest = text.strip().partition("=")
    if not equals or not _LABEL.fullmatch(label):
        label, rest = "", text.strip()
    engine, colon, voice = rest.partition(":")
    options = ""
    if engine.partition("?")[0] == "command":
        engine, _, options = engine.partition("?")
    else:
        engine, question, options = rest.partition("?")
        if question and not options:
            raise VoiceError(f"voice {text!r}: no option behind '?'; write {FORM}")
        engine, colon, voice = engine.partition(":")
    if not re.fullmatch(r"[A-Za-z][\w-]*", engine) or (colon and not voice.strip()):
        raise VoiceError(f"voice {text!r} is not understood; write {FORM}")
    try:
        values = split_options(options)
    except ValueError as error:
        raise VoiceError(f"voice {text!r}: {error}") from None
    stem = voice.split()[0] if engine == "command" else voice
    default = re.sub(r"[^\w.+-]+", "-", f"{engine}-{stem.rsplit('/', 1)[-1]}" if stem else engine).strip("-")
    return VoiceSpec(text, label or default, engine, voice.strip(), values)


def make_voice(spec: VoiceSpec) -> Voice:
    """The voice of a spec; raises VoiceError for an unknown engine, a wrong option or what is not installed."""
    offers = {point.name: point.value for point in importlib.metadata.entry_points(group=ENTRY_POINTS)}
    target = _ENGINES.get(spec.engine) or offers.get(spec.engine)
    if target is None:
        known = sorted({*_ENGINES, *offers})
        near = difflib.get_close_matches(spec.engine, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise VoiceError(f"voice {spec.text!r}: unknown engine {spec.engine!r}; {hint}known: {', '.join(known)}")
    try:
        factory: Callable[[VoiceSpec], Voice] = resolve_name(target)
    except (ImportError, AttributeError) as error:
        raise VoiceError(f"voice {spec.text!r}: cannot import {target}: {error}") from error
    voice = factory(spec)
    voice.check()
    return voice


def make_voices(texts: Sequence[str]) -> list[tuple[VoiceSpec, Voice]]:
    """The voices of some specs in their order; raises VoiceError where two have one label."""
    made: dict[str, tuple[VoiceSpec, Voice]] = {}
    for spec in map(parse_voice, texts):
        if spec.label in made:
            other = made[spec.label][0].text
            raise VoiceError(f"voices {other!r} and {spec.text!r} have one label; write LABEL={spec.text}")
        made[spec.label] = (spec, make_voice(spec))
    return list(made.values())
