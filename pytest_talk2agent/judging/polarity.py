"""The negations of a script beside those of a transcript: which words are denied in the one and not in the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_talk2agent.judging.alignment import Alignment
from pytest_talk2agent.judging.negation import Denial, denials
from pytest_talk2agent.speech.tokens import Stream


@dataclass(frozen=True, slots=True)
class Unit:
    """Tokens whose polarity is asked for: ``at`` is the one that counts, what the span denies itself does not."""

    start: int
    end: int
    at: int


class Polarity:
    """The negations of a script beside those of a transcript.

    ``said`` and ``heard`` are the tokens of each that stand inside a value, where `--no-deps` denies nothing and `not`
    may be a misheard `dot`.
    """

    def __init__(
        self, script: Stream, transcript: Stream, alignment: Alignment, said: Iterable[int], heard: Iterable[int]
    ) -> None:
        idle, dead = frozenset(said), frozenset(heard)
        self._said = tuple(one for one in denials(script) if one.start not in idle)
        self._heard = tuple(one for one in denials(transcript) if one.start not in dead)
        starts = {one.start: one for one in self._heard}
        self._partners: dict[Denial, list[Denial]] = {}
        for one in self._said:
            pair = alignment.pairs[one.start]
            if pair in starts:
                self._partners.setdefault(one, []).extend(each for each in self._heard if each.start == pair)
        self._back: dict[Denial, list[Denial]] = {}
        for one, others in self._partners.items():
            for other in others:
                self._back.setdefault(other, []).append(one)

    def differing(self, said: Unit, heard: Unit) -> list[tuple[Denial, bool]]:
        """The negations that one text has over the unit and the other has not; empty where the polarity is equal.

        True beside a negation of the transcript, False beside one of the script. One that stands in both texts and
        differs in a pause alone, which cannot be heard, is no difference.
        """
        here, there = _over(self._said, said), _over(self._heard, heard)
        lost = [one for one in here if not self._holds(self._partners.get(one, ()), heard)]
        new = [one for one in there if not self._holds(self._back.get(one, ()), said)]
        before, after = ([one for one in some if not one.polite] for some in (lost, new))
        if any((len(mine) + len(theirs)) % 2 == 0 for mine in (lost, before) for theirs in (new, after)):
            return []
        return [(one, False) for one in before] + [(one, True) for one in after]

    def denied(self, said: Unit, heard: Unit) -> bool:
        """Both are governed by a negation."""
        return len(_over(self._said, said)) % 2 == len(_over(self._heard, heard)) % 2 == 1

    @staticmethod
    def _holds(others: Iterable[Denial], unit: Unit) -> bool:
        return any(one.covers(unit.at, loosely=True) for one in others)


def is_denied(stream: Stream, start: int, end: int) -> bool:
    """A negation outside the span governs it."""
    found = _over(denials(stream), Unit(start, end, end - 1))
    return sum(not one.polite for one in found) % 2 == 1


def _over(some: Iterable[Denial], unit: Unit) -> list[Denial]:
    """The negations outside the unit that govern it; two scopes of one word count once."""
    found = {one.start: one for one in some if one.covers(unit.at) and not unit.start <= one.start < unit.end}
    return list(found.values())
