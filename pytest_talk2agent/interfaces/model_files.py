"""The files of a model: in an installed package or in the hub's cache, and the one hash that stands for all of them.

Small and apart, since every family of interfaces finds its files by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, found without importing it; None where it is not installed."""
    found = find_spec(package)
    return Path(found.origin).parent if found is not None and found.origin is not None else None


def from_hub(get: Callable[..., str], refusal: str) -> Path:
    """What the hub has of a model, from its cache on this machine where that will do.

    ``get`` is called with ``local_files_only=True``, then without. Raises InterfaceError as ``get`` does, else with the
    ``refusal``, in which ``{error}`` stands for what the hub said.
    """
    try:
        return Path(get(local_files_only=True))
    except InterfaceError:
        raise
    except Exception:
        # Whatever is wrong with the cache, the hub has the model.
        pass
    try:
        return Path(get())
    except InterfaceError:
        raise
    except Exception as error:
        raise InterfaceError(refusal.replace("{error}", f"{one_line(error):.200}")) from None


def combined_sha256(files: Mapping[str, str]) -> str:
    """One SHA-256 over the names and hashes of several files."""
    return hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in sorted(files.items())).encode()).hexdigest()


def folder_sha256(folder: Path) -> str:
    """One SHA-256 over the names (below the folder) and contents of all files in it."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return combined_sha256({file.relative_to(folder).as_posix(): file_sha256(file) for file in files})


def check_sha256(name: str, file: Path, digest: str | None, expected: str, remedy: str) -> None:
    """Raise InterfaceError where a file is not the expected one. ``name`` is the interface's, for the message."""
    if digest != expected:
        raise InterfaceError(f"{name}: {file} has SHA-256 {digest}, expected {expected}; {remedy}")
