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
_BORDER = re.compile(r"[.!?;]+")
_BEGINNING = re.compile(rf"(?<!before you )\b(?=(?:before you |{_NOT} )?{_VERB})", re.IGNORECASE)
_OF_ANOTHER = re.compile(rf"(?:{_NOT}|\bwhat) $", re.IGNORECASE)
_NEGATED = re.compile(_NOT, re.IGNORECASE)
_BEFORE = re.compile(r"before you (?P<later>.+)", re.IGNORECASE)
_TAIL = re.compile(r"(?:[ ,]+(?:and|then|but))+$", re.IGNORECASE)
_ARTICLES = frozenset(("the", "a", "an"))


def deeds(text: str) -> list[str]:
    """What a text asks to be done, in order: verb and words without articles, ``it`` replaced by what it means.

    A sentence begins at each verb, since recognisers set commas and full stops as they like, or none.
    """
    found = []
    thing = ""
    for clause in _ordered(_apart(text)):
        words = [word for word in re.findall(r"[\w-]+", clause.casefold()) if word not in _ARTICLES]
        verb = next((verb for verb in _VERBS if f"{' '.join(words)} ".startswith(f"{verb} ")), None)
        if verb is None:
            continue
        words = [each for word in words for each in (thing.split() if word == "it" else [word])]
        found.append(" ".join(words))
        thing = " ".join(words[len(verb.split()) :])
    return found


def _apart(text: str) -> str:
    """The text with a full stop before each verb, or before what negates it."""
    begins = [match.start() for match in _BEGINNING.finditer(text)]
    kept = [begin for begin in begins if not _OF_ANOTHER.search(text[:begin])]
    return ".".join(text[start:end] for start, end in pairwise([0, *kept, len(text)]))


def _ordered(text: str) -> Iterator[str]:
    """The deeds, those that something is to be done before behind it."""
    first, later = True, ""
    for part in _BORDER.split(text):
        clause = _TAIL.sub("", part.strip(" ,")).strip(" ,")
        if not clause or _NEGATED.match(clause):
            continue
        before = _BEFORE.fullmatch(clause)
        if before and first:  # before what comes next; else before what came last
            later = before["later"]
            continue
        yield before["later"] if before else clause
        if later:
            yield later
        first, later = False, ""
