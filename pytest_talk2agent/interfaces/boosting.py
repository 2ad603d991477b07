"""Batches with ``+bias`` for recognisers that take their phrases once for a pass, not for each utterance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pytest_talk2agent.interfaces.biasing import BiasLimit, fit
from pytest_talk2agent.interfaces.spec import Spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError, Utterance

Outcome = Hypothesis | TranscriptionError
Pass = Callable[[list[Utterance], tuple[str, ...]], list[Outcome]]
"""Transcribe utterances with one list of phrases."""


def transcribe_by_phrases(
    spec: Spec,
    batch: Sequence[Utterance],
    limit: BiasLimit,
    spelling: Callable[[str], str | None],
    transcribe: Pass,
) -> list[Outcome]:
    """Transcribe a batch in one pass for each list of phrases in it, in the order in which they come.

    Without ``+bias`` that is one pass without phrases. With it, ``spelling`` gives the form in which a term is sent, or
    None where the recogniser cannot spell it; such terms stand in ``detail["unspellable"]``, what was sent in ``sent``.
    An utterance with more terms than ``limit`` is a TranscriptionError (see `fit`).
    """
    results: dict[int, Outcome] = {}
    forms: dict[int, dict[str, str | None]] = {}
    passes: dict[tuple[str, ...], list[int]] = {}
    for index, utterance in enumerate(batch):
        try:
            terms = fit(spec, utterance, limit) if spec.bias else ()
        except TranscriptionError as error:
            results[index] = error
            continue
        forms[index] = {term: spelling(term) for term in terms}
        phrases = tuple(dict.fromkeys(form for form in forms[index].values() if form is not None))
        passes.setdefault(phrases, []).append(index)
    for phrases, indices in passes.items():
        outcomes = transcribe([batch[index] for index in indices], phrases)
        for index, outcome in zip(indices, outcomes, strict=True):
            if spec.bias and isinstance(outcome, Hypothesis):
                unspellable = [term for term, form in forms[index].items() if form is None]
                detail = {**outcome.detail, "unspellable": unspellable} if unspellable else outcome.detail
                outcome = replace(outcome, detail=detail, sent=phrases)
            results[index] = outcome
    return [results[index] for index in range(len(batch))]
