"""The forms in which two texts are compared. Each has a name with a version, for a rate means nothing without it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec

from pytest_talk2agent.analysis.edits import Edits, character_edits, word_edits

_CJK = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA")


@dataclass(frozen=True)
class Form:
    """A normal form of text."""

    name: str
    apply: Callable[[str], str]

    def edits(self, reference: str, hypothesis: str) -> Edits:
        """Edits between two texts in this form: by words, by characters where the reference is CJK (`is_cjk`).

        The paper's "WER/CER" (Talk2Agent, section 5) is the error rate of these edits.
        """
        if is_cjk(reference):
            return character_edits(cjk_characters(reference), cjk_characters(hypothesis))
        return word_edits(self.apply(reference), self.apply(hypothesis))

    def character_edits(self, reference: str, hypothesis: str) -> Edits:
        """Edits between the characters of two texts in this form."""
        if is_cjk(reference):
            return self.edits(reference, hypothesis)
        return character_edits(self.apply(reference), self.apply(hypothesis))


def _verbatim(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


VERBATIM = Form("verbatim/1", _verbatim)
"""As it stands: composed characters, runs of white space one blank; case and punctuation count."""


@lru_cache(maxsize=1)
def whisper_english() -> Form:
    """Whisper's English normaliser (Radford et al. 2022, appendix C), by the package whisper-normalizer.

    It is the field's default for error rates and unfit for any judgement: it drops what stands in brackets, the dashes
    of flags, the signs of numbers and leading zeros. Raises ValueError where the package is not installed.
    """
    if find_spec("whisper_normalizer") is None:
        raise ValueError(
            "the whisper-normalised word error rate needs the package whisper-normalizer; "
            'pip install "pytest-talk2agent[metrics]"'
        )
    from whisper_normalizer.english import EnglishTextNormalizer

    return Form(f"whisper-english/{version('whisper-normalizer')}", EnglishTextNormalizer())


def is_cjk(text: str) -> bool:
    """Whether more than half of the letters are Han characters or kana, which are written without blanks."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(unicodedata.name(letter, "").startswith(_CJK) for letter in letters) > len(letters)


def cjk_characters(text: str) -> str:
    """Compatibility characters folded (NFKC), lower case, no blanks, no punctuation and no other symbol."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c)[0] in "LMN")
