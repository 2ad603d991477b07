"""A table of voices: which spec is meant by a speaker's name, and with which versions its recordings were made.

JSON: a name to ``{"spec": "piper:joe", "packages": {"piper-tts": "1.8.0"}, "debian": {"flite": "2.2-5"}}``. Other keys
are for the reader. An entry without ``spec`` has the versions of what is no voice, such as the encoder of files.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from pytest_talk2agent.recording.voices import VoiceError
from pytest_talk2agent.tasks.files import parse_json, read_utf8


class TableVoice(BaseModel):
    """One entry: the spec of a voice, and versions by name of what Python and Debian install."""

    model_config = ConfigDict(frozen=True, extra="allow")

    spec: str = ""
    packages: Mapping[str, str] = {}
    debian: Mapping[str, str] = {}


VoiceTable = dict[str, TableVoice]
_TABLE = TypeAdapter(VoiceTable)


def read_table(path: Path) -> VoiceTable:
    """Read a table; raises VoiceError with one line, TaskFileError where the file cannot be read."""
    try:
        return _TABLE.validate_python(parse_json(read_utf8(path)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise VoiceError(f"{path}: {'.'.join(map(str, first['loc'])) or 'table'}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise VoiceError(f"{path}: no table of voices: {error}") from None


def differences(table: VoiceTable, speakers: Sequence[str]) -> list[str]:
    """Where another version is installed than some voices, and what is no voice, were used with.

    What is not installed at all is no difference: the voice itself says so.
    """
    names = [name for name, entry in table.items() if name in speakers or not entry.spec]
    found = dict[str, None]()
    for name in names:
        for package, here, there in _compared(table[name]):
            if here not in ("", there):
                found[f"{package} is {here}, the recordings were made with {there}"] = None
    return list(found)


def _compared(entry: TableVoice) -> Iterator[tuple[str, str, str]]:
    for package, there in entry.packages.items():
        yield package, _python_version(package), there
    for package, there in entry.debian.items():
        yield package, _debian_version(package), there


def _python_version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _debian_version(package: str) -> str:
    try:
        run = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""
