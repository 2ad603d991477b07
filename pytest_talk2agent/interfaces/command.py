"""``command:./my-asr {audio}``: any program that prints a transcript.

The words are split like a shell's, but no shell runs. ``{audio}`` becomes the recording's absolute path; one process
runs for each utterance; its standard output, UTF-8, is the transcript, line breaks counting as blanks. A process that
takes longer than ``timeout`` seconds is ended: ``command?timeout=60:./my-asr {audio}``.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_by_one
from pytest_talk2agent.interfaces.declared import DeclaredOptions
from pytest_talk2agent.interfaces.masking import masked, masked_words, secrets_of
from pytest_talk2agent.interfaces.process import printed
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
    check_length,
)
from pytest_talk2agent.speech.audio import file_sha256

AUDIO = "{audio}"
_LONGEST_LINE = 300


@dataclass(frozen=True)
class CommandOptions(DeclaredOptions):
    """``timeout`` in seconds for one utterance. It does not change a transcript, so it is no part of the identity."""

    timeout: float = 300.0

    def __post_init__(self) -> None:
        if not 0 < self.timeout < float("inf"):
            raise ValueError(f"option timeout must be a number of seconds above 0, not {self.timeout}")


class CommandInterface:
    """A program that is run once for each utterance."""

    hears = True
    capabilities: frozenset[str] = frozenset()
    inspectable = True

    def __init__(self, spec: Spec) -> None:
        self._text = spec.model or ""
        self._options = read_options(spec, CommandOptions)
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

    @property
    def reproducible(self) -> bool:
        """Only where the user says what the program is: files that it reads on its own are not known."""
        return self._options.declared

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
