"""What the exceptions of a WebSocket mean for a call, and how one is closed for good.

Every vendor's SDK stands on the library ``websockets`` and raises its exceptions; they are read here alone.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from pytest_talk2agent.workflows.lines.circuit import LARGEST_EVENT, PONG_SECONDS, LostError

_FINAL = frozenset({1002, 1003, 1007, 1008, 1009, 1010})
"""Close codes that say that another connection would end alike: the protocol, the data, a rule, the size."""
_TOO_BIG = 1009
NO_PONG = f"the server answers no ping within {PONG_SECONDS:g} s"
_CURES = {
    401: "check the key",
    403: "check the key and the model",
    404: "check base_url and the model",
    429: "run again later",
}


def socket_fault(error: BaseException) -> LostError:
    """The fault of a connection, one line that may hold what the server said."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

    if isinstance(error, LostError):
        return error
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        said = f"the server answers with HTTP {status}"
        cure = f"; {_CURES[status]}" if status in _CURES else ""
        return LostError(f"{said}{cure}", passing=status in (408, 429) or status >= 500)
    if isinstance(error, ConnectionClosed):
        if error.sent is not None and error.sent.code == _TOO_BIG:
            return LostError(f"an event of more than {LARGEST_EVENT >> 20} MB", passing=False)
        if error.sent is not None and error.rcvd is None and "ping" in error.sent.reason:
            return LostError(NO_PONG, passing=True)
        return closed_fault(error.rcvd.code if error.rcvd else 1006, error.rcvd.reason if error.rcvd else "")
    if isinstance(error, InvalidHandshake):
        return LostError(f"the server speaks no WebSocket ({error})", passing=False)
    if isinstance(error, OSError):
        return LostError(f"no connection ({error.strerror or error}); check base_url", passing=True)
    if isinstance(error, ValueError | RecursionError):
        return LostError(f"what the server sent is no JSON ({str(error)[:80]})", passing=False)
    return LostError(f"{type(error).__name__}: {error}", passing=False)


async def shut(socket: Any, seconds: float) -> None:
    """Close a WebSocket; one that does not let itself be closed in time is cut off."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(socket.close(), seconds)
    socket.transport.abort()
    await asyncio.sleep(0)  # the loop lets go of the socket


def closed_fault(code: int, reason: str) -> LostError:
    """The fault of a connection that was closed with a code."""
    why = f", {reason}" if reason else ""
    said = "the connection broke off" if code == 1006 else f"the server closed the connection (code {code}{why})"
    return LostError(said, passing=code not in _FINAL)
