"""Keys that stand in a spec string, kept out of everything that is shown or recorded.

A key belongs into the environment. Where it was also written into a command's words, as ``--key=$ASR_KEY`` is once a
shell has read it, the environment still tells that it is one: a text that holds the value of a variable whose name
looks like a key's gets the name in its place.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from urllib.parse import quote

_KEY_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL", re.IGNORECASE)
_PLAIN = re.compile(r"[\w@%+=:,./{}*-]+")
_SHORTEST = 8


def secrets_of(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and values of what looks like keys, the longest value first. A value that names a file is none."""
    found = [
        (name, value.strip())
        for name, value in environment.items()
        if _KEY_NAME.search(name) and len(value.strip()) >= _SHORTEST and not _is_path(value.strip())
    ]
    return sorted(found, key=lambda secret: (-len(secret[1]), secret[0]))


def masked(text: str, secrets: Iterable[tuple[str, str]] | None = None) -> str:
    """A text with ``***NAME***`` in place of each key: of some (`secrets_of`), else of those in the environment."""
    for name, value in secrets_of(os.environ) if secrets is None else secrets:
        for form in (value, repr(value)[1:-1], quote(value, safe="")):
            text = text.replace(form, f"***{name}***")
    return text


def masked_words(text: str) -> str:
    """A text that is split like a shell's, with its keys masked, also where quotes or backslashes tear them apart.

    With a key in it the words are put together anew, so that the text does not tell which quotes the key needed.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return masked(text)
    hidden = [masked(word) for word in words]
    if hidden == words:
        return text
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in hidden)


def _is_path(value: str) -> bool:
    return os.sep in value and os.path.lexists(value)
