"""The one client for models that are served over HTTP: keys, time-outs, retries, and one clear line for each fault.

A request is one attempt or several. What may pass (429, 5xx, time-outs, broken connections, bodies that end early) is
tried again with exponential back-off, no earlier than a Retry-After says; everything else is final at once. The wait
has a random part, so that requests that were turned away together do not come back together.

The environment's proxies and certificates hold for every server but those of this machine (``localhost`` and loopback
addresses), which no proxy can reach. Redirections are not followed: they could carry the key elsewhere.
"""

from __future__ import annotations

import ipaddress
import json as json_module
import logging
import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_talk2agent.remote.credentials import (
    DEFAULT_KEY_ENV,
    NO_KEY,
    Key,
    SetupError,
    check_base_url,
    check_key_env,
    read_key,
)
from pytest_talk2agent.remote.fault import ProviderError, described, fault_in, fault_of
from pytest_talk2agent.remote.stream import is_stream, whole
from pytest_talk2agent.remote.timed_request import Answer, Line
from pytest_talk2agent.tasks.files import each_key_once

if TYPE_CHECKING:
    import ssl

OPENAI = "https://api.openai.com/v1"
_SOUND = ("audio/", "application/octet-stream")
LONGEST_WAIT = 60.0
"""The most seconds that are waited before an attempt; a server that asks for more is not asked again."""


