"""What was said and what was heard, word by word, with the differences marked."""

from __future__ import annotations

import difflib
import textwrap

from pytest_talk2agent.analysis.wer import normalise

MARKS = ("[", "]")


def aligned(said: str, heard: str) -> tuple[str, str]:
    """Both texts with every stretch that differs in brackets; words are compared without case and punctuation."""
    reference, hypothesis = said.split(), heard.split()
    matcher = difflib.SequenceMatcher(
        a=[normalise(word) for word in reference], b=[normalise(word) for word in hypothesis], autojunk=False
    )
    left: list[str] = []
    right: list[str] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        equal = tag == "equal"
        left.extend(reference[a:b] if equal else _marked(reference[a:b]))
        right.extend(hypothesis[c:d] if equal else _marked(hypothesis[c:d]))
    return " ".join(left), " ".join(right)


def wrapped(label: str, text: str, width: int = 110) -> list[str]:
    """A labelled paragraph with a hanging indent."""
    indent = " " * (len(label) + 2)
    return textwrap.wrap(text, width, initial_indent=f"{label}  ", subsequent_indent=indent) or [f"{label}  (nothing)"]


def _marked(words: list[str]) -> list[str]:
    return [f"{MARKS[0]}{' '.join(words)}{MARKS[1]}"] if words else []
