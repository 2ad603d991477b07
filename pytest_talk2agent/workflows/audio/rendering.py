"""The speech bank of a package: every text that its user may say, spoken by voices, in the format of APEX-Voice 2.5.

Clips lie in ``user/audio`` beside ``index.jsonl`` and ``meta.json``. What is rendered lies in a store under the hash of
voice, text and form, so an interrupted run goes on where it stopped. Rows of voices that are not rendered now stay, so
another voice becomes an accent; the first voice of the index is the user's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any, Literal

from pytest_talk2agent.recording.rendering import keep_whole
from pytest_talk2agent.recording.voices import Voice, VoiceError, VoiceSpec
from pytest_talk2agent.tasks.errors import shown
from pytest_talk2agent.workflows.audio.clip_form import (
    LEVEL_DB,
    RATE,
    SUFFIX,
    clip_name,
    digest_of,
    flac_of,
    in_form,
    read_flac,
)
from pytest_talk2agent.workflows.caller.speech import CLOSINGS, NUDGE
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Clip

FORM = "clip-1"
"""Raised whenever the same speech would become other samples."""
META = "meta.json"

Speaker = tuple[VoiceSpec, Voice]


@dataclass(frozen=True)
class Saying:
    """One thing that a user may say; ``stem`` is what its file is called after, ``facts`` what it tells."""

    kind: Literal["variant", "closing", "nudge"]
    text: str
    stem: str
    plan: str | None = None
    variant: str | None = None
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spoken:
    """A saying in a voice, as it lies in the package; ``kept`` says that it was rendered before."""

    saying: Saying
    clip: Clip
    path: Path
    kept: bool


def sayings_of(package: Package) -> list[Saying]:
    """All that the user of a package may say: variants, then closings, then nudges."""
    variants = [
        Saying(
            "variant", variant.text, variant.variant_id, line.user_plan_id, variant.variant_id,
            tuple(variant.expressed_fact_ids),
        )
        for line in package.bank
        for variant in line.variants
    ]  # fmt: skip
    others: list[Saying] = []
    defaults: tuple[tuple[Literal["closing", "nudge"], Sequence[str]], ...] = (
        ("closing", CLOSINGS),
        ("nudge", (NUDGE,)),
    )
    for kind, usual in defaults:
        texts = dict.fromkeys(clip.text for clip in package.clips if clip.kind == kind) or usual
        others += [Saying(kind, text, f"{kind}_{number}") for number, text in enumerate(texts, 1)]
    return [*variants, *others]


def speaker_of(package: Package, speakers: Sequence[Speaker]) -> list[Speaker]:
    """The voices that speak a package: the one whose label is its persona's ``voice_id``, else all of them."""
    wanted = [one for one in speakers if one[0].label == package.persona.get("voice_id")]
    return wanted or list(speakers)


def render_clips(
    package: Package,
    speakers: Sequence[Speaker],
    store: Path,
    workers: int,
    tell: Callable[[Spoken], None] = lambda one: None,
) -> list[Spoken]:
    """Render every saying in every voice, and write the index.

    Raises:
        VoiceError: with the first fault of a voice.
        ValueError: where two sayings would have one file.
    """
    folder = audio_folder(package)
    sayings = sayings_of(package)
    first = next((clip.voice for clip in package.clips), speakers[0][0].label)
    jobs = []
    taken: dict[str, Saying] = {}
    for spec, voice in speakers:
        for saying in sayings:
            stem = saying.stem if spec.label == first else f"{saying.stem}.{spec.label}"
            name = clip_name(stem)
            other = taken.setdefault(name, saying)
            if other is not saying:
                raise ValueError(f"{package.folder}: {other.stem} and {saying.stem} would share {name}; rename one")
            jobs.append((saying, spec, voice, name))
    locks = {id(voice): Lock() for _, voice in speakers if not voice.at_once}
    folder.mkdir(parents=True, exist_ok=True)

    def one(job: tuple[Saying, VoiceSpec, Voice, str]) -> Spoken:
        saying, spec, voice, name = job
        with locks.get(id(voice), nullcontext()):
            content, kept = _content(saying.text, spec, voice, store)
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            keep_whole(path, content)
        pcm = read_flac(content)
        clip = Clip(
            file=name,
            kind=saying.kind,
            user_plan_id=saying.plan,
            variant_id=saying.variant,
            text=saying.text,
            voice=spec.label,
            sample_rate=RATE,
            num_samples=len(pcm),
            pcm16_sha256=digest_of(pcm),
        )
        return Spoken(saying, clip, path, kept)

    made = []
    with ThreadPoolExecutor(workers, thread_name_prefix="t2a-voice") as pool:
        for spoken in pool.map(one, jobs):
            made.append(spoken)
            tell(spoken)
    _write_index(package, [spoken.clip for spoken in made])
    return made


