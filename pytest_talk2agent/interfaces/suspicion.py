"""Signs that a transcript comes from a failure of the recogniser rather than from words that were said.

Judged from the text and the length of the recording, so it is the same for every interface. Recognisers of the sequence
kind fall into loops, over a phrase, a syllable or a sign, and write more than anybody says in that time.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

_WORDS_A_SECOND = 8.0
_CHARACTERS_A_SECOND = 50.0
_LONGEST_PHRASE = 60  # words, or letters of a script without blanks
_LONGEST_CODE = 64  # a SHA-256 in hexadecimal; all zeros where there is none

_CODE = re.compile(
    r"(?<![^\W_])(?<!\d,)(?:"
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # UUID
    r"|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}"  # MAC address
    r"|(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"  # IPv6 in full
    r"|\d{1,3}(?:,\d{3}){1,7}"  # number in groups
    r")(?![^\W_]|[,:-]\w)"
    r"|(?<![^\W_])(?<!\d )\d(?:,? \d){1,15}(?!,? \d|[^\W_])"  # number digit by digit, as long as that of a card
)
"""Names and numbers in which the same part may stand many times."""

# Five times the same between hyphens or commas, or four times and then nothing more: N-N-N-N-, ha-ha-ha-ha...
_JOINED = re.compile(
    r"(?<![^\W_])(?P<unit>(?=[^\W_]*[^\W\d_])[^\W_]{1,20})(?P<by>[-,])(?:(?P=unit)(?P=by)){2}(?P=unit)"
    r"(?:(?P=by)(?P=unit)|(?P=by)(?![^\W_])|\.\.\.|…)"
)
_LISTED = re.compile(r"(?<![^\W_])(?P<unit>\d{1,2}|\d{4,20})(?:,(?P=unit)){4}")  # 1,1,1,1,1
_DOUBLED = re.compile(r"(?P<unit>[^\W_]{2,20}?)(?P=unit){4,}")  # hahahahaha
_HELD = re.compile(r"(\S)\1{19,}")  # aaaaaaaaaaaaaaaaaaaa


def suspicions(text: str, seconds: float | None) -> list[str]:
    """The marks of a transcript; ``seconds`` is how long its recording lasts, None where that is not known.

    "empty"; "repetition": a phrase of up to 60 words stands four times in a row or more, over at least 8 words, or a
    syllable or a sign as often within a word; a letter of a script without blanks counts as a word. "speaking rate":
    more than 8 words or 50 characters a second, which nobody says (2 and 20 are free, as clips are cut close).
    """
    plain = text.lower()
    found = []
    if not plain.split():
        found.append("empty")
    if _loops(plain):
        found.append("repetition")
    if seconds is not None and (
        words_in(text) > 2 + _WORDS_A_SECOND * seconds or len(text) > 20 + _CHARACTERS_A_SECOND * seconds
    ):
        found.append("speaking rate")
    return found


def with_suspicions(detail: Mapping[str, Any], text: str, seconds: float | None) -> dict[str, Any]:
    """What an interface says of a transcript, with our marks beside its own in ``suspect``."""
    own = detail.get("suspect")
    marks = [mark for mark in own if isinstance(mark, str)] if isinstance(own, list | tuple) else []
    return {**detail, "suspect": list(dict.fromkeys([*marks, *suspicions(text, seconds)]))}


def words_in(text: str) -> float:
    """How many words a text has; two letters of a script without blanks count as one."""
    unspaced, letters = _UNSPACED.subn(" ", text)
    return len(unspaced.split()) + letters / 2


@lru_cache(maxsize=4096)
def _loops(text: str) -> bool:
    codeless = _CODE.sub("code", text)
    if _JOINED.search(codeless) or _LISTED.search(codeless):
        return True
    for held in _HELD.finditer(text):
        if held[1] not in "0123456789f" or len(held[0]) > _LONGEST_CODE:
            return True
    for doubled in _DOUBLED.finditer(text):
        if len(set(doubled["unit"])) > 1 and (doubled["unit"].isalpha() or len(doubled[0]) > _LONGEST_CODE):
            return True
    return _repeats(codeless.split()) or _repeats(codeless.translate(_SPACED).split())


def _repeats(words: Sequence[str]) -> bool:
    """Whether a phrase stands four times in a row, over at least eight words."""
    for length in range(1, min(_LONGEST_PHRASE, len(words) // 4) + 1):
        same = bytes(map(operator.eq, words[length:], words))
        if b"\1" * max(3 * length, 8 - length) in same:
            return True
    return False


_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""A letter of the scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


class _Spacing(dict[int, str]):
    """For `str.translate`: blanks in place of punctuation, and around letters of scripts without any.

    Apostrophes stand within words.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        if _UNSPACED.fullmatch(sign):
            spaced = f" {sign} "
        elif sign not in "'’ʼ" and unicodedata.category(sign)[0] in "PZSC":
            spaced = " "
        else:
            spaced = sign
        self[code] = spaced
        return spaced


_SPACED = _Spacing()