@dataclass(frozen=True)
class Reply:
    """What a server answered: its JSON object and its headers (names in lower case), both without the key."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]


class Endpoint:
    """A server that speaks the OpenAI protocol. Safe for threads. ``name`` is who asks, for messages.

    ``base_url`` is by default that of the environment variable OPENAI_BASE_URL, else OpenAI's own. ``key_env`` names
    the environment variable of the key: OPENAI_API_KEY by default, but only for these two and for servers on this
    machine, which may do without; for any other ``base_url`` it must be said, so that no key goes to a stranger. "none"
    sends no key. ``timeout`` is for one attempt, from connecting to the last byte, in seconds; ``attempts`` counts the
    first; ``first_wait`` seconds, doubled each time, lie between two. ``prefix`` is that of the options by which a user
    sets these, for messages.

    Raises SetupError where ``base_url`` or ``key_env`` is wrong; nothing that may be a secret is shown.
    """

    def __init__(
        self,
        name: str,
        base_url: str = "",
        key_env: str = "",
        *,
        timeout: float = 120.0,
        attempts: int = 4,
        first_wait: float = 1.0,
        prefix: str = "",
    ) -> None:
        self._option = f"{prefix}key_env"
        check_key_env(key_env, self._option)
        self.base_url = check_base_url(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI, prefix)
        self._name = name
        self._timeout = timeout
        self._attempts = attempts
        self._first_wait = first_wait
        self._local = is_local(self.base_url)
        if base_url and not key_env and not self._local and self.base_url != OPENAI:
            raise SetupError(
                f"{name}: say which key {self.base_url} gets: {self._option}=NAME for the environment variable that"
                f" holds it, {self._option}={NO_KEY} for none; {DEFAULT_KEY_ENV} goes to another server only where it"
                " is named"
            )
        self._key_env = key_env or DEFAULT_KEY_ENV
        self._key_needed = bool(key_env) or not self._local
        self._opening = threading.Lock()
        self._opened: Key | None = None
        self._certificates: ssl.SSLContext | None = None
        self._idle: list[Line] = []
        weakref.finalize(self, _close_all, self._idle)

    def check(self) -> None:
        """Raise SetupError where httpx is not installed or the key is not there. Sends and imports nothing."""
        self._require_httpx()
        read_key(self._key_env, self._option, needed=self._key_needed)

    def post(
        self,
        path: str,
        *,
        json: Mapping[str, Any] | None = None,
        data: Mapping[str, str] | None = None,
        files: Mapping[str, tuple[str, bytes, str]] | None = None,
        again: Callable[[ProviderError], None] | None = None,
    ) -> Reply:
        """Post a JSON object, or a form with files (field to file name, content, media type); get a JSON object.

        ``again`` is called before each further attempt with the fault of the one before; what it raises ends the
        request. Raises ProviderError where every attempt failed, SetupError where `check` does.
        """
        attempt = 1
        while True:
            try:
                return self._attempt(path, json=json, data=data, files=files)
            except ProviderError as error:
                wait = self._first_wait * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)
                wait = max(min(wait, LONGEST_WAIT), error.wait or 0.0)
                if not error.passing or attempt == self._attempts or wait > LONGEST_WAIT:
                    raise error.after(attempt) from None
                time.sleep(wait)
                if again is not None:
                    again(error)
                attempt += 1

    def _require_httpx(self) -> None:
        if find_spec("httpx") is None:
            raise SetupError(f'{self._name} needs the package httpx; pip install "pytest-talk2agent[http]"')

    def _key(self) -> Key:
        with self._opening:
            if self._opened is None:
                self._require_httpx()
                self._opened = read_key(self._key_env, self._option, needed=self._key_needed)
            return self._opened

    def _line(self) -> Line:
        """An idle connection: one that was kept, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        import httpx

        # At DEBUG httpcore logs the headers that come back, and a server may echo the key in one.
        logging.getLogger("httpcore").setLevel(logging.INFO)
        try:
            with self._opening:
                if self._certificates is None:  # to read them takes longer than all else
                    self._certificates = httpx.create_ssl_context(trust_env=not self._local)
            return Line(httpx.Client(trust_env=not self._local, verify=self._certificates))
        except Exception as error:
            raise SetupError(
                f"{self._name}: cannot set up a connection ({type(error).__name__}); check the proxy and certificate"
                " settings of the environment (HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE)"
            ) from None

    def _attempt(self, path: str, **content: Any) -> Reply:
        key = self._key()
        try:
            came = self._exchanged(key, f"{self.base_url}/{path.lstrip('/')}", content)
            headers = key.redacted(came.headers)
            answer = key.redacted(_content(came))
            if not 200 <= came.status < 300:
                raise fault_of(came.status, answer, headers)
            if not isinstance(answer, dict):
                raise ProviderError("malformed", f"the answer is no JSON object{described(answer)}", charged=True)
            if (fault := fault_in(answer, headers)) is not None:
                raise fault
        except RecursionError:
            raise ProviderError(
                "malformed", f"{self._name} at {self.base_url}: an answer that is nested too deeply", charged=True
            ) from None
        except ProviderError as error:
            error.message = key.redact(error.message)
            raise error.at(f"{self._name} at {self.base_url}") from None
        return Reply(answer, headers)

    def _exchanged(self, key: Key, url: str, content: Mapping[str, Any]) -> Answer:
        line = self._line()
        try:
            answer = line.post(url, key.headers(), content, self._timeout)
        except BaseException:
            line.close()
            raise
        self._idle.append(line)
        return answer


def is_local(base_url: str) -> bool:
    """Whether a server is on this machine, by its address alone."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _content(came: Answer) -> Any:
    """What a body says: sound as ``audio``, a stream of a completion as the completion, else its JSON value or text."""
    if 200 <= came.status < 300 and came.headers.get("content-type", "").startswith(_SOUND):
        return {"audio": came.body}
    if 200 <= came.status < 300 and is_stream(came.headers):
        return whole(came.body.decode("utf-8", errors="replace"))
    return _parsed(came.body)


def _parsed(raw: bytes) -> Any:
    """The JSON value of a body, or its text where it is not JSON."""
    text = raw.decode("utf-8", errors="replace")
    try:
        return json_module.loads(text, parse_constant=_refuse, object_pairs_hook=each_key_once)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _close_all(lines: list[Line]) -> None:
    while lines:
        lines.pop().close()
