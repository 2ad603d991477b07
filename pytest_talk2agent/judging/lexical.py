"""The lexical judge: set-valued readings of the reference, met in the place that alignment gives.

A pure function of the case. `VERSION` changes whenever any label could.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_talk2agent.judging.alignment import Alignment, align
from pytest_talk2agent.judging.answers import is_word_list
from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.corrections import (
    corrected_between,
    corrections,
    replaced_later,
    rivals_of,
    said_again,
)
from pytest_talk2agent.judging.exchange import Exchange
from pytest_talk2agent.judging.gist import Clause, Scope, read_gist
from pytest_talk2agent.judging.hearing import (
    ANSWERED,
    EMPTY_TRANSCRIPT,
    INSERTED,
    WORD_LIST,
    hear,
    is_inserted,
    is_other_text,
)
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.judging.languages import ENGLISH, spoken_in
from pytest_talk2agent.judging.mentions import heard_again
from pytest_talk2agent.judging.place import Place, is_filled, settle
from pytest_talk2agent.judging.polarity import Polarity, Unit
from pytest_talk2agent.judging.reading import Fault, Reading, Scene, clear_of
from pytest_talk2agent.judging.slots import Key, Slot, find_slots
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EXPLANATIONS, stem
from pytest_talk2agent.tasks.intention import Intention

NAME = "lexical"
VERSION = "2"
_FILLED = "something else stands in its place"


@dataclass(frozen=True)
class _Hearing:
    """The case as tokens."""

    case: Case
    script: Stream
    transcript: Stream
    alignment: Alignment

    def scene(self, intention: Intention) -> Scene:
        """What a reader of the transcript needs for one intention."""
        others = tuple(
            value
            for other in self.case.intentions.values()
            if other is not intention and other.kind == intention.kind
            for value in other.say
        )
        return Scene(intention, self.transcript, self.case.files, others)

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


def judge(case: Case) -> Judgement:
    """Label every intention of the case, with the span of the transcript that the label rests on.

    Pure and deterministic: the same case gives the same judgement. Raises nothing on any text.
    Source: the labels are those of the Talk2Agent retention vector, refined by `changed` against `omitted`.
    """
    script = tokenise(case.script)
    heard = hear(tokenise(case.transcript), script)
    flags = list(heard.flags)
    hearing = _Hearing(case, script, heard.stream, align(script, heard.stream))
    slots = find_slots(case.intentions, script)
    reason = _not_the_request(hearing, slots, flags)
    if reason is not None:
        findings = {name: Finding(Label.OMITTED, reason, "; ".join(one.say)) for name, one in case.intentions.items()}
    else:
        if is_inserted(heard.stream, hearing.alignment):
            flags.append(INSERTED)
        findings = _find(hearing, slots)
    return Judgement(findings=findings, judge=f"{NAME}/{VERSION}", flags=tuple(flags))


def _not_the_request(hearing: _Hearing, slots: Mapping[Key, Slot | None], flags: list[str]) -> str | None:
    """Why nothing of the transcript counts, None where it is to be judged; the flag for it is added."""
    if EMPTY_TRANSCRIPT in flags:
        return "the transcript is empty"
    if not len(hearing.transcript):
        return "the transcript answers the request instead of repeating it"
    if is_other_text(hearing.transcript, hearing.script, hearing.alignment):
        if ANSWERED not in flags:
            flags.append(ANSWERED)
        return "the transcript is another text than the request"
    inside = {index for (name, _), slot in slots.items() if slot and hearing.case.intentions[name].kind != "gist"
              for index in range(slot.start, slot.end)}  # fmt: skip
    if is_word_list(hearing.transcript, hearing.script, hearing.alignment, inside):
        flags.append(WORD_LIST)
        return "the transcript is a list of words without the request"
    return None


def _find(hearing: _Hearing, slots: Mapping[Key, Slot | None]) -> dict[str, Finding]:
    """Findings for all intentions: clear values are claimed first, so that no span serves two of them."""
    case = hearing.case
    claims: dict[tuple[str, int], tuple[int, int]] = {}
    results: dict[tuple[str, int], Reading | None] = {}
    keys = [(name, number) for name, one in case.intentions.items() if one.kind != "gist"
            for number in range(len(one.say))]  # fmt: skip
    ordered = sorted(keys, key=lambda key: slot.start if (slot := slots.get(key)) else len(hearing.script))
    for second in (False, True):
        for key in ordered:
            if key in claims:
                continue
            slot = slots.get(key)
            taken = [
                span for other, span in claims.items() if other != key and not (slot and slot.nests(slots.get(other)))
            ]
            used = _used(hearing, slots, claims)
            reading = _read(hearing, case.intentions[key[0]], key[1], slot, taken, used, elsewhere=second)
            results[key] = reading
            if reading is not None and (
                reading.label is Label.RETAINED or (second and reading.label is not Label.CHANGED)
            ):
                claims[key] = (reading.start, reading.end)
    kinds = {name: one.kind for name, one in case.intentions.items()}

    def everywhere(key: Key) -> list[Reading]:
        found = read_value(hearing.scene(case.intentions[key[0]]), key[1], 0, len(hearing.transcript))
        return [one for one in found if one.label is Label.RETAINED]

    exchange = Exchange(hearing.script, hearing.transcript, slots, kinds, everywhere)
    results |= exchange.relocate(results)
    results |= exchange.settle(results)
    again = _heard_again(hearing, slots, results)
    results |= again
    scope = Scope(
        Polarity(hearing.script, hearing.transcript, hearing.alignment, *_inside_values(hearing, slots, results)),
        spoken_in(case.language, hearing.script),
    )
    results |= _corrected(hearing, slots, results)
    results |= _denied(hearing, slots, results, scope)
    findings = {}
    for name, intention in case.intentions.items():
        if intention.kind == "gist":
            slot = slots.get((name, 0))
            clause = None if slot is None else Clause(slot.start, slot.end, slot.core)
            parts = [read_gist(intention, hearing.script, hearing.transcript, hearing.alignment, clause, scope)]
        else:
            parts = [results[name, number] for number in range(len(intention.say))]
            if not any((name, number) in again for number in range(len(parts))):
                parts = _in_any_order(hearing.scene(intention), parts)
        findings[name] = _finding(hearing.transcript, intention, parts)
    return findings


def _corrected(
    hearing: _Hearing, slots: Mapping[Key, Slot | None], results: Mapping[Key, Reading | None]
) -> dict[Key, Reading | None]:
    """Values of which the last one counts, or of which both stand there without a word of correction."""
    found: dict[Key, Reading | None] = {}
    stream = hearing.transcript
    own = {start for start, _ in corrections(hearing.script)}
    known = frozenset(pair for index, pair in enumerate(hearing.alignment.pairs)
                      if index in own and hearing.alignment.exact[index])  # fmt: skip
    for key, one in results.items():
        slot = slots.get(key)
        if slot is None:
            continue
        scene = replace(hearing.scene(hearing.case.intentions[key[0]]), script=hearing.script, slot=(slot.start, slot.end))
        taken = frozenset(index for other, each in results.items() if other != key and each is not None
                          and each.label is not Label.CHANGED for index in range(each.start, each.end))  # fmt: skip
        if slot.withdrawn is not None:
            new = _withdrawn(scene, key[1], slot, one, taken, hearing.alignment)
        elif one is None:
            new = None
        else:
            new = _taken_back(scene, key[1], one, known, taken)
        if new is not None:
            found[key] = new
    return found


def _withdrawn(
    scene: Scene, number: int, slot: Slot, one: Reading | None, taken: frozenset[int], alignment: Alignment
) -> Reading | None:
    """What the script's own correction makes of a value; None where it leaves it as it is."""
    stream = scene.stream
    if slot.withdrawn is None:
        return None
    low, high = alignment.region(min(slot.withdrawn[0], slot.start), slot.end)
    again = said_again(scene, number, low, len(stream))
    if (one is None or one.label is Label.CHANGED) and again:
        one = again[-1]
    if one is not None:
        low, high = min(low, one.start), max(high, one.end)
    ends = next((index for index in range(high, len(stream)) if stream[index].paused), len(stream))
    rivals = [
        span
        for span in rivals_of(scene, number, slot.withdrawn)
        if low <= span[0] and not taken & set(range(*span)) and (one is None or not _overlaps(span, one))
    ]
    if one is None or one.label is Label.CHANGED:
        if one is None and rivals:
            return Reading(*rivals[-1], Label.CHANGED, "only the value that was taken back stands there")
        return None
    later = [span for span in rivals if span[0] >= one.end and corrected_between(stream, one.end, span[0])]
    if later:
        return Reading(*later[-1], Label.CHANGED, "the speaker took it back")
    near = [span for span in rivals if span[0] < max(ends, one.end + 8)]
    if any(not corrected_between(stream, *sorted((span[0], one.start))) for span in near):
        return replace(one, label=Label.UNRESOLVED, reason="two values stand there without a word of correction")
    return one


