"""From what was written on a command line to how a call is held: the caller's voice, the channel, and a listener."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_talk2agent.results.store import content_key
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE
from pytest_talk2agent.workflows.audio.call_settings import BANK, STAND_IN, CallSettings
from pytest_talk2agent.workflows.audio.ports import ClipError, SoundOptions
from pytest_talk2agent.workflows.audio.stand_in import AMPLITUDE, StandIn

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.bank import LiveVoice, SpeechBank
    from pytest_talk2agent.workflows.audio.channel import ChannelCondition
    from pytest_talk2agent.workflows.audio.ports import Channel, Clips, Samples
    from pytest_talk2agent.workflows.package.package import Package


class BankClips:
    """The frozen bank of a package as the user's voice; raises as `SpeechBank`."""

    def __init__(self, bank: SpeechBank) -> None:
        self.bank = bank

    def identity(self) -> Mapping[str, str]:
        """That of the bank."""
        return {"name": BANK, **self.bank.identity()}

    def clip(self, text: str, variant: str | None) -> Samples:
        """The clip of a text; raises ClipError where it has none, or a broken one."""
        from pytest_talk2agent.workflows.audio.bank import BankError

        try:
            return self.bank.say(text).samples
        except BankError as error:
            raise ClipError(str(error)) from None


def make_sound(settings: CallSettings) -> SoundOptions:
    """How calls are held by some settings; models are loaded when the first call needs them.

    Raises:
        ValueError: for a caller, channel or listener that cannot be had. One clear line.
    """
    from pytest_talk2agent.workflows.audio.channel import parse_channel

    chosen = parse_channel(settings.channel) if settings.channel is not None else None
    live = None
    if settings.caller not in (BANK, STAND_IN):
        from pytest_talk2agent.recording.voices import make_voice, parse_voice

        live = (settings.caller, make_voice(parse_voice(settings.caller)))
    voices = _Voices(settings.caller, chosen, live)
    hears = None
    if settings.listener is not None:
        from pytest_talk2agent.workflows.agents.protocol import AgentError
        from pytest_talk2agent.workflows.lines.ears import Ears

        ears = Ears(settings.listener)
        try:
            ears.identity()
        except AgentError as error:
            raise ValueError(str(error)) from None

        def hears(samples: Samples) -> str:
            return ears.hear(samples.tobytes(), SAMPLE_RATE)

    made = [live[1].identity()] if live is not None else []
    label = f"{settings.label}; {content_key(*made)[:16]}" if made else settings.label
    return SoundOptions(
        clips=voices.clips,
        label=label,
        channel=voices.channel,
        listener=hears,
        listener_id=settings.listener or "",
    )


class _Voices:
    """The user's voice and channel for one package after another."""

    def __init__(self, caller: str, chosen: ChannelCondition | None, live: tuple[str, LiveVoice] | None) -> None:
        self._caller, self._chosen, self._live = caller, chosen, live
        self._banks: dict[tuple[str, str, str], SpeechBank] = {}

    def clips(self, package: Package, condition: str) -> Clips:
        """The user's voice; raises ValueError where the package cannot be spoken."""
        if self._caller == STAND_IN:
            return StandIn()
        from pytest_talk2agent.workflows.audio.bank import BankError

        try:
            return BankClips(self._bank(package, self._condition(package, condition).accent))
        except BankError as error:
            raise ValueError(str(error)) from None

    def channel(self, package: Package, condition: str, seed: int) -> Channel | None:
        """The channel of a call; None for a clean one."""
        from pytest_talk2agent.workflows.audio.bank import Level
        from pytest_talk2agent.workflows.audio.channel import Channel

        chosen = self._condition(package, condition)
        if chosen.sound is None:
            return None
        level = Level(AMPLITUDE**2 / 2, AMPLITUDE)
        if self._caller != STAND_IN:
            level = self._bank(package, chosen.accent).level
        return Channel(chosen, package, level, seed)

    def _condition(self, package: Package, condition: str) -> ChannelCondition:
        from pytest_talk2agent.workflows.audio.channel import channel_of

        return channel_of(package, condition, self._chosen)

    def _bank(self, package: Package, accent: str) -> SpeechBank:
        """The bank of a package, read once."""
        from pytest_talk2agent.workflows.audio.bank import SpeechBank

        key = (str(package.folder), package.digest, accent)
        if key in self._banks:
            return self._banks[key]
        mode = "auto" if self._live is not None else "prerendered"
        bank = SpeechBank(package, mode=mode, live=self._live, accent=accent)  # type: ignore[arg-type]
        bank.check()
        self._banks[key] = bank
        return bank
