"""Word and character error rates of finished results, counted when somebody asks for them and not before.

The reference is the script, which is what was said. A rate that stands for itself (``wer``, ``cer``) is that of the
normal form of its language (`form_for`); ``wer_verbatim`` beside it counts case, punctuation and numerals as they
stand. Texts in Chinese and Japanese count by characters. None of them decides anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_talk2agent.analysis.forms import VERBATIM, Form, cjk_characters, form_for, is_cjk
from pytest_talk2agent.results.record import TaskResult


@dataclass(frozen=True)
class Errors:
    """The least number of edits between two texts, and the units (words or characters) of the reference."""

    count: int
    units: int

    @property
    def rate(self) -> float | None:
        """Errors a unit; None where the reference has none. Insertions can take it above 1."""
        return self.count / self.units if self.units else None


@dataclass(frozen=True)
class Rates:
    """The pooled rates of some results: all errors over all units. None where no reference has a unit."""

    wer: float | None
    wer_verbatim: float | None


def word_errors(result: TaskResult) -> Errors:
    """Errors between the words of the script and of the transcript, both in the normal form of the language."""
    said = result.said
    return _word_errors(said, result.transcript.text, _form(said))


def verbatim_errors(result: TaskResult) -> Errors:
    """Errors between the words as they stand: case and punctuation count."""
    return _word_errors(result.said, result.transcript.text, VERBATIM)


def character_errors(result: TaskResult) -> Errors:
    """Errors between the characters, blanks included, both in the normal form of the language."""
    said, heard = result.said, result.transcript.text
    if is_cjk(said):
        return word_errors(result)
    form = _form(said)
    return _distance(_normal(form, said), _normal(form, heard))


def pooled(results: Iterable[TaskResult]) -> Rates:
    """The rates of several results together. Where a reference is empty, its insertions belong into no rate."""
    rows = list(results)
    return Rates(_pool(map(word_errors, rows)), _pool(map(verbatim_errors, rows)))


def normalisers(results: Iterable[TaskResult]) -> list[str]:
    """The names, with versions, of the normal forms that the rates of some results rest on."""
    return sorted({_form(said).name for said in {result.said for result in results}})


def _pool(errors: Iterable[Errors]) -> float | None:
    rated = [one for one in errors if one.units]
    return sum(one.count for one in rated) / sum(one.units for one in rated) if rated else None


# A suite has few scripts and many transcripts, and terminal, summary, page and files all ask for the same rates.
@lru_cache(maxsize=4096)
def _form(said: str) -> Form:
    return form_for(said)


@lru_cache(maxsize=65536)
def _word_errors(said: str, heard: str, form: Form) -> Errors:
    if is_cjk(said):
        return _distance(cjk_characters(said), cjk_characters(heard))
    return _distance(_normal(form, said).split(), _normal(form, heard).split())


@lru_cache(maxsize=4096)
def _normal(form: Form, text: str) -> str:
    return form.apply(text)


def _distance(said: Sequence[str], heard: Sequence[str]) -> Errors:
    from rapidfuzz.distance import Levenshtein

    return Errors(Levenshtein.distance(said, heard), len(said))
