"""``command:WORDS``: anybody's program as the agent, over JSON Lines on its standard input and output.

It is sent one object a line, and answers in objects, one a line:

    > {"type": "start", "version": 1, "instructions": "...", "title": "...", "tools": [...], "seed": 1, "repetition": 0}
    < {"type": "ready"}                        or {"type": "ready", "stop_ms": 200, "stops_for": "barge_in"}
    > {"type": "turn", "turn": 0, "media_time_ms": 2740, "user_text": "Hello", "interrupted": null, "cut_turn": null,
       "results": [], "tools": [...]}
    < {"type": "say", "text": "Hi, how can I help?"}
    < {"type": "call", "id": "c1", "name": "kb_search", "args": {"query": "prices"}}
    < {"type": "done"}                         or {"type": "done", "end_call": true, "think_ms": 350}
    > {"type": "end"}

``results`` are what its calls came to (``call_id``, ``name``, ``ok``, ``result`` or ``error``); ``user_text`` is null
where there is nothing but results; ``interrupted`` is what was heard of its words where the user cut them, and
``cut_turn`` the number, from 1, of the answer that had them; later ones were not heard.
``stop_ms`` is how soon it is silent when the user speaks over it, null for never; ``stops_for`` is "barge_in" (a short
murmur does not stop it) or "everything". ``now`` in the first message, and ``TALK2AGENT_NOW`` in its environment, are
the time of the world in ISO 8601, where that stands still.

It has ``REPLY_SECONDS`` for each answer and ``END_SECONDS`` to end. What it writes is bounded; what is no message, or
too much, fails its session. It runs in a process group of its own, which is killed at the end.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import (
    BACKCHANNEL_WORDS,
    USUAL_STOP_MS,
    AgentError,
    AgentFailedError,
    Briefing,
    Call,
    Overlap,
    Reply,
    Talker,
    View,
)
from pytest_talk2agent.workflows.state.clock import VARIABLE

VERSION = 1
REPLY_SECONDS = 30.0
END_SECONDS = 2.0
LONGEST_LINE = 1 << 20
MOST_BYTES = 4 << 20
"""Bytes of one answer."""
MOST_MESSAGES = 2_000
_TAIL = 400


class Command:
    """A program as the agent. ``seconds`` is what it has for each answer.

    Raises:
        AgentError: for no words, a quote that is not closed, or a program that is not there.
    """

    control = False

    def __init__(self, text: str, *, seconds: float = REPLY_SECONDS) -> None:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise AgentError(f"agent command:{text}: {error}; close the quote") from None
        if not words:
            raise AgentError("agent command: which program? write command:WORDS")
        if shutil.which(words[0]) is None:
            raise AgentError(f"agent command:{text}: there is no program {words[0]!r}")
        self._words = words
        self._seconds = seconds

    def identity(self) -> Mapping[str, str]:
        """The words, and the SHA-256 of every file among them."""
        files = {f"sha256 of {word}": _sha256(Path(word)) for word in self._words if Path(word).is_file()}
        return {"name": "command", "words": shlex.join(self._words), **files}

    def start(self, briefing: Briefing) -> Talker:
        """Start the program and tell it what an agent is told; raises AgentFailedError."""
        return ProcessTalker(self._words, briefing, self._seconds)


class ProcessTalker:
    """An agent in a process of its own."""

    def __init__(self, words: Sequence[str], briefing: Briefing, seconds: float) -> None:
        self._seconds = seconds
        self._stop_ms: int | None = USUAL_STOP_MS
        self._stops_for_everything = False
        pipe = subprocess.PIPE
        try:
            environment = {**os.environ, **({VARIABLE: briefing.now} if briefing.now else {})}
            self._process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, bufsize=0, env=environment
            )
        except OSError as error:
            raise AgentFailedError(f"the agent's program cannot be started: {error.strerror}") from None
        self._rest = b""
        self._complaint = b""
        self._drain = threading.Thread(target=self._listen, name="t2a-agent-stderr", daemon=True)
        self._drain.start()
        try:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
            self._begin(briefing)
        except BaseException:
            self.close()
            raise

    def _begin(self, briefing: Briefing) -> None:
        start = {
            "type": "start",
            "version": VERSION,
            "instructions": briefing.instructions,
            "title": briefing.title,
            "tools": [dict(tool) for tool in briefing.tools],
            "seed": briefing.seed,
            "repetition": briefing.repetition,
            "now": briefing.now,
        }
        ready = next(self._exchange(start, "ready"))
        stop = ready.get("stop_ms", USUAL_STOP_MS)
        if stop is not None and (not isinstance(stop, int) or isinstance(stop, bool) or stop < 0):
            raise AgentFailedError("the agent's `stop_ms` is no whole number of milliseconds")
        self._stop_ms = stop
        self._stops_for_everything = ready.get("stops_for") == "everything"

    def reply(self, view: View) -> Reply:
        """One turn; raises AgentFailedError for an answer that is none, or none in time."""
        turn = {
            "type": "turn",
            "turn": view.turn,
            "media_time_ms": view.media_time_ms,
            "user_text": view.user_text,
            "interrupted": view.interrupted,
            "cut_turn": view.cut_turn,
            "results": [{"call_id": one.call_id, "name": one.name, **one.told} for one in view.results],
            "tools": [dict(tool) for tool in view.tools],
        }
        said: list[str] = []
        calls: list[Call] = []
        for message in self._exchange(turn, "done"):
            kind = message["type"]
            if kind == "say":
                said.append(_text(message, "text"))
            elif kind == "call":
                calls.append(
                    Call(str(message.get("id") or f"c{len(calls)}"), _text(message, "name"), message.get("args"))
                )
            elif kind == "done":
                think = message.get("think_ms")
                think = think if isinstance(think, int) and not isinstance(think, bool) and think >= 0 else None
                return Reply(" ".join(said), tuple(calls), message.get("end_call") is True, think)
            else:
                raise AgentFailedError(f"the agent sent a message of the unknown type {_shown(kind)}")
        raise AgentFailedError("the agent's program ended before it was done")

    def overlapped(self, overlap: Overlap) -> int | None:
        """As the program said when it was ready."""
        murmur = overlap.kind == "backchannel" and overlap.words <= BACKCHANNEL_WORDS
        return None if murmur and not self._stops_for_everything else self._stop_ms

    def close(self) -> None:
        """Tell the program that it is over, and end it with all that it started."""
        process = self._process
        if process.stdin is not None and not process.stdin.closed:
            with contextlib.suppress(OSError):
                process.stdin.write(b'{"type":"end"}\n')
            with contextlib.suppress(OSError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(min(END_SECONDS, self._seconds))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        self._drain.join(END_SECONDS)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _exchange(self, message: Mapping[str, Any], last: str) -> Iterator[dict[str, Any]]:
        """Send a message; the messages that come back, up to one of the type ``last``."""
        left = json.dumps(message).encode() + b"\n"
        end = time.monotonic() + self._seconds
        taken = count = 0
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stdin, selectors.EVENT_WRITE)
            while True:
                while b"\n" in self._rest:
                    line, _, self._rest = self._rest.partition(b"\n")
                    found = _message(line)
                    count += 1
                    if count > MOST_MESSAGES:
                        raise AgentFailedError(f"the agent sent more than {MOST_MESSAGES} messages at once")
                    yield found
                    if found["type"] == last:
                        return
                if len(self._rest) > LONGEST_LINE or taken > MOST_BYTES:
                    raise AgentFailedError("the agent wrote more than is taken at once")
                ready = selector.select(max(0.0, end - time.monotonic()))
                if not ready:
                    raise AgentFailedError(f"the agent had no answer within {self._seconds:g} s")
                for key, _ in ready:
                    if key.fileobj is stdin:
                        left = self._send(left)
                        if not left:
                            selector.unregister(stdin)
                        continue
                    part = os.read(stdout.fileno(), 1 << 16)
                    if not part:
                        raise AgentFailedError(f"the agent's program ended{self._said()}")
                    taken += len(part)
                    self._rest += part

    def _send(self, data: bytes) -> bytes:
        assert self._process.stdin is not None
        try:
            return data[os.write(self._process.stdin.fileno(), data[: 1 << 16]) :]
        except BlockingIOError:
            return data
        except OSError:  # it reads no more; what it wrote before still counts
            return b""

    def _listen(self) -> None:
        """Keep the end of what the program complains of, so that it never waits for a reader."""
        pipe = self._process.stderr
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while part := os.read(pipe.fileno(), 1 << 16):
                self._complaint = (self._complaint + part)[-_TAIL:]

    def _said(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        self._drain.join(0.5)
        status = self._process.poll()
        words = " ".join(self._complaint.decode("utf-8", "replace").split())
        shown = "".join(sign if sign.isprintable() else " " for sign in words)
        return (f" with status {status}" if status is not None else "") + (f": {shown}" if shown else "")


def _message(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise AgentFailedError(f"the agent wrote a line that is no message: {_shown(line.decode('utf-8', 'replace'))}")
    return found


def _text(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str):
        raise AgentFailedError(f"the agent sent a message {message['type']!r} without a text in {key!r}")
    return value


def _shown(text: str) -> str:
    return repr(text[:60])


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
