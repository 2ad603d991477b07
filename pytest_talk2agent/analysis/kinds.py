"""Word errors inside the spoken values, by kind of intention: where a recogniser goes wrong, and not only how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pytest_talk2agent.analysis.wer import nearest, normalise
from pytest_talk2agent.judging.slots import find_slots
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention


def kind_errors(
    references: Sequence[str], hypothesis: str, intentions: Mapping[str, Intention]
) -> dict[str, tuple[int, int]]:
    """Word errors and reference words of the values of each kind, against the nearest reference.

    A word that is missing or replaced counts where it stands; an inserted one counts for a value where it stands inside
    of it. Values that the reference does not say are left out, so a kind may be absent.
    """
    from rapidfuzz.distance import Levenshtein

    reference = nearest(references, hypothesis)
    words, places = _places(reference, tuple(intentions.items()))
    if not words:
        return {}
    wrong = [0] * len(words)
    inserted = [0] * (len(words) + 1)
    for edit in Levenshtein.editops(words, normalise(hypothesis).split()):
        if edit.tag == "insert":
            inserted[edit.src_pos] += 1
        else:
            wrong[edit.src_pos] = 1
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for kind, first, last in places:
        counts[kind][0] += sum(wrong[first:last]) + sum(inserted[first + 1 : last])
        counts[kind][1] += last - first
    return {kind: (errors, count) for kind, (errors, count) in sorted(counts.items()) if count}


# Many transcripts of one task are counted.
@lru_cache(maxsize=1024)
def _places(
    reference: str, intentions: tuple[tuple[str, Intention], ...]
) -> tuple[tuple[str, ...], tuple[tuple[str, int, int], ...]]:
    """The words of a reference, and where among them the values are: kind, first word, the one behind the last."""
    words = tuple(normalise(reference).split())
    if not words:
        return (), ()
    stream, found, kinds = tokenise(reference), [], dict(intentions)
    for (name, _), slot in find_slots(kinds, stream).items():
        if slot is not None:
            begin, end = stream.span(slot.start, slot.end)
            first = len(normalise(reference[:begin]).split())
            last = min(first + len(normalise(reference[begin:end]).split()), len(words))
            found.append((kinds[name].kind, first, last))
    return words, tuple(found)
