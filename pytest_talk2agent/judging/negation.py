"""Negation in English: which words of a text a negation governs.

Rules of scope, not a parse: a negation governs what follows it up to the end of its clause. `or` and `nor` carry it on
to a second verb, `and` to a second noun only; a comma, `but`, `then` or a new command ends it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pytest_talk2agent.judging.clause_words import (
    ADVERBS,
    ALONE,
    ANEW,
    AUXILIARIES,
    BARELY,
    BEFORE_NOUNS,
    CAUSATIVES,
    CLAUSES,
    COMMANDS,
    CONTRASTS,
    DENYING,
    DETERMINERS,
    ENDING,
    EXCLUDING,
    IDLE,
    JOINERS,
    OBJECTS,
    PARTICLES,
    PREPOSITIONS,
    QUANTIFIERS,
    RELATIVES,
    ROOTS,
    SPOKEN_JOINERS,
    STATING,
    SUBJECTS,
    TARGETS,
    TRIGGERS,
    WHOLES,
    WISHES,
    Phrases,
)
from pytest_talk2agent.speech.numerals import is_numeric
from pytest_talk2agent.speech.tokens import Stream

_HARD = frozenset(".?!;:\n—")
_LONGEST_LIST = 12
_LONGEST_NOUN = 6
_LONGEST_SCOPE = 30  # words that one negation governs, where no pause is heard


def phrase_at(stream: Stream, index: int, phrases: Phrases) -> tuple[str, ...] | None:
    """The longest of the phrases that stands at the token."""
    return next((each for each in phrases.get(stream.norms[index], ()) if stream.phrase_at(index, each)), None)


@dataclass(frozen=True, slots=True)
class Denial:
    """A negation: the tokens ``start`` to ``end`` deny those from ``low`` to ``high``.

    ``wide`` is where its scope would end if no comma or full stop were there, which speech does not show. ``verb`` is
    the verb that is denied, None where a thing is excluded. ``polite`` may be a question that denies nothing: `don't
    you help me`.
    """

    start: int
    end: int
    low: int
    high: int
    wide: int
    verb: int | None
    polite: bool = False

    def covers(self, index: int, *, loosely: bool = False) -> bool:
        """The token is governed."""
        return self.low <= index < (max(self.high, self.wide) if loosely else self.high)


@lru_cache(maxsize=256)
def denials(stream: Stream) -> tuple[Denial, ...]:
    """All negations of a text, in order."""
    found: list[Denial] = []
    index = 0
    while index < len(stream):
        if _is_named(stream, index):
            index += 1
            continue
        idle = phrase_at(stream, index, IDLE)
        if idle is not None and not (idle in (("not", "yet"), ("no", "way")) and _is_governing(stream, index)):
            index += len(idle)
            continue
        here = _denials_at(stream, index) if stream.norms[index] in TRIGGERS else []
        found += here
        index = max((one.end for one in here), default=index + 1)
    return tuple(replace(one, polite=True) if _is_asked(stream, one.start) else one for one in found)


def _is_asked(stream: Stream, index: int) -> bool:
    """The sentence begins as a question: `is there no train`, `could you not wait`; not `do not wait`."""
    start = index
    while start > 0 and _HARD.isdisjoint(stream[start].lead):
        start -= 1
    return stream.norms[start] in AUXILIARIES and stream.norms[start + 1 : start + 2] not in (("not",), ("never",))


def _is_named(stream: Stream, index: int) -> bool:
    """A part of a name: `--no-deps`, `dash dash no deps`, `not_found`."""
    after = index + 1 < len(stream) and stream[index + 1].glued and stream[index + 1].norm in JOINERS
    before = index > 0 and (
        (stream[index].glued and stream[index - 1].kind == "symbol") or stream.norms[index - 1] in SPOKEN_JOINERS
    )
    return after or before


def _is_governing(stream: Stream, index: int) -> bool:
    return index > 0 and stream.norms[index - 1] in AUXILIARIES


def _denials_at(stream: Stream, index: int) -> list[Denial]:
    norms, word = stream.norms, stream.norms[index]
    if word == "not":
        return _not(stream, index)
    if word in ("never", "neither"):
        return _forward(stream, index, index + 1, is_verb=True)
    if word == "nor":
        return [] if _in_sentence(stream, index, "neither") or _in_sentence(stream, index, "not") else _forward(
            stream, index, index + 1, is_verb=True
        )  # fmt: skip
    if word in BARELY:
        return _forward(stream, index, index + 1, is_verb=True)
    if word == "no" and norms[index + 1 : index + 2] == ("one",) and _is_nobody(stream, index):
        return _clause(stream, index, index + 2)
    if word == "no":
        return _no(stream, index)
    if word in QUANTIFIERS:
        return _clause(stream, index, index + 1)
    if word == "unless":
        return _forward(stream, index, index + 1, is_verb=False)
    if word in DENYING:
        between = DENYING[word]
        if not between:
            return _forward(stream, index, index + 1, is_verb=True)
        return _forward(stream, index, index + 2, is_verb=True) if norms[index + 1 : index + 2] in {
            (each,) for each in between
        } else []  # fmt: skip
    if word in ENDING and index + 1 < len(norms) and norms[index + 1].endswith("ing") and len(norms[index + 1]) > 4:
        return _forward(stream, index, index + 1, is_verb=True)
    if word == "but" and _is_exception(stream, index):
        return _forward(stream, index, index + 1, is_verb=False)
    phrase = phrase_at(stream, index, EXCLUDING)
    return [] if phrase is None else _forward(stream, index, index + len(phrase), is_verb=False)


def _not(stream: Stream, index: int) -> list[Denial]:
    norms = stream.norms
    before = norms[index - 1] if index else ""
    after = norms[index + 1] if index + 1 < len(norms) else ""
    if before in AUXILIARIES:
        if after in SUBJECTS | {"there"} and not stream[index + 1].paused:
            asked = _forward(stream, index, index + 2, is_verb=True)
            return [replace(one, polite=True) for one in asked]
        subject = index > 1 and norms[index - 2] in ("why",)
        if subject:
            return []
        return _forward(stream, index, index + 1, is_verb=True)
    return _forward(stream, index, index + 1, is_verb=after == "to" or after in COMMANDS)


def _is_nobody(stream: Stream, index: int) -> bool:
    """`ask no one`, unlike `wait ten, no, one minute`."""
    before = stream.norms[index - 1] if index else ""
    return not stream[index + 1].paused and not is_numeric(before) and (index == 0 or not stream[index].paused)


def _no(stream: Stream, index: int) -> list[Denial]:
    norms = stream.norms
    if index + 1 >= len(norms) or stream[index + 1].paused:
        return []
    after = norms[index + 1]
    if after in ("longer", "more") and index + 2 < len(norms) and norms[index + 2] not in ("than",):
        return _forward(stream, index, index + 2, is_verb=True)
    begins = index == 0 or stream[index].paused
    if after in DETERMINERS or after in SUBJECTS or (begins and after in COMMANDS) or is_numeric(after):
        return []  # `no, the light theme`, `no, push` without its comma
    if after in ("i", "it", "make", "that", "instead", "please", "in", "on", "at", "to"):
        return []
    if not begins and norms[index - 1] not in BEFORE_NOUNS:
        return []  # `friday no saturday`
    end = _noun_end(stream, index + 1)
    found = [Denial(index, index + 1, index + 1, end, end, None)]
    if not begins and norms[index - 1] not in PREPOSITIONS:
        found += _clause(stream, index, index + 1, is_noun=True)  # `use no colours` denies the verb as well
    return found


def _noun_end(stream: Stream, low: int) -> int:
    """Where the noun ends that `no` denies, with what belongs to it: `no changes to the layout`."""
    norms = stream.norms
    for index in range(low + 1, min(len(stream), low + _LONGEST_NOUN)):
        if stream[index].paused or norms[index] in CLAUSES | AUXILIARIES | COMMANDS | {"and"}:
            return index
    return min(len(stream), low + _LONGEST_NOUN)


def _is_exception(stream: Stream, index: int) -> bool:
    """`everything but the report`, `all files but one`, unlike `copy all files but keep one`."""
    norms = stream.norms
    if index == 0 or index + 1 >= len(norms) or stream[index].paused:
        return False
    after = norms[index + 1 : index + 3]
    if after[0] in ("do", "not", "never", "please", "then", "only", "just", "i", "we"):
        return False
    if after[0] not in DETERMINERS and after[1:] and after[1] in DETERMINERS | WHOLES | OBJECTS:
        return False  # a verb and what it takes: `but touch nothing of mine`, `but send it`
    if norms[index - 1] in WHOLES:
        return after[0] not in COMMANDS or after[1:] == () or after[1] not in DETERMINERS
    return after[0] not in COMMANDS and any(word in WHOLES for word in norms[max(0, index - 3) : index])


def _in_sentence(stream: Stream, index: int, word: str) -> bool:
    while index > 0:
        if not _HARD.isdisjoint(stream[index].lead):
            return False
        index -= 1
        if stream.norms[index] == word:
            return True
    return False


def _forward(stream: Stream, start: int, low: int, *, is_verb: bool) -> list[Denial]:
    if low >= len(stream):
        return []
    begin = low
    while begin + 1 < len(stream) and stream.norms[begin] in ("to", "ever", "please", "also", "just", "be", "of"):
        begin += 1
    high = _end(stream, low, begin, pauses=True, is_verb=is_verb)
    wide = _end(stream, low, begin, pauses=False, is_verb=is_verb)
    return [Denial(start, low, low, high, wide, begin if is_verb else None)] if high > low or wide > low else []


def _clause(stream: Stream, start: int, end: int, *, is_noun: bool = False) -> list[Denial]:
    """A negation of the whole clause: `nothing may be deleted`, `delete nothing`; ``is_noun`` leaves what follows."""
    low = start
    while (
        low > max(0, start - _LONGEST_SCOPE)
        and not stream[low].paused
        and stream.norms[low - 1] not in CLAUSES | {"and", "or"}
    ):
        low -= 1
    verb = next((each for each in range(low, start) if stream.norms[each] in COMMANDS), low)
    high, wide = _end(stream, end, end - 1, pauses=True), _end(stream, end, end - 1, pauses=False)
    found = [Denial(start, end, low, start, start, verb)] if low < start else []
    return found + ([Denial(start, end, end, high, wide, verb)] if high > end and not is_noun else [])


def _is_target(stream: Stream, index: int) -> bool:
    """What is left over goes there: `zip all without a.log into b.zip`, `copy all but a.log to /srv`."""
    word, after = stream.norms[index], stream.norms[index + 1 : index + 2]
    return word in TARGETS or (word == "to" and after in ROOTS)


def _end(stream: Stream, low: int, head: int, *, pauses: bool, is_verb: bool = True) -> int:
    """Where the scope that begins at ``low`` ends; ``head`` is the word that is governed first."""
    norms = stream.norms
    aside = False  # inside `not, under any circumstances, push`
    last = min(len(stream), low + (_LONGEST_SCOPE if pauses else 4 * _LONGEST_SCOPE))
    for index in range(low, last):
        word, lead = norms[index], stream[index].lead
        if pauses and not _HARD.isdisjoint(lead):
            return index
        if pauses and "," in lead:
            if index == low:
                aside = True
            elif aside:
                aside = False
            elif not _lists(stream, head, index):
                return index
        if index <= head:
            continue
        before = norms[index - 1]
        if not is_verb and _is_target(stream, index):
            return index
        if word in AUXILIARIES and norms[index + 1 : index + 2] in (("not",), ("never",)) and before not in SUBJECTS:
            return index  # `do not start it do not stop it`
        following = norms[index + 1 : index + 2]
        if word in STATING and following and following[0] in AUXILIARIES | WISHES and before not in RELATIVES:
            return index  # `it is not in the hall it is in the shed`
        if word in CONTRASTS and following and following[0] in DETERMINERS and index > head + 1:
            return index  # `do not run the slow tests just the quick ones`
        if word in CLAUSES and before not in ("only", "even"):
            return index
        if word == "and":
            then = next((norms[at] for at in range(index + 1, min(index + 3, len(norms)))
                         if norms[at] not in ADVERBS), "")  # fmt: skip
            after = norms[index + 2 : index + 3]
            if after and after[0] in DETERMINERS | OBJECTS and then not in DETERMINERS | PREPOSITIONS:
                return index  # `and cc my boss`, `and store it`
            if not then or then in COMMANDS | AUXILIARIES | SUBJECTS | {"then", "never", "not", "no"}:
                return index
        elif (
            word in COMMANDS
            and before not in DETERMINERS | PREPOSITIONS | CAUSATIVES | COMMANDS - ALONE
            and before.isalpha()
            and (
                before in ALONE | ANEW or (norms[index + 1 : index + 2] and norms[index + 1] in DETERMINERS | PARTICLES)
            )
        ):
            return index  # a command without a comma before it
    return last


def _lists(stream: Stream, head: int, comma: int) -> bool:
    """A comma inside a list that ends in `or`: `do not email Bob, call Ann, or push`."""
    norms = stream.norms
    if norms[comma] in ("or", "nor"):
        return True
    if norms[head] in ALONE and comma == head + 1:
        return False
    for index in range(comma, min(comma + _LONGEST_LIST, len(norms))):
        if index > comma and (not _HARD.isdisjoint(stream[index].lead) or norms[index] in CLAUSES | {"and"}):
            return False
        if norms[index] in ("or", "nor"):
            return "," in stream[index].lead or norms[comma] not in COMMANDS
    return False
