"""What a user declares of a recogniser that cannot name its own weights: ``identity=TEXT`` and ``weights=PATH``.

Without either nobody can tell whether a program or a function is still what it was, and its transcripts are made anew
each run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256


@dataclass(frozen=True)
class DeclaredOptions:
    """``identity`` is any text, such as a version; ``weights`` a file, or a folder of files, that is hashed.

    ``timeout`` in seconds is for one recording. It does not change a transcript, so it is no part of the identity.
    """

    identity: str = ""
    weights: str = ""
    timeout: float = 300.0

    def __post_init__(self) -> None:
        if not 0 < self.timeout < float("inf"):
            raise ValueError(f"option timeout must be a number of seconds above 0, not {self.timeout}")

    @property
    def declared(self) -> bool:
        """Whether either is given: then stored transcripts may stand in for hearing again."""
        return bool(self.identity or self.weights)

    def check_weights(self, name: str) -> None:
        """Raise InterfaceError where there are no such weights. ``name`` is the interface's, for the message."""
        if not self.weights:
            return
        path = self._path
        if not path.exists():
            raise InterfaceError(f"{name}: no weights {self.weights!r}; check the path (from {Path.cwd()})")
        if not path.is_dir() and not path.is_file():
            raise InterfaceError(f"{name}: the weights {self.weights!r} are no file and no folder; name one")
        if path.is_dir() and next(_files(path), None) is None:
            raise InterfaceError(f"{name}: the folder of weights {self.weights!r} holds no file; check the path")

    def fields(self, name: str) -> dict[str, str]:
        """What they add to the identity of an interface. Raises InterfaceError as `check_weights` does."""
        fields = {"declared_identity": self.identity} if self.identity else {}
        if self.weights:
            self.check_weights(name)
            try:
                fields["declared_weights_sha256"] = weights_sha256(self._path)
            except OSError as error:
                raise InterfaceError(
                    f"{name}: the weights {self.weights!r} cannot be read ({error.strerror}: {error.filename});"
                    " check their permissions"
                ) from None
        return fields

    @property
    def _path(self) -> Path:
        return Path(self.weights).expanduser()


def weights_sha256(path: Path) -> str:
    """SHA-256 of a file; of a folder, over the sorted names (below it) and hashes of its files. Raises OSError."""
    if path.is_file():
        return _hashed(path.absolute(), _stamp(path))
    digest = hashlib.sha256()
    for name, file in sorted((os.fsencode(file.relative_to(path).as_posix()), file) for file in _files(path)):
        digest.update(name + b" " + _hashed(file.absolute(), _stamp(file)).encode() + b"\n")
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """The regular files below a folder, behind links too, each folder once."""
    seen = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        seen.add(os.path.realpath(place))
        folders[:] = [name for name in folders if os.path.realpath(Path(place, name)) not in seen]
        yield from (file for name in names if (file := Path(place, name)).is_file())


def _stamp(file: Path) -> tuple[int, ...]:
    status = file.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=10_000)
def _hashed(file: Path, _: tuple[int, ...]) -> str:
    """Weights are gigabytes, and a run asks for an identity several times."""
    return file_sha256(file)
