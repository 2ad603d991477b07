"""A cheap look at a file that tells whether it is meant to hold tasks.

A project is full of other YAML, much of it with a key ``instruction`` or ``id``, so the keys of a whole document are
weighed. Only the head of a file is read, and more of it only while the keys so far are those of tasks. Nothing is
parsed: a file that is meant to hold tasks and is not valid YAML is an error worth showing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

Claim = Literal["tasks", "broken", "other"]

STEPS = (8_192, 65_536, 1_048_576)
"""Bytes. How far a file is read: the next step is taken only where the keys read so far leave it open."""

NEAR = 0.85
"""The least similarity (of difflib) of a misspelt key. ``interactions``, of cassettes, has 0.82 to ``intentions``."""

_OWN = frozenset(("script", "recordings", "fixed", "let", "groups", "polarity", "thresholds", "assumptions"))
"""Keys of a task that are rare beside ``instruction`` in other files."""

_SIGNATURE = frozenset(("instruction", "intentions"))
_KNOWN = _OWN | _SIGNATURE | {"id", "tags", "value", "range", "source", "context", "execution", "language", "unscored"}
_DOCUMENT = re.compile(r"\n(?:---|\.\.\.)(?=[ \t\n]|$)")
_NAME = r"""(?P<quote>["']?)(?P<name>[A-Za-z_][\w-]*)(?P=quote)"""
_KEY = re.compile(rf"\n(?P<explicit>\? +)?{_NAME}[ \t]*(?:(?P<colon>:)(?=\s|$)|(?=\n|$))")
_TABBED = re.compile(rf"\n\t+{_NAME}[ \t]*(?P<colon>:)(?=\s|$)")
_INDENT = re.compile(r"\n( +)(?=[^\s#])")
_CONTENT = re.compile(r"\n[ \t]*(?=[^\s#%])")
_FLOW = re.compile(r"""[{}\[\],:]|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|#[^\n]*|[^\s{}\[\],:"'#]+""", re.DOTALL)
_SAY = re.compile(r"""[\s{,]["']?say["']?[ \t]*:\s""")
_PINNED = re.compile(r"""["']?prompt_sha256["']?[ \t]*:\s""")
_BEFORE = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*")
_FIRST = re.compile(r"(?P<indent> *)(?P<item>- +)?")
_LISTED = re.compile(r"\s*\[\s*(?=\{)")
_HEADER = frozenset(("suite",))
_WRAPPERS = frozenset(("task", "tasks", "suite", "suites"))
_DEEPEST = 3
"""How many keys or lists a task may be nested in and still be seen to be one."""


def classify(path: Path) -> Claim:
    """Whether a file is one of tasks (``tasks``), is meant to be and cannot be read as one (``broken``), or neither.

    ``broken`` is a file in UTF-16 or UTF-32, with NUL bytes, cut off before its intentions, or with keys misspelt; the
    loader says which. What is no regular file, or cannot be opened, is ``other``.
    """
    try:
        # Without waiting: a named pipe in a folder of tests has no writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return "other"
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "other"
        head = b""
        for size in STEPS:
            piece = os.read(descriptor, size - len(head))
            head += piece
            claim = classify_head(head, whole=len(head) < size)
            if claim is not None:
                return claim
        return classify_head(head, whole=True) or "other"
    except OSError:
        return "other"
    finally:
        os.close(descriptor)


def classify_head(head: bytes, *, whole: bool) -> Claim | None:
    """As `classify`, of the first bytes of a file; None where more of them are needed, which ``whole`` rules out."""
    encoding = wide_encoding(head)
    wide = encoding is not None or b"\0" in head
    if not wide and not head.isascii():
        head = head.removeprefix(b"\xef\xbb\xbf")
    text = head.decode(encoding, "replace") if encoding else head.replace(b"\0", b"").decode("latin-1")
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    claim = _classify_text("\n" + text, whole)
    return "broken" if wide and claim == "tasks" else claim


def wide_encoding(head: bytes) -> str | None:
    """The encoding of a text of two or four bytes a character; its ASCII characters have NULs at fixed places."""
    for mark, name in ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be")):
        if head.startswith(mark):
            return name
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            return name
    start = head[:400]
    count = start.count(0)
    if 4 * count < len(start):
        return None
    zeros = [start[place::4].count(0) for place in range(4)]
    most = len(start) / 4 * 0.6
    pattern = "".join("0" if zero >= most else "x" for zero in zeros)
    return {"x000": "utf-32-le", "000x": "utf-32-be", "x0x0": "utf-16-le", "0x0x": "utf-16-be"}.get(pattern)


def _classify_text(text: str, whole: bool) -> Claim | None:
    after_header = False
    starts = [0, *(found.end() for found in _DOCUMENT.finditer(text))]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        document = text[start:end]
        open_end = end is None and not whole
        keys = _Keys(document, cut=end is None)
        if "intentions" in document and _holds_a_task(keys, _DEEPEST):
            return "broken"
        if keys.empty:
            if open_end:
                return None
            continue
        if set(keys.names) == _HEADER:
            if open_end:
                return None
            after_header = end is not None and keys.is_mapping("suite")
            continue
        if open_end and not keys.foreign:
            return None
        claim = keys.claim(after_header)
        if claim != "other":
            return claim
        after_header = False
    return "broken" if after_header else "other"


def _holds_a_task(keys: _Keys, depth: int) -> bool:
    """Whether a document is no task, but a list whose first is one, or has one below its only key, which says so."""
    if len(keys.names) > 1 or keys.empty or not depth or not _WRAPPERS.issuperset(map(str.casefold, keys.names)):
        return False
    below = _below("".join(keys.document[place:] for place in keys.values.values()) or keys.document)
    inner = _Keys(below, cut=keys.cut)
    return below != keys.document and (inner.claim(False) == "tasks" or _holds_a_task(inner, depth - 1))


def _below(text: str) -> str:
    """What stands in a list or below a key, with its keys at the beginning of lines."""
    text = _BEFORE.sub("", text.lstrip(":"))
    first = _FIRST.match(text)
    assert first is not None, "it matches anything"
    indent = first["indent"]
    if first["item"]:
        text = text.replace(f"\n{indent}- ", f"\n{' ' * first.end()}")
    return (
        "\n" + text[first.end() :].replace(f"\n{' ' * first.end()}", "\n") if first.end() else _LISTED.sub("\n", text)
    )


class _Keys:
    """The top-level keys of one document, as far as it was read."""

    def __init__(self, document: str, *, cut: bool) -> None:
        self.document = document if document.startswith("\n") else "\n" + document.lstrip(" \t")
        self.cut = cut
        self.values: dict[str, int] = {}
        self.names: list[str] = []
        first = _CONTENT.search(self.document)
        self.empty = first is None
        self.flow = first is not None and self.document.startswith("{", first.end())
        if first is None or self.document.startswith("- ", first.end()):
            return
        for name, place in self._flow_keys(first.end()) if self.flow else self._block_keys():
            self.values.setdefault(name, place)
        self.names = list(self.values)

    def _block_keys(self) -> Iterator[tuple[str, int]]:
        text = self.document
        if _KEY.search(text) is None and (indent := _INDENT.search(text)):
            text = self.document = text.replace("\n" + indent[1], "\n")
        for found in _KEY.finditer(text):
            last = self.cut and found.end() == len(text)
            if found["colon"] or found["explicit"]:
                yield found["name"], found.end()
            elif last and len(found["name"]) > 1 and (whole := _completed(found["name"])):
                yield whole, found.end()
        if "\n\t" in text:  # no indentation in YAML
            for found in _TABBED.finditer(text):
                if _meant(found["name"]) in _KNOWN:
                    yield found["name"], found.end()

    def _flow_keys(self, start: int) -> Iterator[tuple[str, int]]:
        depth, last = 0, ""
        for found in _FLOW.finditer(self.document, start):
            token = found[0]
            if token in "{[":
                depth += 1
            elif token in "}]":
                depth -= 1
                if not depth:
                    return
            elif token == ":" and depth == 1 and last:
                yield last.strip("\"'"), found.end()
            last = "" if token in "{}[],:" else token

    @property
    def foreign(self) -> bool:
        """Whether nothing that follows could make the document a task."""
        if not self.names:
            return True
        meant = [_meant(name) for name in self.names]
        return not _SIGNATURE.intersection(meant) and not all(name in _KNOWN for name in meant)

    def claim(self, after_header: bool) -> Claim:
        """What the document is, if it is all there."""
        meant = {_meant(name): name for name in reversed(self.names)}
        ours = _KNOWN.intersection(meant)
        strange = len(meant) - len(ours)
        exact = _KNOWN.intersection(self.names)
        if self.names == ["intentions"] and self._is_unclosed("intentions"):
            return "broken"
        partners = {"id", "instruction", "value", "script"}
        if "intentions" in ours and self.is_mapping(meant["intentions"], trusted="instruction" in exact):
            says = _SAY.search(self.document, self.values[meant["intentions"]]) is not None
            if "intentions" in exact and (says or partners & exact):
                return "tasks"
            if (says and partners & ours) or "instruction" in exact or {"id", "value"} <= exact:
                return "broken"
        if "instruction" in ours and "id" in exact and not strange and ("instruction" in exact or ours & _OWN):
            return "broken"
        if {"instruction", "id", "value"} <= ours and (ours & _OWN or _SAY.search(self.document)):
            return "broken"
        if {"id", "value"} <= exact and len(exact & _OWN) > 1:
            return "broken"
        if {"id", "source"} <= exact and _PINNED.search(self.document, self.values["source"]):
            return "broken"
        return "broken" if after_header and ours and not strange else "other"

    def _is_unclosed(self, key: str) -> bool:
        rest = self.document[self.values[key] :].lstrip(" \t")
        return rest.startswith(("[", "{")) and sum(map(rest.count, "[{")) > sum(map(rest.count, "]}"))

    def is_mapping(self, key: str, *, trusted: bool = False) -> bool:
        """Whether the value of a key is a mapping, or may be: it is empty, an alias, or cut off."""
        rest = self.document[self.values[key] :].lstrip(":")
        line, _, below = rest.partition("\n")
        line = re.sub(r"^[ \t]*(?:&\S+)?[ \t]*(?:#.*)?", "", line)
        if line:
            return trusted or line[0] in "{*"
        below = re.sub(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*", "", below)
        return trusted or not below.lstrip(" \t").startswith("- ")


def _completed(piece: str) -> str | None:
    """The key that a file's last word is the beginning of, where the file was cut off in it."""
    return next((key for key in sorted(_KNOWN) if key.startswith(piece)), None)


@lru_cache(maxsize=4096)
def _meant(name: str) -> str:
    """The task key that a name is or misspells; else the name."""
    if name in _KNOWN:
        return name
    plain = name.casefold().strip("_-")
    if plain in _KNOWN:
        return plain
    if not 8 <= len(plain) <= 14:
        return name
    from difflib import SequenceMatcher

    for key in ("intentions", "instruction"):
        matcher = SequenceMatcher(None, plain, key, autojunk=False)
        if matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR:
            return key
    return name
