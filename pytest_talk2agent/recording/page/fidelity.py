"""What an interface hears in a take, one take after the other beside the recording: "we heard: ..."."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pytest_talk2agent.interfaces.protocol import work_here
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.judging.judge import case_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.recording.page.prompts import Prompt
from pytest_talk2agent.recording.page.take import Heard
from pytest_talk2agent.speech.audio import AudioError, read_audio


class Listener(Protocol):
    """Hears a take and says what it heard."""

    @property
    def name(self) -> str:
        """What heard it, for the record."""

    def hear(self, prompt: Prompt, name: str, audio: Path) -> Heard:
        """What is heard in a take; a fault is in ``error``."""


class InterfaceListener:
    """The interface of a spec and the lexical judge.

    A take is heard as it was recorded: conditions of sound, terms and repairs are refused. Raises InterfaceError for
    those, and for a spec that cannot work or hears nothing.
    """

    def __init__(self, spec: str) -> None:
        parsed = parse_spec(spec)
        if parsed.sound is not None or parsed.bias or parsed.repair:
            raise InterfaceError(f"--check {parsed.shown}: a take is checked as it is; leave out what follows the +")
        self._spec, self._interface = parsed, make_interface(parsed)
        if not self._interface.hears:
            raise InterfaceError(f"--check {parsed.shown}: {parsed.name} hears nothing; name another interface")
        self._interface.check()

    @property
    def name(self) -> str:
        """The spec."""
        return self._spec.shown

    def hear(self, prompt: Prompt, name: str, audio: Path) -> Heard:
        """What the interface hears, and which intentions the judge does not find in it."""
        try:
            sound = read_audio(audio)
            utterance = Utterance(prompt.task.id, name, prompt.task.instruction, prompt.script, audio, sound)
            outcomes = list(work_here(self._spec.text, self._interface, iter([[(0, utterance)]])))
        except (AudioError, InterfaceError) as error:
            return Heard(interface=self.name, error=str(error))
        outcome = outcomes[0][1]
        if isinstance(outcome, TranscriptionError):
            return Heard(interface=self.name, error=str(outcome))
        return Heard(interface=self.name, text=outcome.text, lost=_lost(prompt, outcome))


def _lost(prompt: Prompt, heard: Hypothesis) -> tuple[str, ...]:
    task = prompt.task if prompt.declared else prompt.task.replaced(script=prompt.script)
    findings = judge(case_of(task, heard.text)).findings
    lost = [name for name, one in findings.items() if one.label in (Label.CHANGED, Label.OMITTED)]
    return tuple(" / ".join(task.intentions[name].say) for name in lost)


class Hearing:
    """A thread that hears takes in the order in which they came and hands on what it heard."""

    def __init__(self, listener: Listener, tell: Callable[[str, Heard], None]) -> None:
        self.listener = listener
        self._tell = tell
        self._waiting: queue.Queue[tuple[str, Prompt, str, Path] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="hearing", daemon=True)
        self._thread.start()

    def ask(self, key: str, prompt: Prompt, name: str, audio: Path) -> None:
        """Hear a take when the ones before it are heard."""
        self._waiting.put((key, prompt, name, audio))

    def close(self) -> None:
        """End after the take that is being heard."""
        self._waiting.put(None)

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            key, prompt, name, audio = job
            try:
                heard = self.listener.hear(prompt, name, audio)
            except Exception as error:  # an interface is anybody's code, and the next take is to be heard all the same
                heard = Heard(interface=self.listener.name, error=f"{type(error).__name__}: {error}")
            self._tell(key, heard)
