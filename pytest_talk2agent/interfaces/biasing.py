"""How many terms a recogniser takes, what is sent where there are more, and how a batch with several lists is heard.

Some recognisers take their phrases once for a pass, not for each utterance: `transcribe_by_phrases` is for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pytest_talk2agent.interfaces.spec import Spec, read_switches
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError, Utterance
from pytest_talk2agent.remote.option_text import check_one_of

Outcome = Hypothesis | TranscriptionError
Pass = Callable[[list[Utterance], tuple[str, ...]], list[Outcome]]
"""Transcribe utterances with one list of phrases."""


@dataclass(frozen=True)
class TermSwitches:
    """The options of ``+bias`` and ``+repair`` on the list of terms.

    ``terms_most`` is how many terms of the context are taken at most, the best first; ``terms_from`` a file of lists
    that takes the place of the context; ``terms_decoys`` how many decoys are added to each list; ``terms_over`` what
    happens to a list that is longer than an interface takes: "error", or "truncate" to send what fits.
    """

    terms_most: int = 100
    terms_from: str = ""
    terms_decoys: int = 0
    terms_over: str = "error"

    def __post_init__(self) -> None:
        if self.terms_most < 1:
            raise ValueError(f"option terms_most must be at least 1, not {self.terms_most}")
        if self.terms_decoys < 0:
            raise ValueError(f"option terms_decoys must not be negative, not {self.terms_decoys}")
        check_one_of(self, "terms_over", ("error", "truncate"))


@dataclass(frozen=True)
class BiasLimit:
    """The most that a recogniser takes, in its own unit: "terms", "tokens" or "characters"."""

    most: int
    unit: str


def fit(
    spec: Spec, utterance: Utterance, limit: BiasLimit, size: Callable[[Sequence[str]], int] = len
) -> tuple[str, ...]:
    """The terms of an utterance that are to be sent: all of them, or the longest head that fits where truncation is on.

    ``size`` measures a list in the unit of ``limit`` and must not shrink as the list grows.
    Raises TranscriptionError where there are too many and the spec does not say ``terms_over=truncate``.
    """
    terms = utterance.terms
    measured = size(terms) if terms else 0
    if measured <= limit.most:
        return terms
    if read_switches(spec, "terms_", TermSwitches).terms_over != "truncate":
        raise TranscriptionError(
            f"task {utterance.task!r}: {len(terms)} terms are {measured} {limit.unit}, {spec.name} takes {limit.most};"
            " lower terms_most, or send what fits with terms_over=truncate"
        )
    least, most = 0, len(terms) - 1
    while least < most:
        middle = (least + most + 1) // 2
        if size(terms[:middle]) <= limit.most:
            least = middle
        else:
            most = middle - 1
    return terms[:least]


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
