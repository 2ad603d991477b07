"""Whether two words sound alike: a phonetic key for English spellings and a list of common homophones."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pytest_talk2agent.speech.words import lines_of, listed

_HOMOPHONES: dict[str, frozenset[str]] = {}
for _line in "|".join(lines_of(__package__, "homophones.txt")).split("|"):
    _words = frozenset(_line.split())
    for _word in _words:
        _HOMOPHONES[_word] = _HOMOPHONES.get(_word, frozenset()) | _words

# A vowel stands in the syllable before, so that the last one is weak.
_WEAK = r"(?:(?<=[aeiouyAEIOUWYR].)|(?<=[aeiouyAEIOUWYR]..)|(?<=[aeiouyAEIOUWYR]...))"
# One consonant and a final e make a vowel long, those before -er and -ey in the first syllable alone.
_LONG = r"(?:(?=[bcdfgjklmnpstvz]e[sd]?$)|(?<![aeiouy][^aeiouy].)(?=[bcdfgjklmnpstvz]e[ry]$))"

# Spelling to sound; the file says how sounds are written.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern.replace("{WEAK}", _WEAK).replace("{LONG}", _LONG)), sound.replace("-", ""))
    for pattern, sound in (line.split("\t") for line in lines_of(__package__, "sound_rules.txt"))
)
_SHORT = frozenset("aeiou")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
_VOWELS = _SHORT | frozenset("AEIOUWYRLN@")
# Endings that put the stress on the syllable before them.
_STRESSING = re.compile(r"[a-zCST]+(?:iks?|@ks?|ikL|itI|ia|iN|io)$")


# First letters that can begin the same sound.
_STARTS = frozenset(listed("ck cq kq cs sz xz sx gj kn gn np mn rw ps pt fp ct"))
_OPEN = frozenset("aeiouyhw")
_LENGTHS_APART = 4


@lru_cache(maxsize=4096)
def sound_key(word: str) -> str:
    """A key that words of the same sound share; the word is in small letters. Empty where it has no Latin letter."""
    key = _plain(word[:40])
    for pattern, sound in _RULES:
        key = pattern.sub(sound, key)
    return _reduced(key).replace("c", "s")


def unaccented(word: str) -> str:
    """The word without marks above and below its letters (`cafe` for `café`)."""
    if word.isascii():
        return word
    return "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))


def _plain(word: str) -> str:
    return word if word.isascii() else "".join(filter(str.isascii, unaccented(word.translate(_LETTERS))))


def _reduced(key: str) -> str:
    """Short vowels between the first syllable and the last are weak and sound the same."""
    vowels = [index for index, sound in enumerate(key) if sound in _VOWELS]
    for before, index, after in zip(vowels, vowels[1:], vowels[2:], strict=False):
        apart = index - before > 1 and after - index > 1
        if apart and key[index] in _SHORT and not _STRESSING.match(key, index + 1):
            key = f"{key[:index]}@{key[index + 1 :]}"
    return key


@lru_cache(maxsize=4096)
def starts_alike(first: str, second: str) -> bool:
    """Words of the same sound may begin with these two letters."""
    pair = "".join(sorted(first + second))
    return first == second or pair in _STARTS or {first, second} <= _OPEN or not pair.isascii()


def sounds_alike(first: str, second: str) -> bool:
    """The two words (small letters) are different spellings of the same sound."""
    if first == second or not first or not second or abs(len(first) - len(second)) > _LENGTHS_APART:
        return False
    if second in _HOMOPHONES.get(first, ()):
        return True
    if not starts_alike(first[0], second[0]):
        return False
    if first[-1] == second[-1] == "s" and second[:-1] in _HOMOPHONES.get(first[:-1], ()):
        return True
    key = sound_key(first)
    return len(key) > 1 and key == sound_key(second)
