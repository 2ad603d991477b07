"""What a span of tokens can mean for one intention."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.tasks.intention import Intention


class Fault(IntFlag):
    """How a spelling departs from the reference although its letters and digits are right."""

    NONE = 0
    SEPARATOR = 1  # a separator was not said
    JOINED = 2  # a separator is missing inside print
    OTHER = 4  # a separator of another sort
    EXTRA = 8  # a separator too many
    SPLIT = 16  # a word in two
    BLANK = 32  # a blank beside digits
    LEAD = 64  # the first separators are missing
    EXTENSION = 128  # the extension was not said
    SIMILAR = 256  # O for 0, I or l for 1
    SUM = 512  # digits that may be added or joined
    SOUND = 1024  # a word for a letter or number of the same sound


SEPARATION = (
    Fault.SEPARATOR | Fault.JOINED | Fault.OTHER | Fault.EXTRA | Fault.SPLIT | Fault.BLANK | Fault.LEAD
    | Fault.EXTENSION
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    """A span of tokens (``end`` exclusive) and what it says of the intention.

    ``changed`` readings are other values of the same class; ``rival`` is false where the class is wide and the value is
    plainly of another sort (a length beside a percentage). ``faults`` are the departures of a spelling.
    """

    start: int
    end: int
    label: Label
    reason: str
    faults: Fault = Fault.NONE
    rival: bool = True


@dataclass(frozen=True)
class Scene:
    """What a reader needs beside the span: the intention, one text, and what the speaker said.

    ``files`` are the paths of the workspace, ``others`` the values of the same kind that other intentions have.
    ``forgiven`` are departures that the script itself has at this place, so that no interface lost anything by them.
    ``script`` and ``slot`` are the script and the tokens of it that say the value, None while the script is read.
    ``locating`` says that the script itself is read to find the value: speech has no case.
    """

    intention: Intention
    stream: Stream
    files: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    forgiven: Fault = Fault.NONE
    script: Stream | None = None
    slot: tuple[int, int] | None = None
    locating: bool = False


def clear_of(readings: list[Reading], spans: list[tuple[int, int]]) -> list[Reading]:
    """The readings that overlap none of the spans."""
    return [one for one in readings if all(one.end <= start or one.start >= end for start, end in spans)]