def _overlaps(span: tuple[int, int], one: Reading) -> bool:
    return span[0] < one.end and one.start < span[1]


def _taken_back(
    scene: Scene, number: int, one: Reading, known: frozenset[int], taken: frozenset[int]
) -> Reading | None:
    """A correction that the transcript alone has, behind the value that was heard."""
    last = replaced_later(scene, number, one, known, taken)
    if last is None or (last.label is Label.CHANGED and one.label is Label.CHANGED):
        return None
    if last.label is Label.CHANGED:
        return replace(last, reason="the speaker took it back")
    return last


def _denied(
    hearing: _Hearing, slots: Mapping[Key, Slot | None], results: Mapping[Key, Reading | None], scope: Scope
) -> dict[Key, Reading | None]:
    """Values that are excluded where the speaker did not exclude them, or no longer are; changed whatever their kind.

    Where a verb is negated, the intention that carries the verb tells; the values that it governs are changed where
    there is none.
    """
    found: dict[Key, Reading | None] = {}
    for key, one in results.items():
        slot = slots.get(key)
        if one is None or slot is None or one.label is Label.CHANGED or scope.language != ENGLISH:
            continue
        said, heard = Unit(slot.core[0], slot.core[1], slot.core[1] - 1), Unit(one.start, one.end, one.end - 1)
        for denial, is_heard in scope.polarity.differing(said, heard):
            stream = hearing.transcript if is_heard else hearing.script
            if denial.verb is None or not _is_carried(hearing, slots, key, stem(stream.norms[denial.verb])):
                found[key] = replace(one, label=Label.CHANGED, reason="a negation was lost or added")
                break
    return found


