"""Word and character error rates of finished results, and the forms in which two texts are compared.

A form has a name with a version, since a rate means nothing without it. The reference is the script, which is what was
said. A rate that stands for itself (``wer``, ``cer``) is that of the normal form of its language (`form_for`);
``wer_verbatim`` beside it counts case, punctuation and numerals as they stand. Texts in Chinese and Japanese count by
characters. None of them decides anything, and all are counted when somebody asks for them and not before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from statistics import mean

from pytest_talk2agent.context.vocabulary import is_ordinary
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.speech.libraries import quiet_import
from pytest_talk2agent.tasks.errors import counted

_CJK = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA")


@dataclass(frozen=True)
class Form:
    """A normal form of text."""

    name: str
    apply: Callable[[str], str]


def _verbatim(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


VERBATIM = Form("verbatim/1", _verbatim)
"""As it stands: composed characters, runs of white space one blank; case and punctuation count."""


def normalise(text: str) -> str:
    """Lower case, compatibility characters folded, every run of punctuation and white space one blank.

    Apostrophes inside a word go without a blank; combining marks belong to their word. Numbers are left as they stand.
    """
    folded = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace("’", "")
    return " ".join("".join(c if c.isalnum() or _is_mark(c) else " " for c in folded).split())


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


BASIC = Form("basic/1", normalise)
"""For languages that no normaliser here knows: case and punctuation folded, nothing else."""


@lru_cache(maxsize=1)
def whisper_english() -> Form:
    """Whisper's English normaliser (Radford et al. 2022, appendix C), by the package whisper-normalizer.

    It is the field's default for error rates and unfit for any judgement: it drops what stands in brackets, the dashes
    of flags, the signs of numbers and leading zeros.
    """
    with quiet_import():
        from whisper_normalizer.english import EnglishTextNormalizer

    apply = EnglishTextNormalizer()

    def normal(text: str) -> str:
        try:
            return str(apply(_closed(text))).strip()
        except Exception:  # its own assertions, on what no one would say: such a text counts in the basic form
            return normalise(text)

    return Form(f"whisper-english/{version('whisper-normalizer')}", normal)


def _closed(text: str) -> str:
    """A text that the normaliser treats alike, without what its patterns take quadratic time over.

    That is runs of white space, and brackets that nothing closes: a bracket alone is no word.
    """
    for opening, closing in (("<[", ">]"), ("(", ")")):
        last = max(map(text.rfind, closing)) + 1
        text = text[:last] + text[last:].translate(dict.fromkeys(map(ord, opening), " "))
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def form_for(reference: str) -> Form:
    """The normal form of an error rate: Whisper's where the reference is English, else the basic one."""
    return whisper_english() if is_english(reference) else BASIC


def is_english(text: str) -> bool:
    """Whether at least half of the words are ordinary English ones.

    Digits and single letters, as in a path that is read out, say nothing; a text without any other word counts as
    English.
    """
    words: list[str] = re.findall(r"[^\W\d_]{2,}", text.lower())
    return 2 * sum(map(is_ordinary, words)) >= len(words)


@lru_cache(maxsize=4096)
def is_cjk(text: str) -> bool:
    """Whether more than half of the letters are Han characters or kana, which are written without blanks."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(unicodedata.name(letter, "").startswith(_CJK) for letter in letters) > len(letters)


def cjk_characters(text: str) -> str:
    """Compatibility characters folded (NFKC), lower case, no blanks, no punctuation and no other symbol."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c)[0] in "LMN")


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
    return errors_in(form_for(said), said, result.transcript.text)


def verbatim_errors(result: TaskResult) -> Errors:
    """Errors between the words as they stand: case and punctuation count."""
    return errors_in(VERBATIM, result.said, result.transcript.text)


def character_errors(result: TaskResult) -> Errors:
    """Errors between the characters, blanks included, both in the normal form of the language."""
    return errors_in(form_for(result.said), result.said, result.transcript.text, characters=True)


# Here and below: a suite has few scripts and many transcripts, and every report asks for the same rates.
@lru_cache(maxsize=65536)
def errors_in(form: Form, said: str, heard: str, *, characters: bool = False) -> Errors:
    """Errors between the words, or the characters, of two texts in a form; the latter where ``said`` is CJK (`is_cjk`).

    The paper's "WER/CER" (Talk2Agent, section 5) is the rate of these errors.
    """
    if is_cjk(said):
        return _distance(cjk_characters(said), cjk_characters(heard))
    reference, hypothesis = _normal(form, said), _normal(form, heard)
    return _distance(reference, hypothesis) if characters else _distance(reference.split(), hypothesis.split())


def pooled(results: Iterable[TaskResult]) -> Rates:
    """The pooled rates of several results. Insertions where nothing was said belong to no rate."""
    rows = list(results)
    return Rates(_pool(map(word_errors, rows)), _pool(map(verbatim_errors, rows)))


def normalisers(results: Iterable[TaskResult]) -> list[str]:
    """The names, with versions, of the normal forms that the rates of some results rest on."""
    return sorted({form_for(said).name for said in {result.said for result in results}})


def _pool(errors: Iterable[Errors]) -> float | None:
    rated = [one for one in errors if one.units]
    return sum(one.count for one in rated) / sum(one.units for one in rated) if rated else None


@lru_cache(maxsize=4096)
def _normal(form: Form, text: str) -> str:
    return form.apply(text)


def _distance(said: Sequence[str], heard: Sequence[str]) -> Errors:
    from rapidfuzz.distance import Levenshtein

    return Errors(Levenshtein.distance(said, heard), len(said))


@dataclass(frozen=True)
class Averages:
    """Two ways to make one rate of many, both named: they can rank interfaces differently.

    The errors are those of many utterances: WER, CER, AER, Semantic WER, or utterances with an error (one unit each).

    Attributes:
        pooled: all errors divided by all units, so a long utterance weighs more; None without a unit.
        mean: the mean of the utterances' own rates, so each weighs the same; likewise.
        utterances: how many have a rate.
        empty: how many have none, as their reference has no unit. They are in neither average.
        inserted: the errors in those: what was heard where nothing was said.
    """

    pooled: Fraction | None
    mean: Fraction | None
    utterances: int
    empty: int
    inserted: int


def averages(counts: Iterable[Errors]) -> Averages:
    """Average the errors of each utterance. Raises ValueError on a negative count."""
    pairs = [(one.count, one.units) for one in counts]
    for errors, units in pairs:
        if errors < 0 or units < 0:
            raise ValueError(f"{counted(errors, 'error')} of {counted(units, 'unit')}: a count is never negative")
    rated = [(errors, units) for errors, units in pairs if units]
    rates = [Fraction(errors, units) for errors, units in rated]
    return Averages(
        pooled=Fraction(sum(errors for errors, _ in rated), sum(units for _, units in rated)) if rated else None,
        mean=mean(rates) if rates else None,
        utterances=len(rated),
        empty=len(pairs) - len(rated),
        inserted=sum(errors for errors, units in pairs if not units),
    )
