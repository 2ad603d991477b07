"""Where the script says the value of every intention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pytest_talk2agent.judging.alignment import Alignment, align
from pytest_talk2agent.judging.corrections import said_again, withdrawn
from pytest_talk2agent.judging.gist import locate
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Fault, Reading, Scene
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import CORRECTIONS, EMPTY, EXPLANATIONS, FILLERS, listed
from pytest_talk2agent.tasks.intention import Intention, Kind

# Kinds are looked for in this order, so that a number inside an address is not taken for a bare number.
_ORDER: tuple[frozenset[Kind], ...] = (
    frozenset(("path", "filename", "url", "email", "flag", "identifier", "version", "date", "time")),
    frozenset(("quantity", "money", "percent", "duration")),
    frozenset(("text",)),
    frozenset(("code", "number")),
    frozenset(("term", "choice")),
)
# Words before a value that belong to it: the style of an identifier, the scheme of an address.
_LEADS: dict[Kind, frozenset[str]] = {
    "identifier": frozenset(listed("camel snake kebab pascal dotted case")),
    "url": frozenset(listed("http https h t p s colon slash : /")),
}

# What may stand between a value that was taken back and the right one.
_BETWEEN = EMPTY | {word for phrase in CORRECTIONS for word in phrase} | FILLERS | {"oh", "well"}


@dataclass(frozen=True, slots=True)
class Slot:
    """The tokens of the script that say one value, and how the script's own wording departs from the value.

    ``start`` may lie before ``core``: a value that the speaker took back just before belongs to the slot. ``withdrawn``
    is that value, wherever it stands.
    """

    start: int
    end: int
    core: tuple[int, int]
    faults: Fault
    withdrawn: tuple[int, int] | None = None

    def nests(self, other: Slot | None) -> bool:
        """One of the two lies inside the other, as an amount does in a sentence that is to be written."""
        if other is None:
            return False
        inner, outer = sorted((self.core, other.core), key=lambda core: core[1] - core[0])
        return outer[0] <= inner[0] and inner[1] <= outer[1]


Key = tuple[str, int]


def find_slots(intentions: Mapping[str, Intention], script: Stream) -> Mapping[Key, Slot | None]:
    """A slot for every value of every intention (name and position in `say`), None where the script has none.

    Values that stand several times are given out in the order of the task file. A longer value is placed before a
    shorter one that it contains. Remembered, since many transcripts of one task are judged.
    """
    return _find_slots(tuple(intentions.items()), script)


@lru_cache(maxsize=4096)
def _find_slots(items: tuple[tuple[str, Intention], ...], script: Stream) -> Mapping[Key, Slot | None]:
    intentions = dict(items)
    slots: dict[Key, Slot | None] = {}
    claimed = bytearray(len(script))
    order = list(intentions)
    for kinds in _ORDER:
        wanted = [(name, number) for name in order if intentions[name].kind in kinds
                  for number in range(len(intentions[name].say))]  # fmt: skip
        found = {key: _hits(intentions[key[0]], key[1], script) for key in wanted}
        for key in sorted(wanted, key=lambda key: -_longest(found[key])):
            free = [hit for hit in found[key] if not any(claimed[hit.start : hit.end])]
            free = free or [hit for hit in found[key] if _is_quoted(hit, key, slots, intentions)]
            chosen = _choose(free, order, key, slots)
            slots[key] = None if chosen is None else _slot(script, chosen, intentions[key[0]], key[1])
            if chosen is not None:
                claimed[chosen.start : chosen.end] = b"\x01" * (chosen.end - chosen.start)
    for name, intention in intentions.items():
        if intention.kind == "gist":
            clause = locate(intention, script)
            slots[name, 0] = None if clause is None else Slot(clause.start, clause.end, clause.core, Fault.NONE)
    return slots


def _is_quoted(hit: Reading, key: Key, slots: Mapping[Key, Slot | None], intentions: Mapping[str, Intention]) -> bool:
    """Where the place overlaps a slot, one of the two lies inside the other, which is a verbatim text."""
    for other, slot in slots.items():
        if slot is None or hit.end <= slot.core[0] or hit.start >= slot.core[1]:
            continue
        holds = hit.start <= slot.core[0] and slot.core[1] <= hit.end and intentions[key[0]].kind == "text"
        held = slot.core[0] <= hit.start and hit.end <= slot.core[1] and intentions[other[0]].kind == "text"
        if not (holds or held) or hit.end - hit.start == slot.core[1] - slot.core[0]:
            return False
    return True


def _longest(hits: list[Reading]) -> int:
    return max((hit.end - hit.start for hit in hits), default=0)


def _hits(intention: Intention, number: int, script: Stream) -> list[Reading]:
    """Places that say the value, the clearest kind only: right ones, else doubtful ones.

    Where the speaker explains a word (`jason, that is j s o n`), its place is that of the word.
    """
    readings = read_value(Scene(intention, script, locating=True), number, 0, len(script))
    explained = [one for one in readings if one.faults & Fault.SOUND and _is_explained(script, one, readings)]
    if explained:
        return explained
    for label in (Label.RETAINED, Label.UNRESOLVED):
        hits = [reading for reading in readings if reading.label is label and not reading.faults & Fault.SOUND]
        if hits:
            return hits
    return said_again(Scene(intention, script, locating=True), number, 0, len(script))


def _is_explained(script: Stream, one: Reading, readings: list[Reading]) -> bool:
    return any(
        other.start > one.end
        and other.label is Label.RETAINED
        and any(script.norms[other.start - len(words) : other.start] == words for words in EXPLANATIONS)
        for other in readings
    )


def _choose(free: list[Reading], order: list[str], key: Key, slots: Mapping[Key, Slot | None]) -> Reading | None:
    """The first place behind the intention declared before, else the first place."""
    if not free:
        return None
    place = order.index(key[0])
    before = [slot.end for (name, number), slot in slots.items()
              if slot is not None and (order.index(name), number) < (place, key[1])]  # fmt: skip
    after = [slot.start for (name, number), slot in slots.items()
             if slot is not None and (order.index(name), number) > (place, key[1])]  # fmt: skip
    between = [hit for hit in free if hit.start >= max(before, default=0) and hit.end <= min(after, default=10**9)]
    later = [hit for hit in free if hit.start >= max(before, default=0)]
    return min(between or later or free, key=lambda hit: hit.start)


def _slot(script: Stream, hit: Reading, intention: Intention, number: int) -> Slot:
    start = hit.start
    while start > 0 and not script[start].paused and script.norms[start - 1] in _LEADS.get(intention.kind, ()):
        start -= 1
    taken_back = withdrawn(intention, number, script, replace(hit, start=start))
    if taken_back is not None and all(script.norms[index] in _BETWEEN for index in range(taken_back[1], start)):
        start = taken_back[0]
    return Slot(start, hit.end, (hit.start, hit.end), hit.faults, taken_back)


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
