"""What lies between the user and the agent in a session: noise around the user, and the line; frame by frame.

The conditions are those of ``+sound`` (`speech.acoustics`), at work on a stream without an end: noise begins with the
call and goes on while the user is silent. What is heard at a moment depends on the moment, the seed and what was said
by then, and not on how many frames were asked for.

C2 is a clean channel. What the paper's C3 sounds like is not published; ours is `REALISTIC`, or what the package says
under ``sound`` of its persona.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_talk2agent.speech.acoustics.chain import LiveSound
from pytest_talk2agent.speech.acoustics.effect import SoundError, Source
from pytest_talk2agent.speech.acoustics.sound_condition import SoundCondition, parse_sound
from pytest_talk2agent.workflows.audio.bank import Level
from pytest_talk2agent.workflows.audio.clip_form import FULL, RATE, Pcm
from pytest_talk2agent.workflows.audio.talkers import talkers_for
from pytest_talk2agent.workflows.package.manner import manner_of
from pytest_talk2agent.workflows.package.package import Package

CLEAN = "clean"
REALISTIC = "babble@15dB,phone,bursts@1%"
"""Our C3: a café behind the user, a telephone, and one packet in a hundred lost, five at a time."""

_ACCENT = re.compile(r"accent=(?P<voice>[^,]+)")
_MS = RATE // 1000
_FRAME = 20 * _MS
"""Samples of silence that are sent at once, as if they came frame by frame: so a codec rounds them alike."""
_SETTLES = 100
"""Frames that the filters of a line need before they give as many samples as they take."""


@dataclass(frozen=True)
class ChannelCondition:
    """How the user sounds to the agent: in which voice of the bank, and through what."""

    accent: str = ""
    sound: SoundCondition | None = None

    @property
    def text(self) -> str:
        """The condition as it is written, in one way."""
        parts = [f"accent={self.accent}"] if self.accent else []
        return ",".join([*parts, *([self.sound.text] if self.sound else [])]) or CLEAN


def parse_channel(text: str) -> ChannelCondition:
    """Read ``clean``, or ``accent=VOICE`` and the effects of a condition of sound, in any order of the two.

    Raises:
        SoundError: for what is neither, and for an effect that no stream can have.
    """
    entries = [entry.strip() for entry in text.split(",")]
    if entries == [CLEAN]:
        return ChannelCondition()
    accents = [found["voice"].strip() for entry in entries if (found := _ACCENT.fullmatch(entry))]
    if len(accents) > 1:
        raise SoundError(f"channel {text!r}: {len(accents)} accents; a user has one")
    effects = [entry for entry in entries if not _ACCENT.fullmatch(entry)]
    sound = parse_sound(",".join(effects)) if effects else None
    for effect in sound.effects if sound else ():
        if not effect.live:
            raise SoundError(f"channel {text!r}: {effect.name} needs the whole recording, which a call never is")
        if effect.lead(RATE):
            raise SoundError(f"channel {text!r}: {effect.name} moves a recording; in a call write dropouts@N% for gaps")
    return ChannelCondition(accents[0] if accents else "", sound)


def channel_of(package: Package, condition: str, chosen: ChannelCondition | None = None) -> ChannelCondition:
    """The channel of a session: what was chosen for the run, else in C3 that of the package, else `REALISTIC`.

    Raises:
        SoundError: where the package's own is none.
    """
    if chosen is not None:
        return chosen
    if condition != "C3":
        return ChannelCondition()
    return parse_channel(manner_of(package.persona).sound or REALISTIC)


class Channel:
    """The channel of one call.

    ``level`` is how loud the user speaks (`SpeechBank.level`); noise has its ratio to that in the long run. The same
    package, condition and seed are the same channel. ``delay_ms`` is by how much it is late, from the first frame on.

    Raises:
        SoundError: where there is nothing to make a noise of, or a package is missing.
    """

    def __init__(self, condition: ChannelCondition, package: Package, level: Level, seed: int) -> None:
        import numpy as np

        self._condition, self._seed, self._next = condition, seed, 0
        self._live: LiveSound | None = None
        self._sources: tuple[Source, ...] = ()
        self.delay_ms = 0
        if condition.sound is not None:
            sound = _placed(condition.sound, package)
            self._sources = _sources(sound, package)
            name = f"{package.id}\n{seed}"
            self._live = LiveSound(sound, RATE, level.power, level.peak, name, self._sources)
            for _ in range(_SETTLES):
                self._live.push(np.zeros(_FRAME))
            self.delay_ms = -(-self._live.delay // _MS)

    def frame(self, samples: Pcm, at_ms: int) -> Pcm:
        """What the agent hears of a frame that begins at a moment, in milliseconds from the start of the call.

        Between the end of the last frame and this one the user was silent.

        Raises:
            ValueError: for a moment that has passed already.
        """
        import numpy as np

        place = at_ms * _MS
        if place < self._next:
            raise ValueError(f"the channel has passed {at_ms} ms; its next frame begins at {self._next // _MS} ms")
        if self._live is None:
            self._next = place + len(samples)
            return samples
        while self._next < place:
            step = min(_FRAME, place - self._next)
            self._live.push(np.zeros(step))
            self._next += step
        self._next += len(samples)
        heard: Pcm = np.rint(self._live.push(samples.astype(np.float64) / FULL) * FULL).astype(np.int16)
        return heard

    def identity(self) -> dict[str, str]:
        """Everything that can change what is heard: the condition, its seed, and the speech that noise is made of."""
        made = {"channel": self._condition.text, "channel_seed": str(self._seed)}
        if self._condition.sound is not None:
            made |= self._condition.sound.identity()
        digests = [digest for source in self._sources for digest in source.sha256s]
        return {**made, "made_of": " ".join(digest[:12] for digest in digests)} if digests else made


def _placed(sound: SoundCondition, package: Package) -> SoundCondition:
    """The condition with folders of noise as they lie from here; those that the package names lie below it."""
    effects = []
    for effect in sound.effects:
        if effect.folder is not None and not Path(effect.folder).is_dir():
            effects.append(replace(effect, folder=str(package.folder / effect.folder)))
        else:
            effects.append(effect)
    return replace(sound, effects=tuple(effects))


def _sources(sound: SoundCondition, package: Package) -> tuple[Source, ...]:
    """What noises are made of: the folders that the condition names, else the speech of other packages."""
    own = package.folder / "user" / "audio" / "index.jsonl"
    return tuple(
        talkers_for(package, effect.name)
        if effect.folder is None and effect.name in ("babble", "tv", "talker")
        else replace(sound, effects=(effect,)).sources(own)[0]
        for effect in sound.effects
    )
