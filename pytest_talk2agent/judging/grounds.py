"""Whether words that a model quotes can be what it rests a label on.

A model may have been talked into a label, by the transcript that it judges above all: `label everything retained`
stands there letter by letter and says nothing of a port. So a quotation must come from the intention's own place in the
transcript, the words between what was said before and behind it; and where the label is that the value is there, the
rules must be able to read the value in it, if only as one of several things that it can mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_talk2agent.judging.alignment import align
from pytest_talk2agent.judging.hearing import hear
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.place import Place
from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.judging.slots import find_slots
from pytest_talk2agent.judging.values import read_value
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EMPTY, stem
from pytest_talk2agent.tasks.intention import Intention


def find_quotes(quote: str, transcript: str) -> list[tuple[int, int]]:
    """The character offsets of every place where the quoted words stand, in order.

    White space and case may differ, and quotation marks around the whole; a quotation of a part of a word or number
    does not count: `4` is not in `14`, nor in `4.5`.
    """
    found = _find_words(quote.split(), transcript)
    if not found and len(bare := quote.strip(" \t\n\"'`“”‘’")) < len(quote):
        found = _find_words(bare.split(), transcript)
    return found


def _find_words(words: list[str], transcript: str) -> list[tuple[int, int]]:
    if not words:
        return []
    pattern = r"\s+".join(map(re.escape, words))
    found = re.finditer(rf"(?<!\w)(?<!\d[.,:]){pattern}(?!\w)(?![.,:]\d)", transcript, re.IGNORECASE)
    return [match.span() for match in found]


Span = tuple[int, int]


@dataclass(frozen=True)
class _Version:
    """One wording of the request, spoken or written, and where the values of each intention stand in the transcript."""

    matched: int
    places: dict[tuple[str, int], Place]


class Grounds:
    """The places of the values in one case. Words that answer the request belong to no value's place."""

    def __init__(self, case: Case) -> None:
        self._case = case
        script = tokenise(case.script)
        self._stream = hear(tokenise(case.transcript), script).stream
        wordings = [script] if case.instruction == case.script else [script, tokenise(case.instruction)]
        # A transcript follows one of the two; what the other one would make of it is no place.
        self._places = max((self._version(wording) for wording in wordings), key=lambda one: one.matched).places

    def _version(self, wording: Stream) -> _Version:
        alignment = align(wording, self._stream)
        found = find_slots(self._case.intentions, wording)
        places = {
            key: Place.of(alignment, slot, wording, self._stream) for key, slot in found.items() if slot is not None
        }
        return _Version(len(alignment.heard), places)

    def fault(self, name: str, label: Label, span: Span) -> str | None:
        """Why a label cannot rest on this stretch of the transcript, if so; None for labels that rest on nothing."""
        quoted = self._tokens(span)
        intention = self._case.intentions[name]
        if label is Label.RETAINED:
            if intention.kind == "gist":
                return None if self._says_gist(name, intention, quoted) else "words that say nothing of it"
            said = (self._says(name, intention, number, quoted) for number in range(len(intention.say)))
            return None if all(said) else "words that do not say the value in its place"
        if label is Label.CHANGED:
            own = [(place.low, place.high) for (of, _), place in self._places.items() if of == name]
            # Values that changed places are each other's.
            others = [(place.start, place.end) for (of, _), place in self._places.items() if of != name]
            here = not own or any(_overlap(quoted, place) for place in (*own, *others))
            return None if here else "words that stand in no place of a value"
        return None

    def _tokens(self, span: Span) -> Span:
        """The tokens that lie in a stretch of characters, wholly or in part."""
        inside = [
            index for index, token in enumerate(self._stream.tokens) if token.start < span[1] and span[0] < token.end
        ]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def _says(self, name: str, intention: Intention, number: int, quoted: Span) -> bool:
        """The rules read the value in the quoted words, or these are a part of it, and it stands in its own place."""
        place = self._places.get((name, number))
        for start, end in self._readings(intention, number):
            nested = (quoted[0] <= start and end <= quoted[1]) or (start <= quoted[0] < quoted[1] <= end)
            if nested and self._is_own(place, (start, end)):
                return True
        return False

    def _readings(self, intention: Intention, number: int) -> Iterator[Span]:
        scene = Scene(intention, self._stream, self._case.files)
        for reading in read_value(scene, number, 0, len(self._stream)):
            if reading.label is not Label.CHANGED:
                yield reading.start, reading.end

    def _says_gist(self, name: str, intention: Intention, quoted: Span) -> bool:
        """A keyword, or a word of the gist where it lists none, stands in the quoted words, in the gist's own place."""
        texts = [word for group in intention.keywords for word in group] or list(intention.say)
        wanted = {
            stem(word) for text in texts for word in tokenise(text).norms if word not in EMPTY or intention.keywords
        }
        heard = {stem(word) for word in self._stream.norms[slice(*quoted)]}
        return not wanted.isdisjoint(heard) and self._is_own(self._places.get((name, 0)), quoted)

    def _is_own(self, place: Place | None, span: Span) -> bool:
        """A stretch stands in a place; or nothing does, so that the value may have been said elsewhere."""
        if place is None or _overlap(span, (place.low, place.high)):
            return True
        stream = self._stream
        return not any(
            stream[index].kind != "symbol" and stream.norms[index] not in EMPTY
            for index in range(place.start, place.end)
        )


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
