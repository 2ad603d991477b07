"""The orders at the workbench: short sentences, each a deed, in the order in which they are to be done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_VERBS = (
    *("pick up", "place", "put", "touch", "connect", "wait", "turn", "open", "close", "tighten", "remove", "move"),
    *("check", "stop", "go back", "repeat", "show", "what is", "what", "is"),
)
_VERB = rf"(?:{'|'.join(_VERBS)})\b"
_NOT = r"(?:please )?(?:do not|don't|dont|never|not)\b"
_BORDER = re.compile(rf"[.!?;]+|,? (?:but|then) |, then | and (?={_VERB})", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;]")
_BEGINNING = re.compile(rf"(?<!before you )\b(?=(?:before you |{_NOT} )?{_VERB})", re.IGNORECASE)
_NEGATED = re.compile(_NOT, re.IGNORECASE)
_BEFORE_FIRST = re.compile(r"before you (?P<later>[^,]+), (?P<first>.+)", re.IGNORECASE)
_BEFORE_LAST = re.compile(r"(?P<first>.+?) before you (?P<later>.+)", re.IGNORECASE)
_BEFORE_ALONE = re.compile(r"before you (?P<later>.+)", re.IGNORECASE)
_TAIL = re.compile(r"[ ,]+(?:and|then|but)$", re.IGNORECASE)
_ARTICLES = frozenset(("the", "a", "an"))


def deeds(text: str) -> list[str]:
    """What a text asks to be done, in order: verb and words without articles, ``it`` replaced by what it means.

    Where there is no punctuation, as recognisers may leave it out, a sentence begins at each verb.
    """
    found = []
    thing = ""
    for clause in _ordered(text if _SENTENCE.search(text) else _punctuated(text)):
        words = [word for word in re.findall(r"[\w-]+", clause.casefold()) if word not in _ARTICLES]
        verb = next((verb for verb in _VERBS if f"{' '.join(words)} ".startswith(f"{verb} ")), None)
        if verb is None:
            continue
        words = [each for word in words for each in (thing.split() if word == "it" else [word])]
        found.append(" ".join(words))
        thing = " ".join(words[len(verb.split()) :])
    return found


def _punctuated(text: str) -> str:
    """The text with a full stop before each verb that is not negated, and before each negation of one."""
    begins = [match.start() for match in _BEGINNING.finditer(text)]
    kept = [begin for begin in begins if not re.search(rf"(?:{_NOT}|\bwhat) $", text[:begin], re.IGNORECASE)]
    return ".".join(text[start:end] for start, end in pairwise([0, *kept, len(text)]))


def _ordered(text: str) -> Iterator[str]:
    first, later = True, ""
    for part in _BORDER.split(text):
        clause = _TAIL.sub("", part.strip(" ,"))
        if not clause or _NEGATED.match(clause):
            continue
        order = _BEFORE_FIRST.fullmatch(clause) or _BEFORE_LAST.fullmatch(clause)
        alone = None if order else _BEFORE_ALONE.fullmatch(clause)
        if alone and first:  # of what comes next; else of what came before
            later = alone["later"]
            continue
        yield from (order["first"], order["later"]) if order else (alone["later"] if alone else clause,)
        if later:
            yield later
        first, later = False, ""
