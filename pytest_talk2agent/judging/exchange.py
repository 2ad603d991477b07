"""Values that stand where another value of the task belongs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pytest_talk2agent.judging.alignment import keys_of
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import Reading
from pytest_talk2agent.judging.slots import Key, Slot
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import CORRECTIONS

_REACH = 4
_SURE = 3  # so many equal neighbours are no chance
_BORDER = "\n"  # the beginning and the end of a text count as a neighbour


@dataclass(frozen=True)
class Exchange:
    """Compares the words around a reading with the words around the slots of a task.

    ``everywhere`` gives the right readings of a value in the whole transcript.
    """

    script: Stream
    transcript: Stream
    slots: Mapping[Key, Slot | None]
    kinds: Mapping[str, str]
    everywhere: Callable[[Key], list[Reading]]

    def fit(self, key: Key, one: Reading) -> int:
        """How many tokens beside the reading are those beside the slot, on both sides up to the first difference."""
        return sum(self.sides(key, one))

    def sides(self, key: Key, one: Reading) -> tuple[int, int]:
        """The same for the side before and the side behind."""
        slot = self.slots[key]
        if slot is None:
            return 0, 0
        said, heard = keys_of(self.script), keys_of(self.transcript)
        return (
            _run(_before(said, slot.start), _before(heard, one.start)),
            _run(_behind(said, slot.end), _behind(heard, one.end)),
        )

    def relocate(self, results: Mapping[Key, Reading | None]) -> dict[Key, Reading | None]:
        """Values that were heard with their own words around them, though alignment looked elsewhere."""
        moved: dict[Key, Reading | None] = {}
        taken = [one for one in results.values() if one is not None and one.label is not Label.CHANGED]
        lost = [key for key, one in results.items() if self.slots.get(key) and (one is None or one not in taken)]
        for key in (*lost, *lost):  # twice, since a value that is found frees the place of another
            current = results[key]
            if key in moved:
                continue
            held = current is None or not _is_free(current, taken)
            least = max(_SURE, 1 + (0 if held or current is None else self.fit(key, current)))
            for one in self.everywhere(key):
                if current is not None and self._is_correction(one.end, current.start):
                    continue  # the speaker took it back
                inside = current is not None and _lies_in(current, one) and not _lies_in(one, current)
                if _is_free(one, taken) and self.fit(key, one) >= (_SURE if inside else least):
                    moved[key] = one
                    taken.append(one)
                    break
        found = [one for one in moved.values() if one is not None]
        for key in lost:  # what was taken for another value is a part of the one that was found
            current = results[key]
            if key not in moved and current is not None and any(_lies_in(current, one) for one in found):
                moved[key] = None
        return moved

    def _is_correction(self, start: int, end: int) -> bool:
        return 0 < end - start <= _REACH and self.transcript.norms[start:end] in CORRECTIONS

    def settle(self, results: Mapping[Key, Reading | None]) -> dict[Key, Reading | None]:
        """What changes because a value stands in the place of another one of its kind.

        The other value is changed. The value itself is changed where the other one took its place in turn, else it is
        omitted: its only occurrence belongs to another intention.
        """
        settled: dict[Key, Reading | None] = {}
        placed = {key: one for key, one in results.items() if one is not None and one.label is not Label.CHANGED}
        for key, one in placed.items():
            if self.slots.get(key) is None:
                continue
            own = self.fit(key, one)
            for other, another in results.items():
                if other[0] == key[0] or self.kinds[other[0]] != self.kinds[key[0]] or not self.slots.get(other):
                    continue
                theirs = self.fit(other, one)
                if other in placed and another is not None:
                    if theirs + self.fit(key, another) > own + self.fit(other, another) and self._crossed(
                        key, one, other, another
                    ):
                        settled[key] = _changed(another)
                        settled[other] = _changed(one)
                elif theirs > own and own < _SURE and not self._stays(key, other, one):
                    instead = [two for two in self.everywhere(other) if self.fit(key, two) > self.fit(other, two)]
                    settled[key] = _changed(instead[0]) if instead else None
                    settled[other] = _changed(one)
        return settled

    def _stays(self, key: Key, other: Key, one: Reading) -> bool:
        """The words between the two slots went with the other value: `from a, reply to a` became `from a`."""
        own, theirs = self.sides(key, one), self.sides(other, one)
        return any(mine and not yours for mine, yours in zip(own, theirs, strict=True))

    def _crossed(self, key: Key, one: Reading, other: Key, another: Reading) -> bool:
        first, second = self.slots[key], self.slots[other]
        return (
            first is not None and second is not None and ((first.start < second.start) != (one.start < another.start))
        )


def _is_free(one: Reading, taken: list[Reading]) -> bool:
    return all(one.end <= other.start or one.start >= other.end for other in taken)


def _lies_in(inner: Reading, outer: Reading) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _changed(one: Reading) -> Reading:
    return replace(one, label=Label.CHANGED, reason="a value of another place stands here")


def _before(keys: tuple[str, ...], index: int) -> tuple[str, ...]:
    """The tokens before an index, the nearest first."""
    return (*keys[max(0, index - _REACH) : index][::-1], *((_BORDER,) if index < _REACH else ()))


def _behind(keys: tuple[str, ...], index: int) -> tuple[str, ...]:
    return (*keys[index : index + _REACH], *((_BORDER,) if index + _REACH > len(keys) else ()))


def _run(said: tuple[str, ...], heard: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(said[:_REACH], heard[:_REACH], strict=False):
        if one != other:
            break
        count += 1
    return count