def _is_carried(hearing: _Hearing, slots: Mapping[Key, Slot | None], key: Key, verb: str) -> bool:
    """Another intention holds the verb, so that it tells of its negation."""
    for name, intention in hearing.case.intentions.items():
        if name == key[0]:
            continue
        words = [*intention.say, *(word for group in intention.keywords for word in group), *intention.contrary]
        is_said = intention.kind in ("gist", "choice") or slots.get((name, 0)) is None
        if is_said and any(stem(word) == verb for text in words for word in tokenise(text).norms):
            return True
    return False


def _inside_values(
    hearing: _Hearing, slots: Mapping[Key, Slot | None], results: Mapping[Key, Reading | None]
) -> tuple[set[int], set[int]]:
    """Tokens of the script and of the transcript that are a part of a value or stand in the place of a part of it."""
    said: set[int] = set()
    heard = {index for one in results.values() if one is not None and one.label is not Label.CHANGED
             for index in range(one.start, one.end)}  # fmt: skip
    pairs, norms = hearing.alignment.pairs, hearing.transcript.norms
    for key in results:
        slot = slots.get(key)
        if slot is None:
            continue
        said |= set(range(*slot.core))
        words = hearing.script.norms[slot.start : slot.end]
        rendered = [pair for pair in pairs[slot.start : slot.end] if pair >= 0]
        heard |= {pair for pair in rendered if norms[pair] not in words}
        heard |= {index for index in range(min(rendered, default=0) + 1, max(rendered, default=0))
                  if norms[index] not in words}  # fmt: skip
    return said, heard