def audio_folder(package: Package) -> Path:
    """Where the clips of a package lie."""
    return package.folder / PurePosixPath(package.task.audio_manifest).parent


def forgotten(package: Package) -> list[str]:
    """The files among the clips of a package that its index does not name."""
    folder = audio_folder(package)
    named = {clip.file for clip in package.clips}
    return sorted(path.name for path in folder.glob(f"*{SUFFIX}") if path.name not in named)


def write_meta(package: Package, speakers: Sequence[Speaker], checked: Mapping[str, Any] | None) -> None:
    """Write what made the clips, and how they were checked; what it says of other voices stays."""
    path = audio_folder(package) / META
    before: dict[str, Any] = {}
    if path.exists():
        try:
            before = dict(json.loads(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise ValueError(f"{path}: no record of voices ({error}); delete it") from None
    voices = dict(before.get("voices", {}))
    voices |= {spec.label: {"spec": spec.text, **voice.identity()} for spec, voice in speakers}
    record = {
        "form": FORM,
        "sample_rate": RATE,
        "level_dbfs": LEVEL_DB,
        "libraries": {name: metadata.version(name) for name in ("numpy", "soundfile", "soxr")},
        "voices": dict(sorted(voices.items())),
        "checked": dict(before.get("checked", {}) if checked is None else checked),
    }
    keep_whole(path, f"{json.dumps(record, indent=1, ensure_ascii=False)}\n".encode())


def _content(text: str, spec: VoiceSpec, voice: Voice, store: Path) -> tuple[bytes, bool]:
    """The bytes of a clip, and whether the store had them."""
    made_of = {"form": FORM, "text": text, "voice": dict(voice.identity())}
    key = hashlib.sha256(json.dumps(made_of, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    kept = store / key[:2] / f"{key}{SUFFIX}"
    if kept.exists():
        return kept.read_bytes(), True
    try:
        content = flac_of(in_form(*voice.speak(text)))
    except VoiceError:
        raise
    except ValueError as error:
        raise VoiceError(f"voice {spec.text!r}: {shown(text)}: {error}") from None
    kept.parent.mkdir(parents=True, exist_ok=True)
    keep_whole(kept, content)
    return content, False


def _write_index(package: Package, clips: Iterable[Clip]) -> None:
    """Write the rows: of each voice together, those that were there before first, texts that are gone left out."""
    new = list(clips)
    said = {saying.text for saying in sayings_of(package)}
    rendered = {clip.voice for clip in new}
    stay = [clip for clip in package.clips if clip.voice not in rendered and clip.text in said]
    order = list(dict.fromkeys([*(clip.voice for clip in package.clips), *(clip.voice for clip in new)]))
    rows = sorted([*stay, *new], key=lambda clip: order.index(clip.voice))
    lines = [json.dumps(clip.model_dump(exclude_none=True), ensure_ascii=False) for clip in rows]
    keep_whole(package.folder / PurePosixPath(package.task.audio_manifest), "".join(f"{x}\n" for x in lines).encode())
