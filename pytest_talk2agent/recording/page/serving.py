"""The server of the page: on this machine alone, unless the operator says under which address others reach it."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import uvicorn

    from pytest_talk2agent.recording.page.guard import App

PORT = 8765
LARGEST_MESSAGE = 1 << 16
"""Bytes of one message on a web socket: more than half a second of sound."""
PING_SECONDS = 5.0
"""How often a page on a web socket is asked whether it is there, and how long it may take to say so."""


class ServingError(ValueError):
    """The page cannot be served like this; one line."""


@dataclass(frozen=True)
class Place:
    """Where the page is served and under which address speakers have it.

    ``url`` is that address where it is another one than that of the server, such as that of a proxy or a tunnel.
    Raises ServingError for an address at which browsers give no page a microphone: one of another machine without TLS.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    url: str = ""
    certificate: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ServingError("--certificate and --key belong together; give both, or neither")
        for path in (self.certificate, self.key):
            if path is not None and not path.is_file():
                raise ServingError(f"{path}: no such file; check --certificate and --key")
        if self.url:
            parts = urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
                raise ServingError(f"--url {self.url}: no address; write one such as https://studio.example:8765")
            if parts.scheme == "http" and not _is_loopback(parts.hostname):
                raise ServingError(f"--url {self.url}: browsers give a microphone to https alone; use a certificate")
        elif not _is_loopback(self.host):
            raise ServingError(f"--host {self.host}: say with --url https://.. at which address speakers open the page")

    def origins(self, port: int) -> list[str]:
        """The origins under which the page may be open, the one for links first; ``port`` is what was listened on."""
        scheme = "http" if self.certificate is None else "https"
        local = [f"{scheme}://{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
        return [_origin(self.url), *local] if self.url else local


def _origin(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + ("" if parts.port in (None, usual) else f":{parts.port}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(place: Place) -> socket.socket:
    """A socket that listens at a place; raises ServingError where it is taken."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((place.host, place.port))
    except OSError as error:
        found.close()
        raise ServingError(f"{place.host}:{place.port}: {error.strerror}; choose another with --port") from None
    found.listen(64)
    return found


def serve(app: App, place: Place, listening: socket.socket) -> None:
    """Serve until the process is told to end. Imports uvicorn, the extra `record`."""
    server_of(app, place).run(sockets=[listening])


def server_of(app: App, place: Place, *, sockets: bool = False) -> uvicorn.Server:
    """The server of an app; with ``sockets`` it takes web sockets, which needs websockets, the extra `calls`."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio" if sockets else "none",
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=100,
        timeout_graceful_shutdown=5,
        ssl_certfile=None if place.certificate is None else str(place.certificate),
        ssl_keyfile=None if place.key is None else str(place.key),
    )
    return uvicorn.Server(config)
