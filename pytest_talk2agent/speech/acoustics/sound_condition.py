"""A condition of sound as it is written, ``babble@5dB,phone``, and what it is for every key and record.

Effects work from left to right. ``seed@N`` among them draws everything anew.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from pathlib import Path

from pytest_talk2agent.speech.acoustics.channel import Dropouts, FileCodec, Loss, Phone, Reverb, SampleCodec
from pytest_talk2agent.speech.acoustics.effect import Effect, SoundError, Source
from pytest_talk2agent.speech.acoustics.level import Clip, Cut, Gain, Gap, Speed
from pytest_talk2agent.speech.acoustics.noise import TALKERS, Noise, Recorded, Talker
from pytest_talk2agent.speech.audio import file_sha256

VERSION = "1"
"""Raised whenever an effect makes other samples of the same recording: its transcripts are then other ones."""

SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3")
"""What counts as a recording in a folder."""

_SNR = ("dB", -50, 100)
FAMILIES: dict[str, tuple[type[Effect], tuple[str, float, float] | None]] = {
    "white": (Noise, _SNR),
    "pink": (Noise, _SNR),
    "babble": (Recorded, _SNR),
    "tv": (Recorded, _SNR),
    "talker": (Talker, _SNR),
    "noise": (Recorded, _SNR),
    "reverb": (Reverb, ("s", 0.05, 10)),
    "phone": (Phone, None),
    "mulaw": (SampleCodec, None),
    "alaw": (SampleCodec, None),
    "gsm": (FileCodec, None),
    "opus": (FileCodec, ("kbps", 6, 256)),
    "mp3": (FileCodec, ("kbps", 8, 128)),
    "loss": (Loss, ("%", 0, 90)),
    "bursts": (Loss, ("%", 0, 90)),
    "dropouts": (Dropouts, ("%", 0, 90)),
    "clip": (Clip, ("dB", 0, 60)),
    "gain": (Gain, ("dB", -60, 60)),
    "speed": (Speed, ("x", 0.5, 2)),
    "gap": (Gap, ("s", 0, 60)),
    "cut": (Cut, ("s", 0, 60)),
}
"""Name to effect, and the unit, least and largest amount of those that take one."""

_FOLDERS = ("babble", "tv", "talker", "noise")
_SEED = "seed"
_ENTRY = re.compile(
    r"(?P<name>[a-z][a-z0-9]*)(?:=(?P<folder>[^@]+))?"
    r"(?:@(?P<amount>[+-]?[0-9]{1,10}(?:\.[0-9]{1,10})?)(?P<unit>[A-Za-z%]*))?"
)
_MOST = 12


@dataclass(frozen=True)
class SoundCondition:
    """What is done to a recording before an interface hears it; ``text`` writes it in one way."""

    effects: tuple[Effect, ...]
    seed: int = 0

    @cached_property
    def text(self) -> str:
        """The condition in its own language, so that ``5.0dB`` and ``5dB`` are the same."""
        seed = [f"{_SEED}@{self.seed}"] if self.seed else []
        return ",".join([*(_written(effect, effect.folder) for effect in self.effects), *seed])

    @property
    def label(self) -> str:
        """The condition as a part of a node id, such as ``babble-5dB+phone``."""
        return re.sub(r"[^A-Za-z0-9.+-]+", "-", self.text.replace("%", "pct").replace(",", "+")).strip("-")

    def identity(self) -> dict[str, str]:
        """Everything that can change what is heard; a folder counts by the sounds in it, not by its place.

        Raises SoundError where a folder has none.
        """
        named = []
        for effect in self.effects:
            folder = None
            if effect.folder is not None:
                digests = sorted(_sha256(path) for path in sounds_in(Path(effect.folder)))
                folder = f"sha256:{hashlib.sha256(' '.join(digests).encode()).hexdigest()[:16]}"
            named.append(_written(effect, folder))
        versions = sorted({effect.version for effect in self.effects} - {""})
        seed = [f"{_SEED}@{self.seed}"] if self.seed else []
        identity = {"sound": ",".join([*named, *seed]), "sound_version": VERSION}
        return {**identity, "sound_codecs": ", ".join(versions)} if versions else identity

    def sources(self, recording: Path) -> tuple[Source, ...]:
        """What the noises of each effect are made of for one recording.

        Raises SoundError where a folder has no sound, or the recording has no others beside it.
        """
        return tuple(_source(effect, recording) for effect in self.effects)

    def key(self, recording: Path) -> str:
        """What tells the noises of this recording from those of others; empty where none is made of recordings."""
        digests = [digest for source in self.sources(recording) for digest in source.sha256s]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest() if digests else ""


def parse_sound(text: str) -> SoundCondition:
    """Read ``EFFECT[,EFFECT]``; raises SoundError with what is wrong and what to write."""
    effects, seed = [], 0
    entries = [entry.strip() for entry in text.split(",")]
    if len(entries) > _MOST:
        raise SoundError(f"sound condition {text[:60]!r}: {len(entries)} effects; at most {_MOST} are taken")
    for entry in entries:
        name, folder, amount, unit = _read(entry)
        if name == _SEED:
            if folder is not None or amount is None or unit or amount != int(amount) or not 0 <= amount < 2**32:
                raise SoundError(f"sound condition {entry!r}: write seed@N with a whole number from 0 to 4294967295")
            seed = int(amount)
            continue
        effects.append(_effect(entry, name, folder, amount, unit))
    if not effects:
        raise SoundError(f"sound condition {text!r}: it does nothing; name an effect such as babble@5dB")
    return SoundCondition(tuple(effects), seed)


def _read(entry: str) -> tuple[str, str | None, Decimal | None, str]:
    found = _ENTRY.fullmatch(entry)
    if found is None or found["name"] not in (*FAMILIES, _SEED):
        name = re.split("[@=]", entry)[0]
        close = difflib.get_close_matches(name, FAMILIES, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close and name not in FAMILIES else ""
        raise SoundError(f"sound condition {entry!r} is not understood{hint}; known: {', '.join(map(form, FAMILIES))}")
    return found["name"], found["folder"], None if found["amount"] is None else Decimal(found["amount"]), found["unit"]


def form(name: str) -> str:
    """How an effect is written."""
    unit = FAMILIES[name][1]
    folder = "=FOLDER" if name == "noise" else "[=FOLDER]" if name in _FOLDERS else ""
    return name + folder + ("" if unit is None else f"@N{unit[0]}")


def _effect(entry: str, name: str, folder: str | None, amount: Decimal | None, unit: str) -> Effect:
    kind, range_ = FAMILIES[name]
    if range_ is None:
        if amount is not None or folder is not None:
            raise SoundError(f"sound condition {entry!r}: write {name}, it takes nothing more")
        return kind(name)
    expected, least, most = range_
    if amount is None or unit.lower() != expected.lower():
        raise SoundError(f"sound condition {entry!r}: write {form(name)}, with a number for N")
    if not least <= float(amount) <= most:
        raise SoundError(f"sound condition {entry!r}: {name} takes {least:g} to {most:g} {expected}")
    if folder is not None and name not in _FOLDERS:
        raise SoundError(f"sound condition {entry!r}: {name} takes no folder; write {form(name)}")
    if folder is None and name == "noise":
        raise SoundError(f"sound condition {entry!r}: name the folder of the noises; write {form(name)}")
    return kind(name, amount, folder)


def _written(effect: Effect, folder: str | None) -> str:
    unit = FAMILIES[effect.name][1]
    amount = "" if unit is None or effect.amount is None else f"@{effect.amount.normalize():f}{unit[0]}"
    return effect.name + (f"={folder}" if folder is not None else "") + amount


def _source(effect: Effect, recording: Path) -> Source:
    if not isinstance(effect, Recorded):
        return Source()
    folder = recording.parent if effect.folder is None else Path(effect.folder)
    own = recording.resolve()
    others = [path for path in sounds_in(folder) if path.resolve() != own]
    if not others:
        where = "beside it" if effect.folder is None else f"in {folder}"
        raise SoundError(
            f"{recording}: sound condition {effect.name} is made of other recordings and there are none {where}; "
            f"write {effect.name}=FOLDER@5dB with a folder that has some"
        )
    most = 1 if effect.name in ("noise", "talker") else TALKERS
    # The smallest hashes together with the recording's name: another file in the folder changes few of the choices.
    chosen = sorted(others, key=lambda path: hashlib.sha256(f"{recording.name}\n{path.name}".encode()).digest())[:most]
    return Source(tuple(chosen), tuple(map(_sha256, chosen)))


def sounds_in(folder: Path) -> Sequence[Path]:
    """The recordings of a folder by name, those of its folders not among them; raises SoundError without a folder."""
    if not folder.is_dir():
        raise SoundError(f"{folder}: no folder of recordings for a sound condition; check the path")
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if not found:
        raise SoundError(f"{folder}: no recording in it ({', '.join(SUFFIXES)}) for a sound condition")
    return found


def _sha256(path: Path) -> str:
    stat = path.stat()
    return _sha256_of(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=65536)
def _sha256_of(path: Path, *unchanged: int) -> str:
    return file_sha256(path)
