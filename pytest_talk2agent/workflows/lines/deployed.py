"""An agent that is deployed somewhere: how it is reached, what it is told, and how its call ends.

It is called as it is. What it is told beside the sound goes into the headers of the handshake:

    X-Talk2Agent-Session: ID         the ID of posted events
    X-Talk2Agent-Service: URL        where its tools are, see `service`
    X-Talk2Agent-Token: TOKEN        for them; new in each session

Options stand in the fragment of its URL, which no server is ever sent: ``#trace=events&health=none``. The query stays
the agent's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args
from urllib.parse import urlsplit, urlunsplit

from pytest_talk2agent.remote.credentials import SetupError, check_key_env
from pytest_talk2agent.remote.option_text import check_between, check_one_of, read_options, split_options
from pytest_talk2agent.workflows.agents.protocol import AgentError, Briefing
from pytest_talk2agent.workflows.agents.voice import Abilities, Line, LineError
from pytest_talk2agent.workflows.lines.service import Door, ToolService, Trace
from pytest_talk2agent.workflows.lines.wire import Wire

HEALTH_SECONDS = 0.25
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class DeployedOptions:
    """How an agent is reached, and where its tool calls come from.

    ``health`` is the path that answers 200 once the agent can be called; "none" asks nothing. ``wait`` and ``connect``
    are in seconds; the session bounds both together. ``trace``: "tools" (they are ours, over HTTP), "events" or "otel"
    (it tells of its own), "none". ``listen`` is where we are told or asked; ``address`` is what the agent is told
    instead, where it sees this machine under another name. ``simulation`` is the ID of posted events, where the agent
    has a fixed one. ``key_env`` names the variable with the key that the agent wants as a bearer. ``greets`` 0: it
    waits for the user to speak.
    """

    health: str = "/health"
    wait: float = 9.0
    connect: float = 10.0
    trace: str = "tools"
    listen: str = "127.0.0.1:0"
    address: str = ""
    simulation: str = ""
    key_env: str = ""
    greets: int = 1

    def __post_init__(self) -> None:
        check_one_of(self, "trace", get_args(Trace))
        check_between(self, "greets", 0, 1)
        for name in ("wait", "connect"):
            if not 0 < vars(self)[name] <= 600:
                raise ValueError(f"option {name} must be a number of seconds up to 600, not {vars(self)[name]:g}")
        if self.health != "none" and not self.health.startswith("/"):
            raise ValueError(f"option health is a path, such as /health, or none, not {self.health!r}")
        host, _, port = self.listen.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"option listen is HOST:PORT, not {self.listen!r}")
        if self.address and urlsplit(self.address).scheme not in ("http", "https"):
            raise ValueError(f"option address is a URL of http, not {self.address!r}")
        check_key_env(self.key_env, "key_env")


class DeployedAgent(ABC):
    """``NAME:URL[#option=value&...]``.

    Raises:
        AgentError: for a URL that is none, a wrong option, a key that is not there. No secret is shown.
    """

    control = False
    name: ClassVar[str]
    truncates: ClassVar[bool]
    options: DeployedOptions

    def __init__(self, text: str, kind: type[DeployedOptions]) -> None:
        url, _, options = text.partition("#")
        try:
            parts = urlsplit(url)
            fits = parts.scheme in ("ws", "wss") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            fits = False
        if not fits:
            raise AgentError(f"agent {self.name}: write {self.name}:ws://HOST:PORT/PATH, or wss://")
        if parts.username or parts.password:
            raise AgentError(f"agent {self.name}: no password in the URL; put the key into a variable, #key_env=NAME")
        self.url, self._parts = url, parts
        self.who = f"agent {self.name}:{parts.scheme}://{parts.netloc}{parts.path}"
        try:
            self.options = read_options(split_options(options), kind, self.who)
        except (SetupError, ValueError) as error:
            raise AgentError(f"{self.who}: {error}") from None
        if self.options.key_env and not os.environ.get(self.options.key_env):
            raise AgentError(f"{self.who}: the variable {self.options.key_env} of its key is not set")
        try:
            import websockets  # noqa: F401
        except ImportError:
            raise AgentError(f"{self.who}: install pytest-talk2agent[calls], which brings websockets") from None

    @property
    def abilities(self) -> Abilities:
        """What it can do; who makes its tool calls is an option."""
        return Abilities(
            virtual=False,
            yields="agent",
            truncates=self.truncates,
            words=False,
            calls="session" if self.options.trace == "tools" else "posted",
            ends=True,
            finishes=False,
            greets=self.options.greets == 1,
            kept=False,
        )

    def identity(self) -> Mapping[str, str]:
        """Where it is and what it is asked with; its query may hold a key and is there as a SHA-256."""
        shown = urlunsplit((self._parts.scheme, self._parts.netloc, self._parts.path, "", ""))
        query = self._parts.query
        hashed = {"query_sha256": hashlib.sha256(query.encode()).hexdigest()} if query else {}
        quiet = ("wait", "connect", "listen", "address", "key_env", "simulation")
        options = {name: str(value) for name, value in vars(self.options).items() if name not in quiet}
        return {"name": self.name, "url": shown, **hashed, **options}

    def dial(self, briefing: Briefing, *, real: bool) -> Line:
        """Wait until it is well, and call it; it greets.

        Raises:
            AgentError: under the virtual clock.
            LineError: in phase "connect".
        """
        if not real:
            raise AgentError(f"{self.who} keeps the time of the wall; run it under the real clock")
        key = os.environ.get(self.options.key_env, "") if self.options.key_env else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if self.options.health != "none":
            self._wait_until_well(headers)
        door = self.door()
        service = None if self.options.trace == "none" else ToolService(briefing, door, self.options.listen)
        told = {"session": door.call_id}
        if service is not None:
            told |= {"service": self.options.address or service.address, "token": door.token}
        try:
            beside = {f"X-Talk2Agent-{name.title()}": value for name, value in told.items()}
            wire = Wire(self.url, headers=headers | beside, seconds=self.options.connect)
        except BaseException:
            if service is not None:
                service.close()
            raise
        return self.line(wire, service, told, door)

    def door(self) -> Door:
        """The secrets of a session."""
        trace: Trace = self.options.trace  # type: ignore[assignment]  # checked by the options
        return Door(trace, secrets.token_urlsafe(24), self.options.simulation or secrets.token_hex(16))

    @abstractmethod
    def line(self, wire: Wire, service: ToolService | None, told: Mapping[str, str], door: Door) -> Line:
        """The line over a wire that stands."""

    def _wait_until_well(self, headers: Mapping[str, str]) -> None:
        scheme = "https" if self._parts.scheme == "wss" else "http"
        url = urlunsplit((scheme, self._parts.netloc, self.options.health, "", ""))
        proxies = urllib.request.ProxyHandler({} if self._parts.hostname in _LOOPBACK else None)
        opener = urllib.request.build_opener(proxies)
        end = time.monotonic() + self.options.wait
        while True:
            fault = _fault(opener, urllib.request.Request(url, headers=dict(headers)), end - time.monotonic())
            if fault is None:
                return
            if time.monotonic() + HEALTH_SECONDS >= end:
                raise LineError("connect", f"GET {url} was not ok within {self.options.wait:g} s: {fault}")
            time.sleep(HEALTH_SECONDS)


def _fault(opener: urllib.request.OpenerDirector, request: urllib.request.Request, seconds: float) -> str | None:
    """Why the agent is not well, None where it is."""
    try:
        with opener.open(request, timeout=max(0.1, min(5.0, seconds))) as answer:
            body = answer.read(4096)
    except urllib.error.HTTPError as error:
        with error:
            return f"HTTP {error.code}"
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return str((isinstance(reason, OSError) and reason.strerror) or reason)[:200]
    except Exception as error:  # http.client's own, for what is no HTTP
        return f"no answer of HTTP ({type(error).__name__})"
    try:
        status = json.loads(body).get("status", "ok")
    except (ValueError, AttributeError, RecursionError):
        return None  # a page of another form, with 200
    return None if status == "ok" else f"status {str(status)[:40]!r}"
