"""The orders at the workbench: short sentences, each a deed, in the order in which they are to be done."""

from __future__ import annotations

import re
from collections.abc import Iterator

_VERBS = (
    *("pick up", "place", "put", "touch", "connect", "wait", "turn", "open", "close", "tighten", "remove", "move"),
    *("check", "stop", "go back", "repeat", "show", "what", "is"),
)
_BORDER = re.compile(r"[.!?;]+|,? (?:but|then) |, then | and (?=(?:{})\b)".format("|".join(_VERBS)), re.IGNORECASE)
_NEGATED = re.compile(r"(?:please )?(?:do not|don't|dont|never|not)\b", re.IGNORECASE)
_BEFORE_FIRST = re.compile(r"before you (?P<later>[^,]+), (?P<first>.+)", re.IGNORECASE)
_BEFORE_LAST = re.compile(r"(?P<first>.+?) before you (?P<later>.+)", re.IGNORECASE)
_ARTICLES = frozenset(("the", "a", "an"))


def deeds(text: str) -> list[str]:
    """What a text asks to be done, in order: verb and words without articles, ``it`` replaced by what it means."""
    found = []
    thing = ""
    for clause in _ordered(text):
        words = [word for word in re.findall(r"[\w-]+", clause.casefold()) if word not in _ARTICLES]
        verb = next((verb for verb in _VERBS if " ".join(words).startswith(verb)), None)
        if verb is None:
            continue
        words = [each for word in words for each in (thing.split() if word == "it" else [word])]
        found.append(" ".join(words))
        thing = " ".join(words[len(verb.split()) :])
    return found


def _ordered(text: str) -> Iterator[str]:
    for clause in (part.strip(" ,") for part in _BORDER.split(text)):
        if not clause or _NEGATED.match(clause):
            continue
        order = _BEFORE_FIRST.fullmatch(clause) or _BEFORE_LAST.fullmatch(clause)
        yield from (order["first"], order["later"]) if order else (clause,)
