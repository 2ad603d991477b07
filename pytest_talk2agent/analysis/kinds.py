"""Word errors inside the spoken values, by kind of intention: where a recogniser goes wrong, and not only how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pytest_talk2agent.analysis.forms import normalise
from pytest_talk2agent.analysis.wer import nearest
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
    import jiwer

    reference = nearest(references, hypothesis)
    said = normalise(reference).split()
    if not said:
        return {}
    wrong = [0] * len(said)
    inserted = [0] * (len(said) + 1)
    for chunk in jiwer.process_words(" ".join(said), normalise(hypothesis)).alignments[0]:
        if chunk.type == "insert":
            inserted[chunk.ref_start_idx] += chunk.hyp_end_idx - chunk.hyp_start_idx
        elif chunk.type != "equal":
            for index in range(chunk.ref_start_idx, chunk.ref_end_idx):
                wrong[index] = 1
    stream = tokenise(reference)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (name, _), slot in find_slots(dict(intentions), stream).items():
        if slot is None:
            continue
        begin, end = stream.span(slot.start, slot.end)
        first = len(normalise(reference[:begin]).split())
        last = min(first + len(normalise(reference[begin:end]).split()), len(said))
        count = counts[intentions[name].kind]
        count[0] += sum(wrong[first:last]) + sum(inserted[first + 1 : last])
        count[1] += last - first
    return {kind: (errors, words) for kind, (errors, words) in sorted(counts.items()) if words}
