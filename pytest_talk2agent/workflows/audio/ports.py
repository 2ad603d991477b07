"""What a session on sound asks of others: the user's clips, the condition of the channel, ears, and its limits.

Samples are mono int16 at `SAMPLE_RATE`. Each of these is a small protocol, so that a bank, a condition or a recogniser
is whatever fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from pytest_talk2agent.workflows.agents.protocol import InfrastructureError
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.package.package import Package

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from pytest_talk2agent.workflows.session.scene import Scene
    from pytest_talk2agent.workflows.session.user_side import UserSide

    Samples: TypeAlias = NDArray[numpy.int16]

MS = SAMPLE_RATE // 1000
"""Samples of a millisecond."""


class ClipError(ValueError):
    """The words of the user cannot be had as sound. One clear line."""


class CallerError(InfrastructureError):
    """The user could not do its part, so the session says nothing of the agent. One clear line."""

    def __init__(self, text: str) -> None:
        super().__init__(f"caller: {text}")


class Clips(Protocol):
    """Where the user's words are to be had as sound."""

    def identity(self) -> Mapping[str, str]:
        """All that can change a sample; plain values."""
        ...

    def clip(self, text: str, variant: str | None) -> Samples:
        """The sound of a wording; ``variant`` is its id in the bank, None for a text that has none.

        Raises:
            ClipError: where there is none.
        """
        ...


class Channel(Protocol):
    """What lies between the user and the agent, in one call: noise, a telephone, lost packets.

    Attributes:
        delay_ms: how much later the agent hears what the user says.
    """

    delay_ms: int

    def identity(self) -> Mapping[str, str]:
        """All that can change a sample; plain values."""
        ...

    def frame(self, samples: Samples, at_ms: int) -> Samples:
        """The next frame of the user's channel as the agent hears it: as many samples."""
        ...


@runtime_checkable
class LiveSide(Protocol):
    """What the user's side has besides where somebody speaks for itself: both channels pass by it every 20 ms."""

    def speak(self) -> Samples:
        """The next frame of the user's channel; raises CallerError where nobody is there any more."""
        ...

    def hear(self, samples: Samples) -> None:
        """Hear the next frame of the agent."""
        ...

    def plain(self) -> dict[str, Any]:
        """How it went, for the end of the log."""
        ...


class LiveCaller(Protocol):
    """Somebody who speaks for itself.

    Attributes:
        real: whether it takes real time.
    """

    real: bool

    def identity(self) -> Mapping[str, Any]:
        """What the log says of it; plain values."""
        ...

    def side(self, scene: Scene, wordings: Any, talk: Any, *, seed: int) -> UserSide:
        """Its side of a session; a `LiveSide`."""
        ...


Listener: TypeAlias = "Callable[[Samples], str]"
"""Hears what the agent said, where it does not say so itself."""

MakeClips: TypeAlias = Callable[[Package, str], Clips]
"""The user's voice, by package and condition; raises ValueError where it cannot be had."""
MakeChannel: TypeAlias = "Callable[[Package, str, int], Channel | None]"
"""The channel of one call, by package, condition (C1, C2, C3) and seed; None is a clean one. Raises ValueError."""


@dataclass(frozen=True)
class Limits:
    """How long each phase of a call may take, in milliseconds; the figures are those of VAmoS (vamos.md 4).

    Attributes:
        connect: from dialling to an open line.
        first_audio: until the agent gives anything at all.
        silence: without anything from an agent that has to answer.
        call: the whole call; then the user hangs up, and the session is scored as it stands.
    """

    connect: int = 10_000
    first_audio: int = 30_000
    silence: int = 30_000
    call: int = 600_000

    def plain(self) -> dict[str, int]:
        """Plain values for the log."""
        return dict(vars(self))


@dataclass(frozen=True)
class SoundOptions:
    """How a session on sound is held.

    Attributes:
        clips: makes the user's voice for a package.
        label: what all of this is called in one line; two with one label are the same.
        channel: makes the channel of a call; None makes clean ones.
        listener: hears the agent where it gives no words; ``listener_id`` is its spec.
        detector: what tells speech from other sound on the agent's channel (`activity.make_detector`); None takes the
            level for controls, whose line has no noise, and Silero's detector for all others.
        calibration: what the instrument made of the reference agent on this host (`calibration.Calibration.plain`).
        person: who plays the user instead of a voice from ``clips``.
        recording: where the stereo recording is written, a file that ends in ``.flac``; None writes none.
    """

    clips: MakeClips
    label: str = "sound"
    channel: MakeChannel | None = None
    listener: Listener | None = None
    listener_id: str = ""
    detector: str | None = None
    calibration: Mapping[str, Any] | None = None
    person: LiveCaller | None = None
    recording: Path | None = None
    limits: Limits = field(default_factory=Limits)

    def plain(self, clips: Clips, channel: Channel | None, detector: Mapping[str, str]) -> dict[str, Any]:
        """What the log says of it."""
        return {
            "rate": SAMPLE_RATE,
            "clips": dict(clips.identity()),
            "channel": dict(channel.identity()) if channel is not None else {"channel": "clean"},
            "listener": self.listener_id,
            "detector": dict(detector),
            "limits": self.limits.plain(),
            **({"calibration": dict(self.calibration)} if self.calibration is not None else {}),
            **({"person": dict(self.person.identity())} if self.person is not None else {}),
        }
