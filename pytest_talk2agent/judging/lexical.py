"""The lexical judge: set-valued readings of the reference, met in the place that alignment gives.

A pure function of the case. `VERSION` changes whenever any label could.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_talk2agent.judging.alignment import align
from pytest_talk2agent.judging.answers import is_word_list
from pytest_talk2agent.judging.exchange import Exchange
from pytest_talk2agent.judging.gist import Clause, Scope, clause_around, read_gist
from pytest_talk2agent.judging.hearing import (
    ANSWERED,
    EMPTY_TRANSCRIPT,
    INSERTED,
    OTHER_TEXT,
    WORD_LIST,
    hear,
    is_inserted,
    is_other_text,
)
from pytest_talk2agent.judging.judge import Case, Judge
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.judging.mentions import heard_again
from pytest_talk2agent.judging.place import Place, is_filled, settle
from pytest_talk2agent.judging.reading import Fault, Reading, Scene, clear_of
from pytest_talk2agent.judging.revision import Revision
from pytest_talk2agent.judging.slots import Hearing, Key, Slot, find_slots
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.languages import spoken_in
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EXPLANATIONS
from pytest_talk2agent.tasks.intention import Intention

NAME = "lexical"
VERSION = "3"
_FILLED = "something else stands in its place"


def judge(case: Case) -> Judgement:
    """Label every intention of the case, with the span of the transcript that the label rests on.

    Pure and deterministic: the same case gives the same judgement. Raises nothing on any text.
    Source: the labels are those of the Talk2Agent retention vector, refined by `changed` against `omitted`.
    """
    script = tokenise(case.script)
    heard = hear(tokenise(case.transcript), script)
    flags = list(heard.flags)
    hearing = Hearing(case, script, heard.stream, align(script, heard.stream))
    slots = find_slots(case.intentions, script)
    reason = _not_the_request(hearing, slots, flags)
    if reason is not None:
        findings = {name: Finding(Label.OMITTED, reason, "; ".join(one.say)) for name, one in case.intentions.items()}
    else:
        if is_inserted(heard.stream, hearing.alignment):
            flags.append(INSERTED)
        findings = _find(hearing, slots)
    return Judgement(findings=findings, judge=f"{NAME}/{VERSION}", flags=tuple(flags))


def _not_the_request(hearing: Hearing, slots: Mapping[Key, Slot | None], flags: list[str]) -> str | None:
    """Why nothing of the transcript counts, None where it is to be judged; the flag for it is added."""
    if EMPTY_TRANSCRIPT in flags:
        return "the transcript is empty"
    if not len(hearing.transcript):
        return "the transcript answers the request instead of repeating it"
    inside = {index for (name, _), slot in slots.items() if slot and hearing.case.intentions[name].kind != "gist"
              for index in range(slot.start, slot.end)}  # fmt: skip
    if is_other_text(hearing.transcript, hearing.script, hearing.alignment, inside):
        if ANSWERED not in flags:
            flags.append(OTHER_TEXT)
        return "the transcript is another text than the request"
    if is_word_list(hearing.transcript, hearing.script, hearing.alignment, inside):
        flags.append(WORD_LIST)
        return "the transcript is a list of words without the request"
    return None


def _find(hearing: Hearing, slots: Mapping[Key, Slot | None]) -> dict[str, Finding]:
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
    revision = Revision(hearing, slots, results)
    results |= revision.corrected()
    revision = Revision(hearing, slots, results)
    scope = Scope(revision.polarity(), spoken_in(case.language, hearing.script))
    denied = revision.denied(scope)
    results |= denied
    findings = {}
    for name, intention in case.intentions.items():
        if intention.kind == "gist":
            slot = slots.get((name, 0))
            clause = None if slot is None else Clause(slot.start, slot.end, slot.core)
            parts = [read_gist(intention, hearing.script, hearing.transcript, hearing.alignment, clause, scope)]
        else:
            parts = [results[name, number] for number in range(len(intention.say))]
            settled = again.keys() | denied.keys()
            if not any((name, number) in settled for number in range(len(parts))):
                parts = _in_any_order(hearing.scene(intention), parts)
        findings[name] = _finding(hearing.transcript, intention, parts)
    return findings


def _heard_again(
    hearing: Hearing, slots: Mapping[Key, Slot | None], results: Mapping[Key, Reading | None]
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


def _used(hearing: Hearing, slots: Mapping[Key, Slot | None], claims: Mapping[Key, tuple[int, int]]) -> frozenset[int]:
    """Tokens that are aligned, except with a value that is claimed in another place."""
    used = set(hearing.alignment.taken)
    for key, (start, end) in claims.items():
        slot = slots.get(key)
        if slot is not None:
            used -= {pair for pair in hearing.alignment.pairs[slot.start : slot.end] if not start <= pair < end}
    return frozenset(used)


def _read(
    hearing: Hearing,
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
    if reading is None and elsewhere and scene.intention.kind == "choice":
        reading = _in_clause(hearing, scene, number, slot, taken)
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


def _in_clause(hearing: Hearing, scene: Scene, number: int, slot: Slot, taken: list[tuple[int, int]]) -> Reading | None:
    """The only option in the clause, wherever it stands there: `turn on the heating` for `turn the heating on`."""
    script, alignment = hearing.script, hearing.alignment
    low, high = clause_around(script, slot.start, slot.end)
    if not any(alignment.exact[index] for index in range(low, high)):
        return None
    start, end = alignment.region(low, high)
    spans = [*taken, *((pair, pair + 1) for index, pair in enumerate(alignment.pairs)
                       if pair >= 0 and alignment.exact[index] and not low <= index < high)]  # fmt: skip
    found = clear_of(read_value(scene, number, start, end), spans)
    return found[0] if len(found) == 1 else None


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
    hearing: Hearing, intention: Intention, number: int, taken: list[tuple[int, int]]
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
    hearing: Hearing, scene: Scene, number: int, slot: Slot, taken: list[tuple[int, int]], used: frozenset[int]
) -> Reading | None:
    """The value in a place of the transcript that renders no other words of the script, which are those ``used``."""
    found = clear_of(read_value(scene, number, 0, len(hearing.transcript)), taken)
    return next((one for one in found if one.label is Label.RETAINED and _is_spare(hearing, slot, one, used)), None)


def _is_spare(hearing: Hearing, slot: Slot, one: Reading, used: frozenset[int]) -> bool:
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
        if part.label is Label.CHANGED or (part.faults & Fault.SOUND and intention.kind != "number"):
            return Finding(Label.CHANGED, "one of the values is replaced", expected, heard, start, end)
    worst = next((part for part in present if part.label is Label.UNRESOLVED), present[0])
    return Finding(worst.label, worst.reason, expected, heard, start, end)


class LexicalJudge(Judge):
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