def _heard_again(
    hearing: _Hearing, slots: Mapping[Key, Slot | None], results: Mapping[Key, Reading | None]
) -> dict[Key, Reading]:
    """Readings at later mentions, for values in whose place nothing was heard."""
    found: dict[Key, Reading] = {}
    for key, one in results.items():
        slot = slots.get(key)
        if one is None and slot is not None:
            taken = [(other.start, other.end) for other in (*results.values(), *found.values()) if other is not None]
            others = [slots[other] for other in results if other != key]
            scene = replace(hearing.scene(hearing.case.intentions[key[0]]), script=hearing.script)
            free = [other for other in others if other is not None]
            if again := heard_again(scene, key[1], slot, free, hearing.alignment, taken):
                found[key] = again
    return found


def _used(hearing: _Hearing, slots: Mapping[Key, Slot | None], claims: Mapping[Key, tuple[int, int]]) -> frozenset[int]:
    """Tokens that are aligned, except with a value that is claimed in another place."""
    used = set(hearing.alignment.taken)
    for key, (start, end) in claims.items():
        slot = slots.get(key)
        if slot is not None:
            used -= {pair for pair in hearing.alignment.pairs[slot.start : slot.end] if not start <= pair < end}
    return frozenset(used)


def _read(
    hearing: _Hearing,
    intention: Intention,
    number: int,
    slot: Slot | None,
    taken: list[tuple[int, int]],
    used: frozenset[int],
    *,
    elsewhere: bool,
) -> Reading | None:
    """The reading of one value; None where nothing stands in its place.

    ``taken`` are the spans of other values, ``used`` the tokens that render other words of the script.

    ``elsewhere`` also looks outside the place, where the clause around the value was moved or lost its anchors.
    """
    transcript, alignment = hearing.transcript, hearing.alignment
    scene = hearing.scene(intention)
    if slot is None:
        found = clear_of(read_value(scene, number, 0, len(transcript)), taken)
        return next((one for one in found if one.label is Label.RETAINED), None) if elsewhere else None
    scene = replace(
        scene, forgiven=slot.faults & (Fault.SPLIT | Fault.BLANK), script=hearing.script, slot=(slot.start, slot.end)
    )  # fmt: skip
    place = Place.of(alignment, slot, hearing.script, transcript)
    found = clear_of(read_value(scene, number, place.low, place.high), taken)
    found = _without_siblings(scene, number, found, place)
    reading = settle(scene, found, place)
    if reading is not None and reading.faults & Fault.SOUND and (explained := _explained(scene, number)):
        return explained
    if reading is not None and reading.label is not Label.CHANGED:
        return reading
    if elsewhere and not alignment.anchored(slot.start, slot.end):
        spare = _spare(hearing, scene, number, slot, taken, alignment.heard)
        if spare is not None:
            return spare
    if reading is None:
        printed = _by_instruction(hearing, intention, number, taken) if elsewhere else None
        if printed is not None and printed.label is Label.RETAINED:
            return printed
        if is_filled(scene, place, taken):
            return Reading(*place.filled(transcript, taken), Label.CHANGED, _FILLED)
        if printed is None or not hearing.is_printed:
            return _spare(hearing, scene, number, slot, taken, used) if elsewhere else None
        return printed
    return reading


def _explained(scene: Scene, number: int) -> Reading | None:
    """A clear reading elsewhere that explains a word of the same sound: `jason, that is j s o n`."""
    norms = scene.stream.norms
    for one in read_value(scene, number, 0, len(scene.stream)):
        before = [
            norms[one.start - len(words) : one.start] == words for words in EXPLANATIONS if one.start >= len(words)
        ]
        if one.label is Label.RETAINED and any(before):
            return one
    return None


def _by_instruction(
    hearing: _Hearing, intention: Intention, number: int, taken: list[tuple[int, int]]
) -> Reading | None:
    """What stands in the place that the written instruction gives.

    Where speech and print differ much (`three and a quarter percent`, `3.25%`), the script's alignment may miss the
    place of a value that the transcript prints.
    """
    printed = hearing.printed
    if printed is None:
        return None
    instruction, alignment, slots = printed
    slot = next(
        (slots.get(key) for key in slots if key[1] == number and hearing.case.intentions[key[0]] is intention), None
    )
    if slot is None:
        return None
    scene = replace(hearing.scene(intention), script=instruction, slot=(slot.start, slot.end))
    place = Place.of(alignment, slot, instruction, hearing.transcript)
    found = clear_of(read_value(scene, number, place.low, place.high), taken)
    reading = settle(scene, _without_siblings(scene, number, found, place), place)
    if reading is None and is_filled(scene, place, taken):
        return Reading(*place.filled(hearing.transcript, taken), Label.CHANGED, _FILLED)
    return reading


