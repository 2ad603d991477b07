"""Closed classes of English words that a transcript may hold around its values."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files


def lines_of(package: str, name: str) -> tuple[str, ...]:
    """The lines of a table that is a file of a package; empty ones and those with a # in front are left out."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return tuple(line for line in text.split("\n") if line and not line.startswith("# "))


def phrases_of(package: str, name: str) -> tuple[tuple[str, ...], ...]:
    """The phrases of such a table, one a line, as words."""
    return tuple(tuple(line.split()) for line in lines_of(package, name))


def listed(words: str) -> list[str]:
    """The words of a table that is written with blanks between them."""
    return words.split()


FILLERS = frozenset(listed("um uh er erm hmm hm uhm"))
# Words that add nothing where a value should stand.
EMPTY = FILLERS | frozenset(
    listed(
        "the a an please also just so well okay ok like you know and then to of in on at for with is it "
        "that this as quote unquote called named"
    )
)
CORRECTIONS = phrases_of(__package__, "corrections.txt")
EXPLANATIONS: tuple[tuple[str, ...], ...] = (("that", "is"), ("spelled",), ("i", "mean"), ("as", "in"))
NEGATORS = frozenset(
    listed(
        "not never no without nobody none nothing nowhere neither nor forget avoid refrain refuse unless except hardly"
    )
)
# Those that are no verbs, which have no other form.
_CLOSED_NEGATORS = NEGATORS - {"forget", "avoid", "refrain", "refuse"}
INAUDIBLE = frozenset(
    listed(
        "inaudible unintelligible blank_audio blank audio silence noise music crosstalk indistinct unclear static beep "
        "applause laughter garbled"
    )
)


# One consonant behind one vowel, with no other vowel before: `not`, `plan`. A final e makes it another word.
_SHORT = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
_HISSED = re.compile(r".*(?:s|x|z|ch|sh)")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without a simple ending (-s, -ed, -ing), so that `deleted` and `deleting` meet `delete`.

    Short words keep their e, which tells `noted` from `not` and `taped` from `tapped`; words that negate stay whole.
    """
    if word in _CLOSED_NEGATORS:
        return word
    if word.endswith("e") and _SHORT.fullmatch(word[:-1]):
        return word
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            base = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            if _SHORT.fullmatch(base) and _keeps_e(base, ending):
                return base + "e"
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" and ending in ("ing", "ed"):
                base = base[:-1]
            if base.endswith("e") and _SHORT.fullmatch(base[:-1]):
                return base
            return base.rstrip("e") if len(base) > 3 else base
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _keeps_e(base: str, ending: str) -> bool:
    """The e belongs to the word (`not-es`, `clos-ed`): its consonant is not doubled and does not hiss (`bus-es`)."""
    if ending == "es":
        return not _HISSED.fullmatch(base) or (base[-1] in "sz" and base[-2] != "u")
    return ending in ("ing", "ed")
