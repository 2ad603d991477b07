"""Secrets, which must never become terms: files that hold keys, and strings that look like keys."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from importlib.resources import files
from itertools import pairwise
from pathlib import PurePosixPath

SECRET_FILES = files(__package__).joinpath("secret_files.txt").read_text(encoding="utf-8").split()
"""Names (shell patterns, small letters) of files and folders that are neither read nor named."""

_ISSUED = re.compile(
    r"sk[-_](?:live|test|proj|ant|or)[-_]|sk-[A-Za-z0-9]{12}|pk_(?:live|test)_|rk_(?:live|test)_|gh[opsur]_\w{8}|github_pat_"
    r"|glpat-|xox[abeoprs]-|AKIA[0-9A-Z]{8}|ASIA[0-9A-Z]{8}|AIza[\w-]{10}|ya29\.|eyJ[\w-]{8}|hf_[A-Za-z]{12}|npm_\w{12}"
    r"|pypi-\w{8}|SG\.[\w-]{10}|dop_v1_|-----BEGIN"
)
"""Beginnings by which issuers mark their keys."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\s.]+")
_LETTERS = re.compile(r"[a-z]+")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_FOLLOWERS = (
    "a:bcdfgiklmnprstuvwxy b:abeilorstuy c:acehiklortuy d:adegilorsuy e:abcdefghiklmnopqrstuvwxy f:aefilortuy"
    " g:aeghilnoru h:aeimortuy i:abcdefgklmnoprstvxz j:aeou k:ein l:abdefiklmopstuvy m:abeimopuy n:acdefgiknostuvy"
    " o:abcdefgiklmnoprstuvwxy p:aehiloprstuy q:u r:abcdefgiklmnoprstuvy s:acefhiklmnopstuwy t:acehilmorstuwy"
    " u:abcdefgilmnoprst v:aeio w:aehinor x:acipt y:abemnopst z:ae"
)
_COMMON_PAIRS = frozenset(
    first + second for entry in _FOLLOWERS.split() for first, seconds in [entry.split(":")] for second in seconds
)
"""Pairs of letters that stand in at least five of the 3,500 words of ``ordinary_words.txt``."""

_LONG = 16
"""A run of letters and digits is looked at closely from here on."""
_LEAST_PIECE = 3
"""Letters in a row that words in camel case have on average at the least."""
_LEAST_PAIRS = 6
_RARE_SHARE = 5
"""One pair of letters in five may be rare. Of 1,800 long identifiers of Python's library 0.4 % have more."""


def is_secret_file(path: str) -> bool:
    """A part of the path is the name of a file or folder that holds keys."""
    parts = PurePosixPath(path.replace("\\", "/").lower()).parts
    return any(fnmatchcase(part, pattern) for part in parts for pattern in SECRET_FILES)


def looks_secret(text: str) -> bool:
    """The text holds what may be a key, token, hash or card number rather than a name.

    Known beginnings of issued keys; UUIDs; long words that change too often between letters, digits and capitals to be
    names, or whose letters follow each other as they do in no English word; 13 digits in a row. It errs on the side of
    "yes". A password of a few letters, or one made of words, has no form by which it could be told.
    """
    if _ISSUED.search(text) or _UUID.search(text):
        return True
    return any(_is_random(run) for run in _RUN.findall(text)) or any(map(_is_ragged, _WORD.findall(text)))


def _is_ragged(word: str) -> bool:
    """A long word that marks (`-`, `_`, `+`, `/`, `=`) divide, made of pieces too short or too odd to be words."""
    pieces = _PIECE.findall(word)
    return sum(map(len, pieces)) >= _LONG and (_is_odd(word) or (_is_short(pieces) and not word.islower()))


def _is_random(run: str) -> bool:
    pieces = _PIECE.findall(run)
    numbers = sum(piece.isdecimal() for piece in pieces)
    if len(run) < _LONG:
        # `h264` and `sha256sum` are names, `x7k2p9qa` is not.
        return (len(run) >= 8 and numbers >= 2 and len(pieces) >= 4) or (len(run) >= 13 and run.isdecimal())
    return run.isdecimal() or numbers >= 2


def _is_short(pieces: list[str]) -> bool:
    return sum(map(len, pieces)) < _LEAST_PIECE * len(pieces)


def _is_odd(word: str) -> bool:
    pairs = [first + second for run in _LETTERS.findall(word.lower()) for first, second in pairwise(run)]
    rare = sum(pair not in _COMMON_PAIRS for pair in pairs)
    return len(pairs) >= _LEAST_PAIRS and rare * _RARE_SHARE >= len(pairs)
