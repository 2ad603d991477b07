"""The two controls: what a perfect interface would hand over, as written and as spoken.

A task whose controls do not score 1 is wrong, whatever a recogniser makes of it. Apart from `transcripts`, as these
read no file and repeat the task's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, refuse_model, refuse_options
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError, Utterance


class ControlInterface(Interface):
    """``text`` answers with the instruction, ``script`` with its spoken form."""

    hears = False

    def __init__(self, spec: Spec) -> None:
        refuse_model(spec)
        refuse_options(spec)
        self._name = spec.name

    def identity(self) -> Mapping[str, str]:
        """The name alone: a control has no engine."""
        return {"name": self._name}

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Hand over each utterance's reference."""
        return [Hypothesis(u.instruction if self._name == "text" else u.script) for u in batch]
