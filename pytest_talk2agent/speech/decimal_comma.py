"""Numbers with a decimal comma, as most of Europe prints them: read as if they had a point."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache

from pytest_talk2agent.speech.currencies import is_code, is_sign
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.unit_phrases import unit_at

_DECIMAL_COMMA = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,\d{1,2})(?![\w]|[.,]\d)")
_SWAPPED = {",": ".", ".": ","}


@lru_cache(maxsize=1024)
def with_points(stream: Stream, *, bare: bool) -> Stream:
    """The text with decimal points where it has decimal commas: `850,50 euros`, `1.850,50`, `0,5 cm`.

    Three digits behind a comma are thousands, unless a zero or a dot between thousands stands before. A comma in a bare
    number counts where a fraction is asked for (``bare``): else `22,80` are two numbers.
    """
    if "," not in stream.text:
        return stream
    tokens = list(stream.tokens)
    starts = [token.start for token in tokens]
    for found in _DECIMAL_COMMA.finditer(stream.text):
        inside = range(bisect_left(starts, found.start()), bisect_left(starts, found.end()))
        if (
            not inside
            or tokens[inside[0]].start != found.start()
            or "".join(tokens[index].text for index in inside) != found[0]
        ):
            continue
        before = stream.norms[inside[0] - 1] if inside[0] else ""
        if bare or is_sign(before) or is_code(before) or unit_at(stream, inside[-1] + 1) is not None:
            for index in inside:
                norm = tokens[index].norm
                tokens[index] = replace(tokens[index], norm=_SWAPPED.get(norm, norm))
    return stream if tokens == list(stream.tokens) else Stream(stream.text, tuple(tokens))
