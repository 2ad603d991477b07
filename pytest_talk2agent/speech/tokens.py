"""Text to tokens with character offsets: words, digits and symbols, contractions written out."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from pytest_talk2agent.speech.words import listed

Class = Literal["word", "digits", "symbol"]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTERS = rf"(?:(?![{_CJK}₀-₉])[^\W\d_][\u0300-\u036f]*)+"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}])|(?P<word>{_LETTERS}(?:['’ʼ]{_LETTERS})*)|(?P<digits>\d+|[₀-₉]+)|(?P<symbol>\S)", re.UNICODE
)
_DOTTED = re.compile(r"\.{1,2}[/\\]")
_PROSE = frozenset(".,;:!?")
_QUOTED_MARK = re.compile(r"""(?<![^\s(\[])["“'‘`«„][.,;:!?]["”'’`»](?!\w)""")
_QUOTES = frozenset("\"“”„«»'‘’`´…¿¡")
_CLOSERS = frozenset("\"”»'’)]")
_DASHES = {"—": "--", "–": "--", "−": "-", "‐": "-", "‑": "-", "―": "--"}

_SUFFIXES = {"n't": "not", "'ll": "will", "'re": "are", "'ve": "have", "'m": "am", "'d": "would"}
_WHOLE = {
    "won't": ((2, "will"), (5, "not")),
    "can't": ((2, "can"), (5, "not")),
    "shan't": ((3, "shall"), (6, "not")),
    "cannot": ((3, "can"), (6, "not")),
    "let's": ((3, "let"), (5, "us")),
    "cant": ((3, "can"), (4, "not")),
    **{
        f"{stem}nt": ((len(stem), stem), (len(stem) + 2, "not"))
        for stem in ("do", "does", "did", "is", "are", "was", "were", "should", "would", "could", "has", "have")
    },
}
_IS_HOSTS = frozenset(listed("it that he she what there here who where how this everything"))


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a run of digits or one symbol.

    ``norm`` is what is compared (NFC, case folded, contractions written out); ``text`` is what stands in the source
    between ``start`` and ``end``; ``lead`` is the prose punctuation and white space skipped before it, and is empty
    where the token is glued to the one before.
    """

    norm: str
    text: str
    start: int
    end: int
    kind: Class
    lead: str

    @property
    def glued(self) -> bool:
        """Nothing stands between this token and the one before."""
        return not self.lead

    @property
    def paused(self) -> bool:
        """Punctuation or the end of a line stands before this token."""
        return bool(self.lead.strip()) or "\n" in self.lead


@dataclass(frozen=True, eq=False)
class Stream:
    """A text and its tokens; equal only to itself, so that what is derived from it can be remembered."""

    text: str
    tokens: tuple[Token, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    @cached_property
    def norms(self) -> tuple[str, ...]:
        """The compared forms, in order."""
        return tuple(token.norm for token in self.tokens)

    @cached_property
    def has_capital(self) -> bool:
        """The text tells capitals from small letters."""
        return any(not token.text.islower() and token.text != "I" for token in self.tokens if token.kind == "word")

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Character offsets of the tokens from ``start`` to ``end`` (exclusive, not empty)."""
        return self.tokens[start].start, self.tokens[end - 1].end

    def phrase_at(self, index: int, words: tuple[str, ...]) -> bool:
        """The words stand at the index."""
        norms = self.norms
        return index < len(norms) and norms[index] == words[0] and norms[index : index + len(words)] == words

    def without(self, ranges: list[tuple[int, int]]) -> Stream:
        """The same text with the tokens of some index ranges left out."""
        gone = {index for start, end in ranges for index in range(start, end)}
        return Stream(self.text, tuple(token for index, token in enumerate(self.tokens) if index not in gone))


def _is_prose(text: str, position: int) -> bool:
    """A mark that ends a phrase rather than joining two tokens."""
    mark = text[position]
    if mark in _QUOTES:
        return True
    if mark not in _PROSE:
        return False
    if _QUOTED_MARK.match(text, position - 1) and position:
        return False  # `separated by ","`
    following = text[position + 1 : position + 2]
    if mark == "." and following and following in "./\\" and _DOTTED.match(text, position):
        return False
    return not following or following.isspace() or following in _CLOSERS or following in _PROSE


def _contraction(word: str) -> tuple[tuple[int, str], ...] | None:
    """Where a contraction splits: (end offset inside the word, written-out form), or None."""
    if word in _WHOLE:
        return _WHOLE[word]
    for suffix, full in _SUFFIXES.items():
        if word.endswith(suffix) and len(word) > len(suffix):
            stem = word[: -len(suffix)]
            return (len(stem), stem), (len(word), full)
    if word.endswith("'s") and word[:-2] in _IS_HOSTS:
        return (len(word) - 2, word[:-2]), (len(word), "is")
    return None


def fold(text: str) -> str:
    """The compared form of a piece of text: NFC, case folded, straight apostrophes."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("ʼ", "'")


def _digits(text: str) -> str:
    return text if text.isascii() else "".join(str(unicodedata.digit(character)) for character in text)


def tokenise(text: str) -> Stream:
    """Split text into tokens that index into it.

    Words keep their letters together (`getUserName` is one token), digits and letters are apart (`20mm` is two),
    Chinese and Japanese characters are units, prose punctuation and quotation marks become the ``lead`` of the next
    token. Contractions become two tokens: `don't` is `do`, `not`.
    """
    return _tokenise(text) if len(text) < 4096 else _tokenise.__wrapped__(text)


@lru_cache(maxsize=4096)
def _tokenise(text: str) -> Stream:
    tokens: list[Token] = []
    last = 0
    first_lead = "\n"  # the first token is glued to nothing
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        piece = found.group()
        group = found.lastgroup
        lead = text[last:start] if tokens else text[:start] or first_lead
        if group == "symbol":
            if _is_prose(text, start):
                continue
            tokens.append(Token(_DASHES.get(piece, piece), piece, start, end, "symbol", lead))
        elif group == "digits":
            tokens.append(Token(_digits(piece), piece, start, end, "digits", lead))
        else:
            norm = fold(piece)
            if not norm.strip("'"):
                continue  # an apostrophe that is a letter (U+02BC) and stands alone is a quotation mark, too
            parts = _contraction(norm) if len(norm) == len(piece) else None
            if parts is None:
                tokens.append(Token(norm.replace("'", ""), piece, start, end, "word", lead))
            else:
                begin = 0
                for stop, full in parts:
                    tokens.append(Token(full, piece[begin:stop], start + begin, start + stop, "word", lead))
                    begin, lead = stop, ""
        last = end
    return Stream(text, tuple(tokens))
