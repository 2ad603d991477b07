"""The key of a served model: it comes from the environment and goes into one request header, nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pytest_talk2agent.interfaces.utterance import InterfaceError

DEFAULT_KEY_ENV = "OPENAI_API_KEY"
NO_KEY = "none"
"""What ``key_env`` says where no key is to be sent."""

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_SENDABLE = re.compile(r"[\x21-\x7e]+")
_HIDDEN = "[key]"
_SHORTEST = 8


class Key:
    """A secret that prints as "[key]"; without one it stands for a server that takes none.

    Secrets of fewer than 8 characters are stand-ins ("EMPTY", "x") that some servers ask for: they are sent, but not
    looked for in what comes back, where they would tear words apart.
    """

    def __init__(self, secret: str = "") -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return f"Key({_HIDDEN if self._secret else ''})"

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
    """Raise InterfaceError where this can be no variable's name. It may be the key itself, so it is not shown."""
    if key_env not in ("", NO_KEY) and not _VARIABLE.fullmatch(key_env):
        raise InterfaceError(
            f"option {option} names the environment variable that holds the key, in capitals, as OPENAI_API_KEY;"
            f" what it was given is no such name (it is not shown, as it may be a key). For no key, {option}={NO_KEY}"
        )


def read_key(key_env: str, option: str = "key_env", *, needed: bool) -> Key:
    """The key that an environment variable holds.

    Raises InterfaceError where it is needed and not there, or holds what no header can carry.
    """
    if key_env == NO_KEY:
        return Key()
    secret = os.environ.get(key_env, "").strip()
    if not secret and needed:
        cure = f"set it, or name another with {option}=NAME"
        raise InterfaceError(f"no key in the environment variable {key_env}; {cure}")
    if secret and not _SENDABLE.fullmatch(secret):
        raise InterfaceError(f"the key in {key_env} holds blanks or characters beyond ASCII; copy it again")
    return Key(secret)
