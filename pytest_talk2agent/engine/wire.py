"""What clients and the model server say to each other over a loopback socket: a key, then one JSON object a line.

Messages::

    client -> server   KEY                                     alone on the first line
                       {"jobs": [JOB, ..], "again": BOOL}      "again": jobs that failed are tried once more
                       {"identify": SPEC}                      what a condition is
    server -> client   {"job": KEY, "transcript": {..}}        as each is ready
                       {"job": KEY, "failure": "one line"}
                       {"identity": {..}}                      the answer to "identify"
                       {"unknown": "one line"}                 where it cannot be known
"""

from __future__ import annotations

import hmac
import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any

MOST = 256 * 2**20
"""Bytes that a message may have: more than the longest list of jobs, less than what would fill a machine."""


def send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    """Send one message whole; raises OSError where the other side is gone."""
    connection.sendall(json.dumps(message).encode() + b"\n")


def send_key(connection: socket.socket, key: str) -> None:
    """Send the key; raises OSError where the other side is gone."""
    connection.sendall(key.encode() + b"\n")


def has_key(connection: socket.socket, key: str, seconds: float) -> bool:
    """Whether the other side begins with the key; reads no byte more, and waits no longer than ``seconds``."""
    wanted = key.encode() + b"\n"
    got = b""
    connection.settimeout(seconds)
    try:
        while len(got) < len(wanted):
            more = connection.recv(len(wanted) - len(got))
            if not more:
                break
            got += more
    except OSError:
        return False
    connection.settimeout(None)
    return hmac.compare_digest(got, wanted)


def messages(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Yield messages until the other side closes; raises ValueError on a line that is no JSON object, or too long."""
    with connection.makefile("rb") as stream:
        while line := stream.readline(MOST):
            if not line.endswith(b"\n"):
                if len(line) == MOST:
                    raise ValueError("a message is too long")
                return
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError("a message is a JSON object")
            yield message
