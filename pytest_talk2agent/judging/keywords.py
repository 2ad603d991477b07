"""The keywords of a gist: where the members of its groups stand in a text."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.judging.alignment import keys_of
from pytest_talk2agent.speech.tokens import Stream, fold, tokenise
from pytest_talk2agent.speech.words import EMPTY, FILLERS, listed, stem
from pytest_talk2agent.tasks.intention import Intention

# French and Italian: what loses its vowel before another word.
_ELIDED = frozenset(listed("l d n s j c m t qu un dell all nell sull dall quell"))
Group = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A member of a group stands at the tokens ``start`` to ``end``."""

    group: int
    start: int
    end: int


_Words = tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]


@lru_cache(maxsize=256)
def _stems(stream: Stream) -> tuple[_Words, ...]:
    """Where every word that is no symbol begins and ends, and its stem; once more with spelled letters joined."""
    words = [
        (index, index + 1, stem(_unelided(stream[index].text, key)))
        for index, key in enumerate(keys_of(stream))
        if stream[index].kind != "symbol"
    ]
    joined: list[tuple[int, int, str]] = []
    for start, end, word in words:
        if joined and start < joined[-1][1]:
            continue
        stop = _spelled_end(stream, start)
        letters = "".join(norm for norm in stream.norms[start:stop] if norm.isalpha())
        joined.append((start, stop, stem(letters)) if stop else (start, end, word))
    variants = [words] if len(joined) == len(words) else [words, joined]
    return tuple(
        (tuple(one[0] for one in some), tuple(one[1] for one in some), tuple(one[2] for one in some))
        for some in variants
    )


def _unelided(text: str, key: str) -> str:
    """A word without the article or pronoun that is written to it: `envoie` of `n'envoie`, `acqua` of `dell'acqua`."""
    before, mark, behind = text.partition("'" if "'" in text else "’")
    return fold(behind) if mark and fold(before) in _ELIDED else key


def _spelled_end(stream: Stream, index: int) -> int:
    """Where a run of single letters (`D X F`, `D. X. F.`, `C S Vs`) ends; 0 where none begins."""
    end, letters = index, 0
    if stream.norms[index] == "a":
        return 0  # rather the article
    while end < len(stream):
        norm = stream.norms[end]
        if norm.isascii() and norm.isalpha() and (len(norm) == 1 or (len(norm) == 2 and letters and norm[1] == "s")):
            letters += 1
            if len(norm) == 2:
                end += 1
                break
        elif not (norm == "." and letters and stream[end].glued):
            break
        end += 1
    return end if letters > 1 else 0


@lru_cache(maxsize=4096)
def stems_of(text: str) -> tuple[str, ...]:
    """The stems of a phrase, spelled letters joined."""
    return _stems(tokenise(text))[-1][2]


@lru_cache(maxsize=1024)
def groups_of(intention: Intention) -> tuple[Group, ...]:
    """The keyword groups as stemmed phrases; the content words of the value where the task lists none."""
    if intention.keywords:
        return tuple(tuple(stems_of(member) for member in group) for group in intention.keywords)
    words = [word for text in intention.say for word in tokenise(text).norms]
    return tuple(((stem(word),),) for word in words if word not in EMPTY - FILLERS and word[0].isalnum())


def find_hits(stream: Stream, groups: tuple[Group, ...], low: int, high: int) -> list[Hit]:
    """Every member of a group between two tokens."""
    found: dict[Hit, None] = {}
    for starts, ends, stems in _stems(stream):
        first, last = bisect_left(starts, low), bisect_left(starts, high)
        where: dict[str, list[int]] = {}
        for at in range(first, last):
            where.setdefault(stems[at], []).append(at)
        for number, group in enumerate(groups):
            for member in group:
                for at in where.get(member[0], ()) if member else ():
                    if at + len(member) <= last and stems[at : at + len(member)] == member:
                        found[Hit(number, starts[at], ends[at + len(member) - 1])] = None
    return list(found)


def find_windows(hits: list[Hit]) -> list[tuple[int, int]]:
    """From every hit on, the smallest span with a member of as many groups as there are."""
    wanted = len({hit.group for hit in hits})
    ordered = sorted(hits, key=lambda hit: (hit.start, hit.end))
    windows = []
    seen: dict[int, int] = {}
    last = 0
    for index, first in enumerate(ordered):  # two pointers: linear in the hits
        while last < len(ordered) and len(seen) < wanted:
            seen[ordered[last].group] = seen.get(ordered[last].group, 0) + 1
            last += 1
        if len(seen) < wanted:
            break
        windows.append((first.start, max(hit.end for hit in ordered[index:last])))
        seen[first.group] -= 1
        if not seen[first.group]:
            del seen[first.group]
    return windows


def find_window(hits: list[Hit]) -> tuple[int, int] | None:
    """The smallest of the windows, the first among equals."""
    return min(find_windows(hits), key=lambda window: window[1] - window[0], default=None)
