"""Voices that are programs: eSpeak NG, Flite, Festival, and any command that writes a sound file."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import tempfile
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pytest_talk2agent.recording.voices import Speech, Voice, VoiceError, VoiceSpec
from pytest_talk2agent.speech.audio import file_sha256

_SECONDS = 300.0


class Program(Voice):
    """A program that reads a text and writes a sound file."""

    program: str
    package: str
    version_flag: str | None = "--version"

    def __init__(self, spec: VoiceSpec) -> None:
        self._spec = spec

    @abstractmethod
    def _words(self, text: str, out: Path) -> tuple[Sequence[str], str]:
        """The command, and what it is given on standard input."""

    def check(self) -> None:
        """Raise VoiceError where the program is missing."""
        if shutil.which(self.program) is None:
            raise VoiceError(
                f"voice {self._spec.text!r}: {self.program} is not installed; run `apt-get install {self.package}`"
                " (Debian, Ubuntu) or take a voice that pip installs: piper"
            )

    @cached_property
    def _version(self) -> str:
        if self.version_flag is None:
            return f"sha256:{file_sha256(Path(str(shutil.which(self.program))))[:16]}"
        run = subprocess.run(
            [self.program, self.version_flag], capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        return (run.stdout or run.stderr).strip().split("\n")[0]

    def identity(self) -> Mapping[str, str]:
        """Engine, version, and the words of the command."""
        words, _ = self._words("", Path("OUT"))
        return {"engine": self._spec.engine, "version": self._version, "command": shlex.join(words)}

    def speak(self, text: str) -> Speech:
        """Run the program; raises VoiceError with the end of what it says where it fails."""
        import soundfile

        with tempfile.TemporaryDirectory(prefix="t2a-voice-") as folder:
            out = Path(folder) / "speech.wav"
            words, given = self._words(text, out)
            try:
                run = subprocess.run(
                    words, input=given, capture_output=True, text=True, check=False, timeout=_SECONDS, errors="replace"
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise VoiceError(f"voice {self._spec.text!r}: {error}") from None
            if run.returncode or not out.exists():
                said = " ".join(run.stderr.split())[-200:] or "it wrote no sound"
                raise VoiceError(f"voice {self._spec.text!r}: exit status {run.returncode}: {said}")
            try:
                samples, rate = soundfile.read(out, dtype="float64", always_2d=True)
            except soundfile.LibsndfileError as error:
                raise VoiceError(f"voice {self._spec.text!r}: it wrote no sound file ({error})") from None
        return samples.mean(axis=1), rate


class EspeakVoice(Program):
    """``espeak-ng[:en-us][?speed=150]``: small, everywhere, and hard to recognise; ``speed`` in words a minute."""

    program = "espeak-ng"
    package = "espeak-ng"

    def __init__(self, spec: VoiceSpec) -> None:
        super().__init__(spec)
        options = spec.read({"speed": "150", "pitch": "50"})
        self._speed = f"{spec.number('speed', options['speed'], 80, 450):g}"
        self._pitch = f"{spec.number('pitch', options['pitch'], 0, 99):g}"

    def _words(self, text: str, out: Path) -> tuple[Sequence[str], str]:
        pitch = [] if self._pitch == "50" else ["-p", self._pitch]
        voice = self._spec.voice or "en-us"
        return ["espeak-ng", "-v", voice, "-s", self._speed, *pitch, "--stdin", "-w", str(out)], text


class FliteVoice(Program):
    """``flite[:slt]``: the voices slt, rms, awb, kal and kal16."""

    program = "flite"
    package = "flite"

    def __init__(self, spec: VoiceSpec) -> None:
        super().__init__(spec)
        spec.read({})

    def _words(self, text: str, out: Path) -> tuple[Sequence[str], str]:
        return ["flite", "-voice", self._spec.voice or "slt", "-t", text, "-o", str(out)], ""


class FestivalVoice(Program):
    """``festival[:cmu_us_slt_arctic_hts]``: an installed voice of Festival."""

    program = "text2wave"
    package = "festival festvox-us-slt-hts"
    version_flag = None

    def __init__(self, spec: VoiceSpec) -> None:
        super().__init__(spec)
        spec.read({})
        if not all(part.isalnum() for part in (spec.voice or "x").split("_")):
            raise VoiceError(f"voice {spec.text!r}: a voice of Festival has letters, digits and _ in its name")

    def _words(self, text: str, out: Path) -> tuple[Sequence[str], str]:
        name = self._spec.voice or "cmu_us_slt_arctic_hts"
        return ["text2wave", "-eval", f"(voice_{name})", "-o", str(out)], text


class CommandVoice(Program):
    """``command:WORDS``: any program; ``{text}`` and ``{out}`` stand for the script and the file that it writes.

    Without ``{text}`` it reads the script from standard input. Its words are run as they are, by no shell.
    """

    def __init__(self, spec: VoiceSpec) -> None:
        super().__init__(spec)
        options = spec.read({"identity": ""})
        self._identity = options["identity"]
        try:
            self._template = shlex.split(spec.voice)
        except ValueError as error:
            raise VoiceError(f"voice {spec.text!r}: {error}; close the quote") from None
        if not self._template or not any("{out}" in word for word in self._template):
            raise VoiceError(f"voice {spec.text!r}: the command names no {{out}}, the file that it writes")
        self.program, self.package, self.version_flag = self._template[0], "", None

    def check(self) -> None:
        """Raise VoiceError where the program is missing."""
        if shutil.which(self.program) is None:
            raise VoiceError(f"voice {self._spec.text!r}: {self.program} is not there; check the path")

    def identity(self) -> Mapping[str, str]:
        """The words, the hash of the program and of each word that is a file, and what the option says."""
        files = [word for word in self._template[1:] if Path(word).is_file()]
        digests = [hashlib.sha256(Path(word).read_bytes()).hexdigest()[:16] for word in files]
        own = {"identity": self._identity} if self._identity else {}
        return {**super().identity(), **({"files": " ".join(digests)} if digests else {}), **own}

    def _words(self, text: str, out: Path) -> tuple[Sequence[str], str]:
        reads = not any("{text}" in word for word in self._template)
        words = [word.replace("{out}", str(out)).replace("{text}", text) for word in self._template]
        return words, text if reads else ""
