"""What corrections, spellings and negations make of the values that were found in their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pytest_talk2agent.judging.corrections import (
    corrected_between,
    corrections,
    replaced_later,
    rivals_of,
    said_again,
)
from pytest_talk2agent.judging.gist import Scope
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.pieces import letters_at
from pytest_talk2agent.judging.polarity import Polarity, Unit, is_denied
from pytest_talk2agent.judging.reading import Reading, Scene
from pytest_talk2agent.judging.slots import Hearing, Key, Slot
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.languages import ENGLISH
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import stem

_NEAR = 8
_SPELLED_REACH = 4  # `, spelled`, `that is`, `written as`
_SPELLED = frozenset(("term", "text", "identifier"))
_LEAST_LETTERS = 3

Results = Mapping[Key, Reading | None]


@dataclass(frozen=True)
class Revision:
    """The readings of all values, and what is to be changed of them."""

    hearing: Hearing
    slots: Mapping[Key, Slot | None]
    results: Results

    def polarity(self) -> Polarity:
        """The negations of script and transcript, but for those inside values."""
        hearing = self.hearing
        said: set[int] = set()
        heard = {index for one in self.results.values() if one is not None and one.label is not Label.CHANGED
                 for index in range(one.start, one.end)}  # fmt: skip
        pairs, norms = hearing.alignment.pairs, hearing.transcript.norms
        for key in self.results:
            slot = self.slots.get(key)
            if slot is None:
                continue
            said |= set(range(*slot.core))
            words = hearing.script.norms[slot.start : slot.end]
            rendered = [pair for pair in pairs[slot.start : slot.end] if pair >= 0]
            heard |= {pair for pair in rendered if norms[pair] not in words}
            heard |= {index for index in range(min(rendered, default=0) + 1, max(rendered, default=0))
                      if norms[index] not in words}  # fmt: skip
        return Polarity(hearing.script, hearing.transcript, hearing.alignment, said, heard)

    def corrected(self) -> dict[Key, Reading | None]:
        """Values of which the last one counts, of which both stand there, or that are spelled out behind their name."""
        found: dict[Key, Reading | None] = {}
        hearing = self.hearing
        own = {start for start, _ in corrections(hearing.script)}
        known = frozenset(pair for index, pair in enumerate(hearing.alignment.pairs)
                          if index in own and hearing.alignment.exact[index])  # fmt: skip
        for key, one in self.results.items():
            slot = self.slots.get(key)
            if slot is None:
                continue
            scene = self._scene(key, slot)
            taken = self._taken(key)
            new = self._spelled(scene, key[1], slot, one)
            if new is None and slot.withdrawn is None and one is not None and one.label is Label.CHANGED:
                again = said_again(scene, key[1], max(0, one.start - _NEAR), one.end + _NEAR)
                new = next((each for each in again if taken.isdisjoint(range(each.start, each.end))), None)
            if new is None and slot.withdrawn is not None:
                new = self._withdrawn(scene, key[1], slot, one, taken)
            elif new is None and one is not None:
                new = _taken_back(scene, key[1], one, known, taken, self._said_beside(key, slot))
            if new is not None:
                found[key] = new
        return found

    def _scene(self, key: Key, slot: Slot) -> Scene:
        scene = self.hearing.scene(self.hearing.case.intentions[key[0]])
        return replace(scene, script=self.hearing.script, slot=(slot.start, slot.end))

    def _taken(self, key: Key) -> frozenset[int]:
        """Tokens of other values."""
        return frozenset(index for other, one in self.results.items() if other != key and one is not None
                         and one.label is not Label.CHANGED for index in range(one.start, one.end))  # fmt: skip

    def _said_beside(self, key: Key, slot: Slot) -> frozenset[int]:
        """Tokens of the transcript that say other values of the script, whatever they were read as."""
        alignment = self.hearing.alignment
        return frozenset(
            alignment.pairs[index]
            for other, place in self.slots.items()
            if other != key and other in self.results and place is not None and not slot.nests(place)
            for index in range(*place.core)
            if alignment.exact[index]
        )

    def _spelled(self, scene: Scene, number: int, slot: Slot, one: Reading | None) -> Reading | None:
        """A name that the speaker spells behind it: the spelling counts where the two differ."""
        value = scene.intention.say[number].casefold()
        script, alignment = self.hearing.script, self.hearing.alignment
        if scene.intention.kind not in _SPELLED or not value.isalnum():
            return None
        said = _spelling_behind(script, slot.end, value)
        if said is None:
            return None
        low, high = alignment.region(*said)
        low = max(low, one.end) if one is not None and one.end <= high else low
        for start in range(low, min(high, len(scene.stream))):
            letters = letters_at(scene.stream, start, least=_LEAST_LETTERS)
            if letters is None:
                continue
            if letters[0] == value:
                return Reading(start, letters[1], Label.RETAINED, "it is spelled out")
            if one is not None and one.label is Label.RETAINED:
                return replace(one, label=Label.UNRESOLVED, reason="its spelling contradicts it")
            return Reading(start, letters[1], Label.CHANGED, "another spelling")
        return None

    def _withdrawn(
        self, scene: Scene, number: int, slot: Slot, one: Reading | None, taken: frozenset[int]
    ) -> Reading | None:
        """What the script's own correction makes of a value; None where it leaves it as it is."""
        stream = scene.stream
        if slot.withdrawn is None:
            return None
        low, high = self.hearing.alignment.region(min(slot.withdrawn[0], slot.start), slot.end)
        again = said_again(scene, number, low, len(stream))
        if (one is None or one.label is Label.CHANGED) and again:
            one = again[-1]
        if one is not None:
            low, high = min(low, one.start), max(high, one.end)
        ends = next((index for index in range(high, len(stream)) if stream[index].paused), len(stream))
        rivals = [
            span
            for span in rivals_of(scene, number, slot.withdrawn)
            if low <= span[0]
            and not taken & set(range(*span))
            and (one is None or span[1] <= one.start or one.end <= span[0])
            and not is_denied(stream, *span)
        ]
        if one is None or one.label is Label.CHANGED:
            if one is None and rivals:
                return Reading(*rivals[-1], Label.CHANGED, "only the value that was taken back stands there")
            return None
        later = [span for span in rivals if span[0] >= one.end and corrected_between(stream, one.end, span[0])]
        if later:
            return Reading(*later[-1], Label.CHANGED, "the speaker took it back")
        near = [span for span in rivals if span[0] < max(ends, one.end + _NEAR)]
        if any(not corrected_between(stream, *sorted((span[0], one.start))) for span in near):
            return replace(one, label=Label.UNRESOLVED, reason="two values stand there without a word of correction")
        return one

    def denied(self, scope: Scope) -> dict[Key, Reading | None]:
        """Values that are excluded where the speaker did not exclude them, or no longer are: changed in every kind.

        Where a verb is negated, the intention that carries the verb tells; the values that it governs are changed where
        there is none.
        """
        found: dict[Key, Reading | None] = {}
        for key, one in self.results.items():
            slot = self.slots.get(key)
            if one is None or slot is None or one.label is Label.CHANGED or scope.language != ENGLISH:
                continue
            said, heard = _unit(*slot.core), _unit(one.start, one.end)
            for denial, is_heard in scope.polarity.differing(said, heard):
                stream = self.hearing.transcript if is_heard else self.hearing.script
                if denial.verb is None or not self._is_carried(key, stem(stream.norms[denial.verb])):
                    found[key] = replace(one, label=Label.CHANGED, reason="a negation was lost or added")
                    break
            else:
                if one.label is Label.RETAINED and self._admits_rival(key, scope):
                    found[key] = replace(one, label=Label.UNRESOLVED, reason="another option is no longer excluded")
        return found

    def _admits_rival(self, key: Key, scope: Scope) -> bool:
        """Another option is excluded by the speaker beside the right one, and not by the transcript."""
        hearing = self.hearing
        intention = hearing.case.intentions[key[0]]
        if intention.kind != "choice":
            return False
        heard = read_value(hearing.scene(intention), key[1], 0, len(hearing.transcript))
        said = read_value(hearing.scene(intention, hearing.script), key[1], 0, len(hearing.script))
        return any(
            there.start in hearing.alignment.pairs[here.start : here.end]
            and scope.polarity.differing(_unit(here.start, here.end), _unit(there.start, there.end))
            for here in said
            if here.label is Label.CHANGED
            for there in heard
        )

    def _is_carried(self, key: Key, verb: str) -> bool:
        """Another intention holds the verb, so that it tells of its negation."""
        for name, intention in self.hearing.case.intentions.items():
            if name == key[0] or not (intention.kind in ("gist", "choice") or self.slots.get((name, 0)) is None):
                continue
            texts = [*intention.say, *(word for group in intention.keywords for word in group), *intention.contrary]
            if any(stem(word) == verb for text in texts for word in tokenise(text).norms):
                return True
        return False


def _unit(start: int, end: int) -> Unit:
    return Unit(start, end, end - 1)


def _spelling_behind(script: Stream, start: int, value: str) -> tuple[int, int] | None:
    """Where the script spells the value letter by letter behind it."""
    for index in range(start, min(start + _SPELLED_REACH, len(script))):
        letters = letters_at(script, index, least=_LEAST_LETTERS)
        if letters is not None and letters[0] == value:
            return index, letters[1]
    return None


def _taken_back(
    scene: Scene, number: int, one: Reading, known: frozenset[int], taken: frozenset[int], beside: frozenset[int]
) -> Reading | None:
    """A correction that the transcript alone has, behind the value that was heard."""
    last = replaced_later(scene, number, one, known, taken, beside)
    if last is None or (last.label is Label.CHANGED and one.label is Label.CHANGED):
        return None
    if last.label is Label.CHANGED:
        return replace(last, reason="the speaker took it back")
    return last
