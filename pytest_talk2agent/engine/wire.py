"""What clients and the model server say to each other: one JSON object a line, over a loopback socket.

Messages::

    client -> server   {"key": SECRET, "jobs": [JOB, ..]}      or "jobs": null, to ask how far it has come
    server -> client   {"job": KEY, "transcript": {..}}        as each is ready
                       {"job": KEY, "failure": "one line"}
                       {"progress": {..}}                      to who asks
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any


def send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    """Send one message whole; raises OSError where the other side is gone."""
    connection.sendall(json.dumps(message).encode() + b"\n")


def messages(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Yield messages until the other side closes; raises ValueError on a line that is no JSON object."""
    with connection.makefile("rb") as stream:
        for line in stream:
            if not line.endswith(b"\n"):
                return
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError("a message is a JSON object")
            yield message
