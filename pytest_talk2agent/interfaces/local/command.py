"""``command:./my-asr {audio}``: any program that prints a transcript.

The words are split like a shell's, but no shell runs. ``{audio}`` becomes the recording's absolute path; one process
runs for each utterance; its standard output, UTF-8, is the transcript, line breaks counting as blanks. A process that
takes longer than ``timeout`` seconds is ended, and so are its children: ``command?timeout=60:./my-asr {audio}``.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_by_one
from pytest_talk2agent.interfaces.local.declared import DeclaredOptions
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
    check_length,
)
from pytest_talk2agent.remote.credentials import masked, masked_words, secrets_of
from pytest_talk2agent.speech.audio import file_sha256

AUDIO = "{audio}"
_LONGEST_LINE = 300
MOST_OUTPUT = 1 << 20
"""Bytes that a program may print on standard output."""
MOST_ERRORS = 16 << 20
"""Bytes that it may print on standard error: loaders of models are talkative. The end of it is kept."""
_KEPT_ERRORS = 1 << 16
_PIECE = 1 << 16
_TICK = 0.2
_LEFT_BEHIND = 1.0  # seconds in which a child that outlives the program may still print


class CommandInterface(Interface):
    """A program that is run once for each utterance."""

    inspectable = True

    def __init__(self, spec: Spec) -> None:
        self._text = spec.model or ""
        self._options = read_options(spec, DeclaredOptions)
        # Files that a program reads on its own are not known: only the user can say that it is the same.
        self.reproducible = self._options.declared
        try:
            self._words = shlex.split(self._text)
        except ValueError as error:
            raise InterfaceError(f"interface {spec.shown!r}: {error}; close the quote") from None
        if not any(AUDIO in word for word in self._words):
            raise InterfaceError(
                f"interface {spec.shown!r}: the program would hear nothing; put {AUDIO} into its words"
            )
        # What is a key in these words is one in what the program prints, too: it may repeat how it was called.
        self._secrets = [secret for secret in secrets_of(os.environ) if any(secret[1] in word for word in self._words)]

    def check(self) -> None:
        """Raise InterfaceError where the program or its weights are not there, or it may not be run."""
        if shutil.which(self._words[0]) is None:
            what = "is not executable" if Path(self._words[0]).is_file() else "is not there or not on PATH"
            raise InterfaceError(f"command: the program {self._words[0]!r} {what}; check the path (from {Path.cwd()})")
        self._options.check_weights("command")

    def identity(self) -> Mapping[str, str]:
        """The command, the SHA-256 of the program and of every argument that is a file, and what is declared of it.

        A key in the words is masked, so that another key makes no other recogniser.
        """
        identity = {**self._options.fields("command"), "name": "command", "command": masked_words(self._text)}
        for index, word in enumerate(self._words):
            file = shutil.which(word) if index == 0 else word
            if file is not None and AUDIO not in word and Path(file).is_file():
                identity[f"sha256 of {masked(word)}"] = file_sha256(Path(file))
        return identity

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Run the program for each utterance. Raises InterfaceError where there is no such program."""
        self.check()
        return one_by_one(batch, self._transcribe)

    def _transcribe(self, utterance: Utterance) -> Hypothesis:
        if utterance.path is None:
            raise TranscriptionError(f"task {utterance.task!r}: no recording to hear; list one in the task file")
        audio = str(utterance.path.resolve())
        words = [word.replace(AUDIO, audio) for word in self._words]
        where = f"{utterance.path}: {self._words[0]}"
        try:
            code, out, err = printed(words, self._options.timeout)
        except TimeoutError:
            raise TranscriptionError(
                f"{where} took longer than {self._options.timeout:g} s; raise command?timeout=SECONDS:..."
            ) from None
        except ValueError as error:
            raise TranscriptionError(f"{where} {error}; let it print the transcript only") from None
        if code:
            lines = masked(err.decode("utf-8", errors="replace"), self._secrets).split("\n")
            last = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "nothing on stderr")
            if len(last) > _LONGEST_LINE:
                last = f"…{last[-_LONGEST_LINE:]}"
            what = f"was ended by signal {-code}" if code < 0 else f"failed with exit status {code}"
            raise TranscriptionError(f"{where} {what}: {last}")
        try:
            text = " ".join(out.decode("utf-8").split())
        except UnicodeDecodeError:
            raise TranscriptionError(f"{where} printed bytes that are not UTF-8; let it print UTF-8") from None
        return Hypothesis(check_length(masked(text, self._secrets), where))


def printed(words: Sequence[str], timeout: float) -> tuple[int, bytes, bytes]:
    """Run a program without input; its exit status, its standard output and the end of its standard error.

    It runs in a session of its own, and whatever is left of that is ended with it. Raises TimeoutError where it takes
    longer than ``timeout`` seconds, ValueError where it prints too much, OSError where it cannot be run.
    """
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )
    with process:
        try:
            out, err = _read(process, time.monotonic() + timeout)
        finally:
            # The whole session: a wrapper script's child would keep the pipes open, and an interrupted run leave it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out, err


def _read(process: subprocess.Popen[bytes], end: float) -> tuple[bytes, bytes]:
    """What a process prints until both streams end, or until a moment after it has ended itself."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err, errors = bytearray(), bytearray(), 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        ended_at: float | None = None
        while selector.get_map():
            now = time.monotonic()
            if now > end:
                raise TimeoutError
            if ended_at is not None and now > ended_at + _LEFT_BEHIND:
                break
            for key, _ in selector.select(min(_TICK, end - now)):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    out += piece
                    if len(out) > MOST_OUTPUT:
                        raise ValueError(f"printed more than {MOST_OUTPUT >> 20} MiB")
                else:
                    err += piece
                    del err[:-_KEPT_ERRORS]
                    errors += len(piece)
                    if errors > MOST_ERRORS:
                        raise ValueError(f"printed more than {MOST_ERRORS >> 20} MiB on standard error")
            if ended_at is None and process.poll() is not None:
                ended_at = time.monotonic()
    try:
        process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    return bytes(out), bytes(err)
