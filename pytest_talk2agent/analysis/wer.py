"""Word and character error rate, as counts that can be added up."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pytest_talk2agent.results.record import ErrorRates

NORMALISER = "basic/1"


def normalise(text: str) -> str:
    """Lower case, compatibility characters folded, every run of punctuation and white space one blank.

    Apostrophes inside a word go without a blank; combining marks belong to their word. Numbers are left as they stand:
    "twenty" and "20" differ here, which is one reason why a word error rate gates nothing.
    """
    folded = unicodedata.normalize("NFKC", text).lower().replace("'", "").replace("’", "")
    return " ".join("".join(c if c.isalnum() or _is_mark(c) else " " for c in folded).split())


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def nearest(references: Sequence[str], hypothesis: str) -> str:
    """The reference with the fewest word errors, the first of equals.

    A spoken task has two references, as written and as spoken: a recogniser may print "2026" or "twenty twenty six".
    """
    heard = normalise(hypothesis)
    return min(references, key=lambda reference: _word_errors(normalise(reference), heard)[0])


def error_rates(references: Sequence[str], hypothesis: str) -> ErrorRates:
    """Edit counts of a hypothesis against the nearest of its references, by words and by characters, all normalised."""
    import jiwer

    heard = normalise(hypothesis)
    said = normalise(nearest(references, hypothesis))
    errors, count = _word_errors(said, heard)
    if not said:
        return ErrorRates(word_errors=errors, words=0, character_errors=len(heard), characters=0)
    characters = jiwer.process_characters(said, heard)
    return ErrorRates(
        word_errors=errors,
        words=count,
        character_errors=characters.substitutions + characters.deletions + characters.insertions,
        characters=characters.hits + characters.substitutions + characters.deletions,
    )


def _word_errors(said: str, heard: str) -> tuple[int, int]:
    """Errors and reference words."""
    import jiwer

    if not said:
        return len(heard.split()), 0
    words = jiwer.process_words(said, heard)
    return (
        words.substitutions + words.deletions + words.insertions,
        words.hits + words.substitutions + words.deletions,
    )
