"""The content-addressed store: what was paid for once is never asked again.

A record is one JSON file under the hash of what determines it. It is written beside its place and moved there, so a
reader sees a whole record or none, whoever else writes and whenever a process is killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.results.transcript import Transcript

SCHEMA = 1


def content_key(*parts: object) -> str:
    """SHA-256 (hexadecimal) over plain JSON values, in order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class StoreError(Exception):
    """The folder of a store cannot be used. One clear line."""


class Store:
    """A folder of records. Safe to share between processes and between runs.

    Raises StoreError where the folder cannot be read or written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def transcript(self, audio_sha256: str, fingerprint: str, bias_sha256: str = "") -> Transcript | None:
        """The stored transcript of this audio by this interface, or None.

        A record that lacks a field, or is not JSON, counts as absent and is written anew.
        """
        data = self._read("transcripts", content_key(audio_sha256, fingerprint, bias_sha256))
        if data is None:
            return None
        try:
            return Transcript.from_json(data)
        except (KeyError, TypeError):
            return None

    def keep_transcript(self, transcript: Transcript, bias_sha256: str = "") -> None:
        """Store a transcript under its audio and its interface."""
        key = content_key(transcript.audio_sha256, transcript.fingerprint, bias_sha256)
        self._write("transcripts", key, transcript.to_json())

    def record(self, kind: str, key: str) -> Mapping[str, Any] | None:
        """The plain values stored under a `content_key`, or None."""
        return self._read(kind, key)

    def keep_record(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        """Store plain values under the `content_key` of what determines them."""
        self._write(kind, key, data)

    def _place(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / f"{key[2:]}.json"

    def _read(self, kind: str, key: str) -> Mapping[str, Any] | None:
        try:
            record = json.loads(self._place(kind, key).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise _unusable(self.root, "read", error) from error
        if not isinstance(record, dict) or record.get("schema") != SCHEMA or not isinstance(record.get("data"), dict):
            return None
        data: Mapping[str, Any] = record["data"]
        return data

    def _write(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        try:
            self._ignore_in_git()
            write_whole(self._place(kind, key), json.dumps({"schema": SCHEMA, "data": data}, ensure_ascii=False))
        except OSError as error:
            raise _unusable(self.root, "write", error) from error

    def _ignore_in_git(self) -> None:
        # Only in a folder of our own making: in one that was there, it could hide its owner's files from git.
        if not self.root.exists():
            write_whole(self.root / ".gitignore", "*\n")


def _unusable(root: Path, verb: str, error: OSError) -> StoreError:
    return StoreError(f"store {root}: cannot {verb} it ({error.strerror}); name a folder of yours with --t2a-store=DIR")


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces in order, so that a reader sees the old file or the new, never a part.

    Raises OSError with the path. What UTF-8 cannot hold, such as the bytes of an odd file name, is written as JSON
    escapes it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with beside.open("w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.writelines([text] if isinstance(text, str) else text)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
