"""The forms in which two texts are compared. Each has a name with a version, for a rate means nothing without it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from pytest_talk2agent.analysis.edits import Edits, character_edits, word_edits
from pytest_talk2agent.context.vocabulary import is_ordinary
from pytest_talk2agent.speech.libraries import quiet_import

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
    """The same text to the normaliser, without what its patterns take quadratic time over.

    That is runs of white space, and brackets that nothing closes: a bracket alone is no word.
    """
    for opening, closing in (("<[", ">]"), ("(", ")")):
        last = max(map(text.rfind, closing)) + 1
        text = text[:last] + text[last:].translate(dict.fromkeys(map(ord, opening), " "))
    return " ".join(text.split())


def form_for(reference: str) -> Form:
    """The normal form of an error rate: Whisper's where the reference is English, else the basic one."""
    return whisper_english() if is_english(reference) else BASIC


@lru_cache(maxsize=4096)
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
