"""The content-addressed store of transcripts and model answers.

A record is one file, named by the hash of what determines it. It is written beside its place and moved there, so a
reader sees a whole record or none, even with concurrent writers and killed processes. It begins with the SHA-256 of the
rest, and the rest names its place: a damaged, edited or moved record is detected before use, and counts as absent.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, TypeVar

from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.untrusted import mapping, parse_plain, plain_fault, read_regular

SCHEMA = 2
TRANSCRIPTS = "transcripts"

Found = TypeVar("Found")

_HEAD, _DIGEST_LENGTH, _JOINT = b'{"sha256": "', 64, b'", '
_OBSTACLES = frozenset((errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP))


def content_key(*parts: object) -> str:
    """SHA-256 (hexadecimal) over plain JSON values, in order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class StoreError(Exception):
    """The folder of a store cannot be used. One clear line."""


@dataclass(frozen=True)
class _Place:
    """Where a record stands: ``named``, which it says itself, is what determines ``key``."""

    key: str
    named: Mapping[str, str | None]

    @classmethod
    def of(cls, kind: str, key: str) -> _Place:
        return cls(key, {"kind": kind, "key": key})

    @classmethod
    def of_transcript(cls, audio_sha256: str | None, fingerprint: str, terms: str) -> _Place:
        named = {"kind": TRANSCRIPTS, "audio_sha256": audio_sha256, "fingerprint": fingerprint, "terms": terms}
        return cls(content_key(audio_sha256, fingerprint, terms), named)

    def under(self, root: Path) -> Path:
        return root / str(self.named["kind"]) / self.key[:2] / f"{self.key[2:]}.json"


