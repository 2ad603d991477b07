"""Where a vendor's server is, and which key it gets.

Short on purpose: it decides where a key may go, and nothing else.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pytest_talk2agent.remote.credentials import (
    NO_KEY,
    Key,
    SetupError,
    check_base_url,
    check_key_env,
    masked,
    read_key,
)
from pytest_talk2agent.remote.http import is_local

_TALKATIVE = ("websockets.client", "openai._base_client", "openai._websocket_connection", "google_genai.live")
"""Loggers that write headers, and with them the key, at DEBUG."""


@dataclass(frozen=True)
class Address:
    """A server and its key.

    ``base_url`` is in its plain form, with http or https; `websocket` is the same for WebSockets.
    """

    base_url: str
    key: Key = field(repr=False)
    local: bool

    @property
    def websocket(self) -> str:
        """The address with ws or wss."""
        return f"ws{self.base_url.removeprefix('http')}"

    def clean(self, text: object) -> str:
        """One line of a text that came from elsewhere: without keys and control characters, at most 300 characters."""
        line = "".join(sign if sign.isprintable() else " " for sign in str(text))
        return masked(self.key.redact(" ".join(line.split())))[:300]


def find_address(who: str, base_url: str, key_env: str, *, own: str, default_env: str) -> Address:
    """The address that options give; ``own`` is the vendor's, whose key is in ``default_env``.

    The vendor's key goes to the vendor alone. A server on this machine may do without a key; for any other, which key
    it gets must be said.

    Raises:
        SetupError: for a wrong address, or a key that is not there. Nothing that may be secret is shown.
    """
    check_key_env(key_env)
    url = check_base_url(_as_http(base_url) or own)
    local = is_local(url)
    if not key_env and not local and url != own:
        raise SetupError(
            f"{who}: say which key {url} gets: key_env=NAME for the environment variable that holds it,"
            f" key_env={NO_KEY} for none; {default_env} goes to another server only where it is named"
        )
    quiet()
    return Address(url, read_key(key_env or default_env, needed=bool(key_env) or not local), local)


def _as_http(base_url: str) -> str:
    """An address that was given for WebSockets, as one for HTTP."""
    scheme = urlsplit(base_url).scheme
    return f"http{base_url[2:]}" if scheme in ("ws", "wss") else base_url


class _Masking(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = masked(record.getMessage()), None
        return True


def quiet() -> None:
    """Mask keys in what the SDKs and their WebSockets log. May be called often."""
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        if not any(isinstance(one, _Masking) for one in logger.filters):
            logger.addFilter(_Masking())
