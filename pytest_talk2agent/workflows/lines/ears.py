"""A recogniser in a process of its own, which hears one turn after another.

A process of its own, so that native code that crashes or hangs costs a session and not the run. It is told in a line of
JSON where to look for modules and answers with its identity; then which file to hear, and answers with the words. It
ends with its standard input, and so with whoever started it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_talk2agent.interfaces.protocol import Interface, work_here
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.audio import AudioError, read_audio
from pytest_talk2agent.workflows.agents.protocol import AgentError, InfrastructureError

HEAR_SECONDS = 120.0
"""How long one turn may take, the loading of the model included."""
LONGEST_LINE = 1 << 20


class Ears:
    """Hears what it is given with the interface of a spec; several calls may share it, one turn at a time."""

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._identity: dict[str, str] = {}

    def identity(self) -> dict[str, str]:
        """All that can change what it hears.

        Raises:
            AgentError: for a spec that names no recogniser, or one that cannot be had.
        """
        with self._lock:
            if not self._identity:
                try:
                    self._running()
                except InfrastructureError as error:
                    raise AgentError(str(error)) from None
            return self._identity

    def hear(self, pcm: bytes, rate: int) -> str:
        """The words in some PCM16; an empty text for silence.

        Raises:
            InfrastructureError: where the recogniser fails, ends, or takes longer than `HEAR_SECONDS`.
        """
        import numpy as np
        import soundfile

        with self._lock:
            process, folder = self._running()
            path = folder / "turn.wav"
            soundfile.write(path, np.frombuffer(pcm, "<i2"), rate, subtype="PCM_16")
            answer = self._ask(process, {"path": str(path)})
        if "error" in answer:
            raise InfrastructureError(f"{self._spec}: {answer['error']}")
        return str(answer["text"])

    def close(self) -> None:
        """End the process; the next turn would start another."""
        with self._lock:
            if self._process is not None:
                _end(self._process)
                self._process = None

    def _running(self) -> tuple[subprocess.Popen[bytes], Path]:
        if self._process is not None and self._process.poll() is None and self._folder is not None:
            return self._process, self._folder
        folder = tempfile.TemporaryDirectory(prefix="t2a-ears-")
        pipe = subprocess.PIPE
        words = [sys.executable, "-m", __name__, self._spec]
        self._process = process = subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True, bufsize=0)
        self._folder = Path(folder.name)
        weakref.finalize(self, _end, process)
        weakref.finalize(self, folder.cleanup)
        answer = self._ask(process, {"look_in": [str(Path(entry).absolute()) for entry in sys.path]})
        if "error" in answer:
            raise InfrastructureError(answer["error"])
        identity: dict[str, str] = answer["identity"]
        if self._identity and identity != self._identity:
            raise InfrastructureError(f"{self._spec}: the recogniser is another one since it was started again")
        self._identity = identity
        return process, self._folder

    def _ask(self, process: subprocess.Popen[bytes], question: Mapping[str, object]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        end = time.monotonic() + HEAR_SECONDS
        line = b""
        try:
            process.stdin.write(json.dumps(question).encode() + b"\n")
            while not line.endswith(b"\n"):
                left = end - time.monotonic()
                if left <= 0 or len(line) > LONGEST_LINE:
                    _end(process)
                    raise InfrastructureError(f"{self._spec}: no transcript within {HEAR_SECONDS:g} s")
                if select.select([process.stdout], [], [], left)[0]:
                    part = os.read(process.stdout.fileno(), 1 << 16)
                    if not part:
                        raise BrokenPipeError
                    line += part
        except OSError:
            status = process.wait(5)
            raise InfrastructureError(f"{self._spec}: the recogniser ended with status {status}") from None
        answer: dict[str, Any] = json.loads(line)
        return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def main() -> None:
    """Be the process: the recogniser of the spec in the arguments."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(told: Mapping[str, object]) -> None:
        out.write(f"{json.dumps(told)}\n")
        out.flush()

    sys.path[:] = json.loads(sys.stdin.readline())["look_in"]
    try:
        interface = _made(sys.argv[1])
        answer({"identity": dict(interface.identity())})
    except (Exception, SystemExit) as error:
        return answer({"error": str(error) if isinstance(error, InterfaceError) else _line(error)})
    for line in sys.stdin:
        answer(_heard(interface, Path(json.loads(line)["path"])))


def _made(spec: str) -> Interface:
    parsed = parse_spec(spec)
    if parsed.sound is not None or parsed.bias or parsed.repair:
        raise InterfaceError(f"{spec}: a call is heard as it sounds; leave out what follows the +")
    interface = make_interface(parsed)
    interface.check()
    if not interface.hears:
        raise InterfaceError(f"{spec} does not hear; name a recogniser")
    return interface


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _heard(interface: Interface, path: Path) -> dict[str, str]:
    try:
        audio = read_audio(path)
    except AudioError:
        return {"text": ""}
    utterance = Utterance("call", "turn", "", "", path, audio)
    try:
        ((_, outcome, _),) = work_here(sys.argv[1], interface, iter([[(0, utterance)]]))
    except (Exception, SystemExit) as error:
        return {"error": _line(error)}
    if isinstance(outcome, TranscriptionError):
        return {"error": str(outcome)}
    return {"text": outcome.text} if outcome.state == "transcribed" else {"error": f"the turn was {outcome.state}"}


if __name__ == "__main__":
    main()
