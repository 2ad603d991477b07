"""Keys: where they come from, the one request header that they go into, and how they are kept out of everything else.

The key of a served model comes from the environment. A key may also have been written into a spec string, as
``--key=$ASR_KEY`` is once a shell has read it; the environment still tells that it is one. So a text that holds the
value of a variable whose name looks like a key's gets the name in its place.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

DEFAULT_KEY_ENV = "OPENAI_API_KEY"
NO_KEY = "none"
"""What ``key_env`` says where no key is to be sent."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_SENDABLE = re.compile(r"[\x21-\x7e]+")
_HIDDEN = "[key]"
_SHORTEST = 8
_KEY_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL", re.IGNORECASE)
_PLAIN = re.compile(r"[\w@%+=:,./{}*-]+")


class MaskedError(Exception):
    """An error of one clear line, in which keys are masked."""

    def __init__(self, message: object) -> None:
        super().__init__(masked(str(message)))


class SetupError(MaskedError):
    """A served model cannot be asked at all: a wrong address, no key, no httpx."""


class Key:
    """A secret that prints as "[key]"; without one it stands for a server that takes none.

    Secrets of fewer than 8 characters are stand-ins ("EMPTY", "x") that some servers ask for: they are sent, but not
    looked for in what comes back, where they would tear words apart.
    """

    def __init__(self, secret: str = "") -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return f"Key({_HIDDEN if self._secret else ''})"

    @property
    def secret(self) -> str:
        """The secret itself, for a vendor's SDK that makes the header; empty where there is no key."""
        return self._secret

    def headers(self) -> dict[str, str]:
        """The request header that carries the key; none where there is no key."""
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def redact(self, text: str) -> str:
        """A text without the key, plain or as part of a URL."""
        if len(self._secret) < _SHORTEST:
            return text
        return text.replace(self._secret, _HIDDEN).replace(quote(self._secret, safe=""), _HIDDEN)

    def redacted(self, value: Any) -> Any:
        """A JSON value whose texts and names are without the key."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {self.redact(name): self.redacted(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.redacted(inner) for inner in value]
        return value


def check_key_env(key_env: str, option: str = "key_env") -> None:
    """Raise SetupError where this can be no variable's name. It may be the key itself, so it is not shown."""
    if key_env not in ("", NO_KEY) and not _VARIABLE.fullmatch(key_env):
        raise SetupError(
            f"option {option} names the environment variable that holds the key, in capitals, as OPENAI_API_KEY;"
            f" what it was given is no such name (it is not shown, as it may be a key). For no key, {option}={NO_KEY}"
        )


def check_base_url(base_url: str, prefix: str = "") -> str:
    """A base URL in its plain form, without a slash at its end.

    Raises SetupError, without showing it, where it is no address of a server or holds more than one: a user, a
    password or a query are where keys end up in logs.
    """
    try:
        parts = urlsplit(base_url.strip())
        address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        address = False
    if not address:
        raise SetupError(f"{prefix}base_url is no address of a server; write it as https://HOST[:PORT]/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise SetupError(
            f"{prefix}base_url may hold no user, password or query (it is not shown, as they may be secret); write it"
            f" as https://HOST[:PORT]/v1 and name the environment variable that holds the key with {prefix}key_env=NAME"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def read_key(key_env: str, option: str = "key_env", *, needed: bool) -> Key:
    """The key that an environment variable holds.

    Raises SetupError where it is needed and not there, or holds what no header can carry.
    """
    if key_env == NO_KEY:
        return Key()
    secret = os.environ.get(key_env, "").strip()
    if not secret and needed:
        cure = f"set it, or name another with {option}=NAME"
        raise SetupError(f"no key in the environment variable {key_env}; {cure}")
    if secret and not _SENDABLE.fullmatch(secret):
        raise SetupError(f"the key in {key_env} holds blanks or characters beyond ASCII; copy it again")
    return Key(secret)


def secrets_of(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and values of what looks like keys, the longest value first. A value that names a file is not one."""
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