class Store:
    """A folder of records. Safe to share between processes, threads and runs.

    Raises StoreError where the folder cannot be read or written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._rejected: dict[Path, str] = {}

    def check(self) -> None:
        """Raise StoreError where the path is not and cannot become a folder; creates nothing."""
        there = next(place for place in (self.root.absolute(), *self.root.absolute().parents) if os.path.lexists(place))
        if not there.is_dir():
            raise StoreError(f"store {self.root}: {there} is no folder; name a folder of yours with --t2a-store=DIR")

    @property
    def rejected(self) -> list[str]:
        """One line for each record that is there and was not used: where it is, and why."""
        return [f"{path}: {why}" for path, why in self._rejected.copy().items()]

    def transcript(self, audio_sha256: str, fingerprint: str, bias_sha256: str = "") -> Transcript | None:
        """The stored transcript of this audio by this interface, or None; see `record` for what counts as absent."""
        return self._read(_Place.of_transcript(audio_sha256, fingerprint, bias_sha256), _transcript_in)

    def keep_transcript(self, transcript: Transcript, bias_sha256: str = "") -> None:
        """Store a transcript under its audio and its interface."""
        where = _Place.of_transcript(transcript.audio_sha256, transcript.fingerprint, bias_sha256)
        self._write(where, transcript.to_json())

    def record(self, kind: str, key: str) -> Mapping[str, Any] | None:
        """The plain values stored under a `content_key`, or None.

        What is there but is no whole record of this place, as it was written, counts as absent and is `rejected`.
        """
        return self._read(_Place.of(kind, key), lambda data, _: data)

    def keep_record(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        """Store plain values under the `content_key` of what determines them."""
        self._write(_Place.of(kind, key), data)

    def reject_record(self, kind: str, key: str, why: str) -> None:
        """Count a record as absent that is whole, but not what its reader can use."""
        self._rejected.setdefault(_Place.of(kind, key).under(self.root), why)

    def why_absent(self, kind: str, key: str) -> str | None:
        """Why the record under a key was not used; None where there is no such record."""
        return self._why_absent(_Place.of(kind, key))

    def why_no_transcript(self, audio_sha256: str, fingerprint: str, bias_sha256: str = "") -> str | None:
        """As `why_absent`, for a transcript."""
        return self._why_absent(_Place.of_transcript(audio_sha256, fingerprint, bias_sha256))

    def _why_absent(self, where: _Place) -> str | None:
        path = where.under(self.root)
        return f"the stored record {path} {self._rejected[path]}" if path in self._rejected else None

    def _read(self, where: _Place, understood: Callable[[Mapping[str, Any], _Place], Found]) -> Found | None:
        path = where.under(self.root)
        try:
            return understood(_data_of(read_regular(path), where), where)
        except FileNotFoundError:
            return None
        except OSError as error:
            if not self.root.is_dir() or not os.access(self.root, os.R_OK | os.X_OK):
                raise _unusable(self.root, "read", error) from error
            why = f"cannot be read ({error.strerror})"
        except ValueError as error:
            why = str(error)
        self._rejected.setdefault(path, why)
        return None

    def _write(self, where: _Place, data: Mapping[str, Any]) -> None:
        path, text = where.under(self.root), _record_of(data, where)
        try:
            self._ignore_in_git()
            try:
                write_whole(path, text)
            except OSError as error:
                if error.errno not in _OBSTACLES or not self._clear(path):
                    raise
                write_whole(path, text)
        except OSError as error:
            raise _unusable(self.root, "write", error) from error

    def _clear(self, path: Path) -> bool:
        """Move aside what stands in the way of a record: a folder in its place, a file in that of its folder."""
        folders = [folder for folder in path.parents if folder != self.root and folder.is_relative_to(self.root)]
        odd = [folder for folder in folders if os.path.lexists(folder) and not folder.is_dir()]
        odd += [path] if path.is_dir() and not path.is_symlink() else []
        for place in odd:
            place.rename(place.with_name(f".{place.name}.{secrets.token_hex(4)}"))
        return bool(odd)

    def _ignore_in_git(self) -> None:
        # Only in a folder of our own making: in one that was there, it could hide its owner's files from git.
        if not self.root.exists():
            write_whole(self.root / ".gitignore", "*\n")


def _record_of(data: Mapping[str, Any], where: _Place) -> str:
    """The text of a record; its digest is of the bytes that `write_whole` makes of it."""
    body = json.dumps({"schema": SCHEMA, "place": where.named, "data": data}, ensure_ascii=False)[1:]
    digest = hashlib.sha256(body.encode(errors="backslashreplace")).hexdigest()
    return f"{_HEAD.decode()}{digest}{_JOINT.decode()}{body}"


def _data_of(content: bytes, where: _Place) -> Mapping[str, Any]:
    """The inverse of `_record_of`; raises ValueError with what is wrong, as the rest of a sentence about the record."""
    if content.startswith(b'{"schema": 1,'):
        raise ValueError("was written by an earlier version")
    ends = (0, *accumulate((len(_HEAD), _DIGEST_LENGTH, len(_JOINT))), None)
    head, digest, joint, body = (content[start:end] for start, end in pairwise(ends))
    if (head, joint) != (_HEAD, _JOINT) or hashlib.sha256(body).hexdigest().encode() != digest:
        raise ValueError("does not match its digest")
    try:
        record = mapping(parse_plain(b"{" + body), "it")
        if record.get("schema") != SCHEMA:
            raise ValueError(f"is of schema {record.get('schema')!r:.20}; this version reads {SCHEMA}")
        if record.get("place") != where.named:
            raise ValueError("belongs to another place")
        data = mapping(record.get("data"), "data")
    except TypeError as error:
        raise ValueError(f"is no record ({error})") from None
    fault = plain_fault(data, "data")
    if fault is not None:
        raise ValueError(f"is no plain record ({fault})")
    return data


def _transcript_in(data: Mapping[str, Any], where: _Place) -> Transcript:
    try:
        found = Transcript.from_json(data)
    except KeyError as error:
        raise ValueError(f"is no transcript (it lacks {error})") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"is no transcript ({error})") from None
    if (found.audio_sha256, found.fingerprint) != (where.named["audio_sha256"], where.named["fingerprint"]):
        raise ValueError("is of another recording or interface")
    return found


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
