"""One request and its answer over a connection of its own, for no longer than it is allowed.

httpx times each read anew, so that a server which sends a byte a second never makes it wait too long. Here the exchange
runs in a thread; when its time is over its sockets are shut, in whatever phase it is, and the caller goes on.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.remote.fault import ProviderError

if TYPE_CHECKING:
    import httpx

LARGEST_BODY = 16 << 20
_CONNECT = 10.0
_TAKEN = "gzip, deflate"
"""What an answer may be packed in. Once: what is packed twice, or by a better packer, may have no end."""
_HEADERS_TOO_LONG = "Receive buffer too long"  # h11 takes 100 kB, and says so


@dataclass(frozen=True)
class Answer:
    """An answer as it came: its status, its headers (names in lower case), its body."""

    status: int
    headers: dict[str, str]
    body: bytes


class Line:
    """A client that makes one request at a time; its connection is kept from one to the next."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._kept: socket.socket | None = None

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def post(self, url: str, headers: Mapping[str, str], content: Mapping[str, Any], seconds: float) -> Answer:
        """Post ``content`` (keywords of httpx) and get the answer, within so many seconds from first to last.

        Raises ProviderError where none arrives, or not all of it. After an error the line is of no further use.
        """
        call = _Call(self._client, self._kept)
        done: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()

        def work() -> None:
            try:
                done.put(call.answer(url, headers, content, seconds))
            except BaseException as error:
                done.put(error)
            finally:
                call.release()

        threading.Thread(target=work, name="t2a-exchange", daemon=True).start()
        try:
            outcome = done.get(timeout=seconds)
        except queue.Empty:
            # Connecting cannot be stopped, as there is no socket to shut yet; the system ends it in its own time.
            raise call.late(seconds) from None
        finally:
            call.over()
        self._kept = call.kept
        if isinstance(outcome, ProviderError):
            raise outcome
        if isinstance(outcome, Exception):
            raise _fault(outcome, call, seconds) from None
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


class _Call:
    """One exchange, and what is needed to end it from another thread."""

    def __init__(self, client: httpx.Client, kept: socket.socket | None) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._over = False
        self._answered = False
        self._copies: list[socket.socket] = []
        self.kept = kept
        self._sent = False

    def answer(self, url: str, headers: Mapping[str, str], content: Mapping[str, Any], seconds: float) -> Answer:
        import httpx

        timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT))
        extensions = {"trace": self._traced}
        raw = bytearray()
        asked = {**headers, "Accept-Encoding": _TAKEN}
        with self._client.stream(
            "POST", url, headers=asked, timeout=timeout, extensions=extensions, **content
        ) as response:
            self.kept = response.extensions["network_stream"].get_extra_info("socket")
            packed = response.headers.get("content-encoding", "").lower()
            if "," in packed or packed.strip() in ("br", "zstd"):
                raise ProviderError(
                    "malformed", f"an answer packed as {packed[:60]!r}; {_TAKEN} are taken", charged=True
                )
            for piece in response.iter_bytes():
                raw += piece
                if len(raw) > LARGEST_BODY:
                    raise ProviderError("malformed", f"an answer of more than {LARGEST_BODY >> 20} MB", charged=True)
            answer = Answer(response.status_code, dict(response.headers), bytes(raw))
        self._answered = True
        return answer

    def late(self, seconds: float) -> ProviderError:
        """The fault of an exchange that took too long."""
        if not self._sent:
            return ProviderError("unreachable", "no connection in time; check base_url and the network")
        return ProviderError("timeout", f"no whole answer within {seconds:g} s; raise timeout=SECONDS", charged=True)

    def over(self) -> None:
        """End the exchange where it still goes on."""
        with self._lock:
            self._over = True
            if self._answered:
                return
            for connection in filter(None, (*self._copies, self.kept)):
                _shut(connection)

    def release(self) -> None:
        """Let go of the copies: a connection ends for the server when the last of them is closed."""
        with self._lock:
            for copy in self._copies:
                copy.close()
            self._copies.clear()

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        """What httpcore tells of its progress. A copy of the socket stays valid when TLS takes the first one over."""
        if event.endswith("send_request_headers.started"):
            self._sent = True
        if not event.endswith(("connect_tcp.complete", "connect_unix_socket.complete")):
            return
        connection = info["return_value"].get_extra_info("socket")
        with self._lock:
            self.kept = None
            self._copies.append(connection.dup())
            if self._over:
                _shut(self._copies[-1])


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not its own shutdown(): that of a TLS socket forgets the session, under the thread which reads from it.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _fault(error: Exception, call: _Call, seconds: float) -> ProviderError:
    import httpx

    line = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return ProviderError("unreachable", "no connection in time; check base_url and the network")
    if isinstance(error, httpx.TimeoutException):
        return call.late(seconds)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError | httpx.UnsupportedProtocol):
        return ProviderError("unreachable", f"no connection ({line}); check base_url")
    if isinstance(error, httpx.InvalidURL):
        return ProviderError("rejected", f"no valid address ({line})")
    if isinstance(error, httpx.DecodingError):
        return ProviderError("malformed", f"an answer that cannot be decoded ({line})", charged=True)
    if isinstance(error, httpx.RemoteProtocolError) and _HEADERS_TOO_LONG in line:
        return ProviderError("malformed", "headers of more than 100 kB", charged=True)
    if isinstance(error, httpx.HTTPError):
        return ProviderError("cut-off", f"the answer broke off ({line})", charged=True)
    raise error
