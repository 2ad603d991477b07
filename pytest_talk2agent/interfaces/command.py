"""``command:./my-asr {audio}``: any program that prints a transcript.

The words are split like a shell's, but no shell runs. ``{audio}`` becomes the recording's absolute path; one process
runs for each utterance; its standard output, UTF-8, is the transcript, line breaks counting as blanks. A process that
takes longer than ``timeout`` seconds is ended: ``command?timeout=60:./my-asr {audio}``.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_by_one, suspicions
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.audio import file_sha256

AUDIO = "{audio}"


@dataclass(frozen=True)
class CommandOptions:
    """``timeout`` in seconds for one utterance. It does not change a transcript, so it is no part of the identity."""

    timeout: float = 300.0

    def __post_init__(self) -> None:
        if not 0 < self.timeout < float("inf"):
            raise ValueError(f"option timeout must be a number of seconds above 0, not {self.timeout}")


class CommandInterface:
    """A program that is run once for each utterance."""

    hears = True
    capabilities: frozenset[str] = frozenset()

    def __init__(self, spec: Spec) -> None:
        self._text = spec.model or ""
        self._timeout = read_options(spec, CommandOptions).timeout
        try:
            self._words = shlex.split(self._text)
        except ValueError as error:
            raise InterfaceError(f"interface {spec.text!r}: {error}; close the quote") from None
        if not any(AUDIO in word for word in self._words):
            raise InterfaceError(f"interface {spec.text!r}: the program would hear nothing; put {AUDIO} into its words")

    def check(self) -> None:
        """Raise InterfaceError where the program is not there or may not be run."""
        if shutil.which(self._words[0]) is None:
            what = "is not executable" if Path(self._words[0]).is_file() else "is not there or not on PATH"
            raise InterfaceError(f"command: the program {self._words[0]!r} {what}; check the path (from {Path.cwd()})")

    def identity(self) -> Mapping[str, str]:
        """The command and the SHA-256 of the program and of every argument that is a file, such as a script."""
        identity = {"name": "command", "command": self._text}
        for index, word in enumerate(self._words):
            file = shutil.which(word) if index == 0 else word
            if file is not None and AUDIO not in word and Path(file).is_file():
                identity[f"sha256 of {word}"] = file_sha256(Path(file))
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
        code, out, err = _run(words, self._timeout, utterance)
        if code:
            lines = err.decode("utf-8", errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing on stderr")
            what = f"was ended by signal {-code}" if code < 0 else f"failed with exit status {code}"
            raise TranscriptionError(f"{utterance.path}: {self._words[0]} {what}: {last}")
        try:
            text = " ".join(out.decode("utf-8").split())
        except UnicodeDecodeError:
            raise TranscriptionError(
                f"{utterance.path}: {self._words[0]} printed bytes that are not UTF-8; let it print UTF-8"
            ) from None
        found = suspicions(text, utterance.audio.seconds) if utterance.audio else []
        return Hypothesis(text, {"suspect": found})


def _run(words: list[str], timeout: float, utterance: Utterance) -> tuple[int, bytes, bytes]:
    """Exit status, standard output and standard error; ends the process and its children on a timeout."""
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException as error:
            # The whole session: a wrapper script's child would keep the pipes open, and an interrupted run leave it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise TranscriptionError(
                    f"{utterance.path}: {words[0]} took longer than {timeout:g} s; raise command?timeout=SECONDS:..."
                ) from None
            raise
    return process.returncode, out, err
