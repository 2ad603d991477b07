"""A case as the tokens that the lexical judge works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pytest_talk2agent.judging.alignment import Alignment, align
from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.judging.slots import Key, Slot, find_slots
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.tasks.intention import Intention


@dataclass(frozen=True)
class Hearing:
    """The case as tokens."""

    case: Case
    script: Stream
    transcript: Stream
    alignment: Alignment

    def scene(self, intention: Intention, stream: Stream | None = None) -> Scene:
        """What a reader of the transcript, or of another text, needs for one intention."""
        others = tuple(
            value
            for other in self.case.intentions.values()
            if other is not intention and other.kind == intention.kind
            for value in other.say
        )
        return Scene(intention, stream or self.transcript, self.case.files, others)

    @cached_property
    def is_printed(self) -> bool:
        """The transcript follows the written instruction rather than the script."""
        return self.printed is not None and len(self.printed[1].heard) > len(self.alignment.heard)

    @cached_property
    def printed(self) -> tuple[Stream, Alignment, Mapping[Key, Slot | None]] | None:
        """The written instruction, its alignment and its slots; None where it is the script itself."""
        if self.case.instruction == self.case.script:
            return None
        instruction = tokenise(self.case.instruction)
        return instruction, align(instruction, self.transcript), find_slots(self.case.intentions, instruction)
