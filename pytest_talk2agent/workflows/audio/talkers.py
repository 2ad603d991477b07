"""Whose speech the noises of a channel are made of: the users of other packages, never what this user may say."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.speech.acoustics.effect import SoundError, Source
from pytest_talk2agent.speech.acoustics.noise import TALKERS
from pytest_talk2agent.tasks.files import is_inside, read_utf8
from pytest_talk2agent.workflows.audio.bank import texts_of, voices_of
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import LARGEST

_SECONDS = 40
"""Of speech of one talker: what a loop of noise needs, and its pauses."""
INDEX = Path("user", "audio", "index.jsonl")


@dataclass(frozen=True)
class _Clip:
    path: Path
    voice: str
    seconds: float
    sha256: str


def talkers_for(package: Package, noise: str) -> Source:
    """The clips of a noise: for ``babble`` those of six talkers, for ``tv`` one after the other, for ``talker`` of one.

    Voices take turns, other ones than the user's first. Which clips is drawn by the id of the package.

    Raises:
        SoundError: where no package beside has clips.
    """
    clips = sorted(_beside(package), key=lambda one: hashlib.sha256(f"{package.id}\n{one.sha256}".encode()).digest())
    if not clips:
        raise SoundError(
            f"{package.folder}: {noise} is made of the speech of other packages, and none beside it has clips; "
            f"write {noise}=FOLDER@5dB with a folder of recordings"
        )
    voices = _by_voice(clips, voices_of(package)[:1])
    if noise == "tv":
        flat = [voice[turn] for turn in range(max(map(len, voices))) for voice in voices if turn < len(voice)]
        chosen = _enough(flat)
        return _source([[clip] for clip in chosen])
    if noise == "talker":
        return _source([_enough(voices[0])])
    groups = [list(_share(voices[number % len(voices)], number // len(voices), voices)) for number in range(TALKERS)]
    return _source([_enough(group) for group in groups if group])


def _by_voice(clips: list[_Clip], own: list[str]) -> list[list[_Clip]]:
    """The clips of each voice, the user's own last."""
    found: dict[str, list[_Clip]] = defaultdict(list)
    for clip in clips:
        found[clip.voice].append(clip)
    return [found[voice] for voice in sorted(found, key=lambda voice: (voice in own, found[voice][0].sha256))]


def _share(voice: list[_Clip], which: int, voices: list[list[_Clip]]) -> list[_Clip]:
    """A voice that has to be several talkers: its clips dealt out among them."""
    parts = -(-TALKERS // len(voices))
    return voice[which::parts]


def _enough(clips: list[_Clip]) -> list[_Clip]:
    chosen: list[_Clip] = []
    for clip in clips:
        if sum(one.seconds for one in chosen) >= _SECONDS:
            break
        chosen.append(clip)
    return chosen


def _source(talkers: list[list[_Clip]]) -> Source:
    flat = [clip for talker in talkers for clip in talker]
    voices = tuple(tuple(clip.path for clip in talker) for talker in talkers)
    return Source(tuple(clip.path for clip in flat), tuple(clip.sha256 for clip in flat), voices)


def _beside(package: Package) -> Iterator[_Clip]:
    """The clips of the packages beside one, each sound once, without those whose words its own user may say."""
    own, seen = set(texts_of(package)), set[str]()
    folder = package.folder.resolve()
    for index in sorted(folder.parent.glob(f"*/{INDEX.as_posix()}")):
        if index.parents[2].resolve() == folder or not is_inside(index, [folder.parent]):
            continue
        for number, line in enumerate(read_utf8(index, LARGEST).splitlines(), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                clip = _Clip(
                    index.parent / row["file"], row["voice"], row["num_samples"] / row["sample_rate"],
                    row["pcm16_sha256"],
                )  # fmt: skip
                text = row["text"]
            except (ValueError, KeyError, TypeError) as error:
                raise SoundError(f"{index}:{number}: no row of an index of clips ({error}); mend it") from None
            if text not in own and clip.sha256 not in seen and is_inside(clip.path, [index.parent]):
                seen.add(clip.sha256)
                yield clip