def _without_siblings(scene: Scene, number: int, found: list[Reading], place: Place) -> list[Reading]:
    """Another item of the same list is no rival of this one."""
    others = [other for other in range(len(scene.intention.say)) if other != number]
    spans = [(one.start, one.end) for other in others for one in read_value(scene, other, place.low, place.high)
             if one.label is Label.RETAINED]  # fmt: skip
    return [one for one in found if one.label is not Label.CHANGED or clear_of([one], spans)]


def _spare(
    hearing: _Hearing, scene: Scene, number: int, slot: Slot, taken: list[tuple[int, int]], used: frozenset[int]
) -> Reading | None:
    """The value in a place of the transcript that renders no other words of the script, which are those ``used``."""
    found = clear_of(read_value(scene, number, 0, len(hearing.transcript)), taken)
    return next((one for one in found if one.label is Label.RETAINED and _is_spare(hearing, slot, one, used)), None)


def _is_spare(hearing: _Hearing, slot: Slot, one: Reading, used: frozenset[int]) -> bool:
    """The span is not the transcript's rendering of other words, and the word before it is the script's too."""
    if any(index in used for index in range(one.start, one.end)):
        return False
    before = hearing.script.norms[max(0, slot.start - 2) : slot.start]
    return any(word in before for word in hearing.transcript.norms[max(0, one.start - 2) : one.start])


def _in_any_order(scene: Scene, parts: list[Reading | None]) -> list[Reading | None]:
    """The items of a list where they stand, if all of them do in the part of the transcript that the list takes."""
    present = [part for part in parts if part is not None]
    if len(parts) < 2 or len(present) < len(parts) or all(part.label is Label.RETAINED for part in present):
        return parts
    low, high = min(part.start for part in present), max(part.end for part in present)
    found: list[Reading | None] = []
    for number in range(len(parts)):
        spans = [(one.start, one.end) for one in found if one is not None]
        right = [one for one in clear_of(read_value(scene, number, low, high), spans) if one.label is Label.RETAINED]
        found.append(right[0] if right else None)
    return parts if None in found else found


def _finding(transcript: Stream, intention: Intention, parts: list[Reading | None]) -> Finding:
    """Several values must all come across: one that is dropped or replaced makes the intention changed."""
    expected = "; ".join(intention.say)
    present = [part for part in parts if part is not None]
    if not present:
        return Finding(Label.OMITTED, "nothing stands in its place", expected)
    start, _ = transcript.span(present[0].start, present[0].end)
    end = max(transcript.span(part.start, part.end)[1] for part in present)
    start = min(transcript.span(part.start, part.end)[0] for part in present)
    heard = transcript.text[start:end]
    if len(parts) == 1:
        return Finding(present[0].label, present[0].reason, expected, heard, start, end)
    if len(present) < len(parts):
        return Finding(Label.CHANGED, "one of the values is missing", expected, heard, start, end)
    for part in present:
        if part.label is Label.CHANGED or part.faults & Fault.SOUND:
            return Finding(Label.CHANGED, "one of the values is replaced", expected, heard, start, end)
    worst = next((part for part in present if part.label is Label.UNRESOLVED), present[0])
    return Finding(worst.label, worst.reason, expected, heard, start, end)


class LexicalJudge:
    """`judge` as the object that a run holds."""

    fingerprint = f"{NAME}/{VERSION}"

    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript."""
        return judge(case)


def make_judge(argument: str | None) -> LexicalJudge:
    """The judge of the spec ``lexical``; raises ValueError for an argument, since it takes none."""
    if argument is not None:
        raise ValueError(f"lexical takes no argument, not {argument!r}; write lexical")
    return LexicalJudge()
