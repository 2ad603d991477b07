"""Whether a quotation stands in a transcript, and where."""

from __future__ import annotations

import re


def find_quotes(quote: str, transcript: str) -> list[tuple[int, int]]:
    """The character offsets of every place where the quoted words stand, in order.

    White space and case may differ, and quotation marks around the whole; a quotation of a part of a word or number
    does not count: `4` is not in `14`, nor in `4.5`.
    """
    found = _search(quote.split(), transcript)
    if not found and len(bare := quote.strip(" \t\n\"'`“”‘’")) < len(quote):
        found = _search(bare.split(), transcript)
    return found


def find_quote(quote: str, transcript: str) -> tuple[int, int] | None:
    """The first of these places, or None."""
    return next(iter(find_quotes(quote, transcript)), None)


def _search(words: list[str], transcript: str) -> list[tuple[int, int]]:
    if not words:
        return []
    pattern = r"\s+".join(map(re.escape, words))
    found = re.finditer(rf"(?<!\w)(?<!\d[.,:]){pattern}(?!\w)(?![.,:]\d)", transcript, re.IGNORECASE)
    return [match.span() for match in found]
