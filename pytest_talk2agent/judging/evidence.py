"""Whether a quotation stands in a transcript, and where."""

from __future__ import annotations

import re


def find_quote(quote: str, transcript: str) -> tuple[int, int] | None:
    """The character offsets of the first place where the quoted words stand, or None.

    White space and case may differ, and quotation marks around the whole; a quotation of a part of a word or number
    does not count: `4` is not in `14`, nor in `4.5`.
    """
    words = quote.split()
    if not words:
        return None
    found = _search(words, transcript)
    if found is None and len(bare := quote.strip(" \t\n\"'`“”‘’")) < len(quote):
        found = _search(bare.split(), transcript)
    return found


def _search(words: list[str], transcript: str) -> tuple[int, int] | None:
    if not words:
        return None
    pattern = r"\s+".join(map(re.escape, words))
    found = re.search(rf"(?<!\w)(?<!\d[.,:]){pattern}(?!\w)(?![.,:]\d)", transcript, re.IGNORECASE)
    return None if found is None else found.span()
