"""What a token may stand for in a spelling: itself, a symbol (`dot`), a letter (`sierra`, `B as in boy`), digits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from pytest_talk2agent.judging.reading import Fault
from pytest_talk2agent.speech.numerals import group_at, groups_at, is_numeric, whole_values
from pytest_talk2agent.speech.symbols import (
    EXTENSION_SOUNDS,
    LETTER_HOMOPHONES,
    LETTER_NAMES,
    NATO,
    NUMBER_HOMOPHONES,
    symbol_at,
    symbol_starts,
)
from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import FILLERS, listed

Sort = Literal["word", "letter", "digits", "spoken digits", "symbol", "nothing"]
_LONGEST_NUMBER = 12
_VOWELS = frozenset("aeiouy")
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_AS_IN = (("as", "in"), ("is", "for"), ("as",), ("for",), ("like",))
# Prints of the spoken alphabet that are other words elsewhere.
_ALPHABET = {"mic": "m", "viktor": "v", "oskar": "o"}
# Words that are given as examples of their first letter behind a mere `for`, which elsewhere goes on with the sentence.
_EXAMPLES = frozenset(NATO) | frozenset(
    listed(
        "adam able apple ann boy baker bob cat charles dog david easy edward egg fox frank fred george girl harry "
        "henry "
        "ida ink item jack john king kate kitten love larry london mary mother money nancy nan nut ocean orange otto "
        "peter paul paris queen queenie robert roger rome sam sugar simon tom tommy tare tiger uncle union vic vera "
        "van william water xmas young yellow york zebra zero zoo"
    )
)


class Piece(NamedTuple):
    """What the tokens up to ``end`` may stand for: ``chars`` to compare, ``cased`` as it was written."""

    end: int
    chars: str
    cased: str
    sort: Sort
    spoken: bool
    fault: Fault = Fault.NONE
    extension: bool = False


@lru_cache(maxsize=1)
def _special() -> frozenset[str]:
    """Words that may stand for more than themselves; all others are one piece."""
    tables: tuple[Iterable[str], ...] = (
        NATO, LETTER_NAMES, LETTER_HOMOPHONES, NUMBER_HOMOPHONES, _ALPHABET, _TIMES, FILLERS, symbol_starts(),
        (words[0] for words in EXTENSION_SOUNDS), listed("capital upper uppercase big lower lowercase small"),
    )  # fmt: skip
    return frozenset(word for table in tables for word in table)


@lru_cache(maxsize=65536)
def pieces_at(stream: Stream, index: int) -> tuple[Piece, ...]:
    """All that the tokens from this one on may stand for."""
    token, norms = stream[index], stream.norms
    if token.kind == "word" and len(token.norm) > 3 and token.norm not in _special() and not is_numeric(token.norm):
        return (Piece(index + 1, token.norm, token.text, "word", False),)
    after = index + 1
    if token.kind == "symbol":
        return (Piece(after, token.norm, token.text, "symbol", False),)
    pieces: list[Piece] = []
    if token.kind == "word":
        letters = len(token.norm) <= 3 and _VOWELS.isdisjoint(token.norm)  # `h tml`
        sort: Sort = "letter" if len(token.norm) == 1 or letters else "word"
        pieces.append(Piece(after, token.norm, token.text, sort, False))
        pieces.extend(_named(stream, index))
    if token.norm in FILLERS:
        pieces.append(Piece(after, "", "", "nothing", False))
    groups = groups_at(stream, index)[:_LONGEST_NUMBER]
    for count in range(1, len(groups) + 1):
        some = groups[:count]
        if any(group.fraction for group in some[:-1]):
            break
        joined = "".join(group.digits for group in some)
        spoken = any(not group.printed for group in some)
        kind: Sort = "spoken digits" if spoken else "digits"
        sums = {str(value) for value in whole_values(some)} - {joined} if len(joined) > 1 and count > 1 else set()
        last = some[-1]
        if last.fraction:
            pieces.append(Piece(last.end, f"{joined}.{last.fraction}", f"{joined}.{last.fraction}", kind, False))
            joined_end = last.end - 2
        else:
            joined_end = last.end
        text = stream.text[stream[index].start : stream[joined_end - 1].end]
        if last.printed and count == 1 and "," in text:  # thousands separators stand between tokens
            pieces.append(Piece(after, token.norm, token.text, "digits", False))
        doubt = Fault.SUM if sums else Fault.NONE
        if any(norm in ("o", "oh") for norm in norms[index:joined_end]):
            doubt |= Fault.SIMILAR
        pieces.append(Piece(joined_end, joined, joined, kind, False, doubt))
        pieces.extend(Piece(joined_end, total, total, kind, False, Fault.SUM) for total in sums)
    if token.norm in NUMBER_HOMOPHONES:
        digits = str(NUMBER_HOMOPHONES[token.norm])
        pieces.append(Piece(after, digits, digits, "spoken digits", False, Fault.SOUND))
    if token.norm == "oh" or token.norm == "o":
        pieces.append(Piece(after, "0", "0", "spoken digits", False, Fault.SIMILAR))
    for length in (4, 3, 2, 1):
        for extension in EXTENSION_SOUNDS.get(norms[index : index + length], ()):
            if not token.glued and index + length <= len(stream):
                pieces.append(Piece(index + length, extension, extension, "word", False, extension=True))
    return tuple(pieces)


def _named(stream: Stream, index: int) -> list[Piece]:
    """Symbols and letters by their names."""
    norms, word = stream.norms, stream.norms[index]
    pieces: list[Piece] = []
    if named := symbol_at(norms, index):
        pieces.append(Piece(named[1], named[0], named[0], "symbol", True))
        shorter = symbol_at(norms[: index + 1], index)
        if shorter and shorter != named:
            pieces.append(Piece(shorter[1], shorter[0], shorter[0], "symbol", True))
    following = norms[index + 1] if index + 1 < len(norms) else ""
    letter = _letter(word)
    if letter:
        pieces.append(Piece(index + 1, letter, letter, "letter", False))
    if word == "x" and (end := _x_ray(norms, index)):
        pieces.append(Piece(end, "x", "x", "letter", False))
    if compared := _compared(stream, index):
        end, letter, agrees = compared
        fault = Fault.NONE if agrees else Fault.SIMILAR
        pieces.append(Piece(end, letter, stream[index].text[0], "letter", False, fault))
    if word in LETTER_HOMOPHONES:
        letter = LETTER_HOMOPHONES[word]
        pieces.append(Piece(index + 1, letter, letter, "letter", False, Fault.SOUND))
    if word == "double" and following in ("u", "you"):
        pieces.append(Piece(index + 2, "w", "w", "letter", False))
    elif word in _TIMES and len(following) == 1 and following.isalpha():
        pieces.append(Piece(index + 2, following * _TIMES[word], following, "letter", False))
    elif (
        word in _TIMES and index + 1 < len(norms) and (digit := group_at(stream, index + 1)) and len(digit.digits) == 1
    ):
        digits = digit.digits * _TIMES[word]
        pieces.append(Piece(digit.end, digits, digits, "spoken digits", False))
    for lead in (("capital",), ("upper", "case"), ("uppercase",), ("big",)):
        at = index + len(lead)
        if norms[index:at] == lead and at < len(norms) and norms[at].isalpha():
            cased = norms[at].upper() if len(norms[at]) == 1 or lead[0] != "capital" else norms[at].title()
            pieces.append(Piece(at + 1, norms[at], cased, "letter" if len(norms[at]) == 1 else "word", True))
    for lead in (("lower", "case"), ("lowercase",), ("small",)):
        at = index + len(lead)
        if norms[index:at] == lead and at < len(norms) and norms[at].isalpha():
            pieces.append(Piece(at + 1, norms[at], norms[at], "letter" if len(norms[at]) == 1 else "word", True))
    return pieces


def _letter(word: str) -> str | None:
    """The letter that a word of a spoken alphabet, or its own name, stands for."""
    return NATO.get(word) or LETTER_NAMES.get(word) or _ALPHABET.get(word)


def _x_ray(norms: tuple[str, ...], index: int) -> int:
    """Where `x-ray` or `x ray` ends; 0 where it does not stand there."""
    for between in (("-", "ray"), ("ray",)):
        if norms[index + 1 : index + 1 + len(between)] == between:
            return index + 1 + len(between)
    return 0


def _compared(stream: Stream, index: int) -> tuple[int, str, bool] | None:
    """`B as in boy`: where it ends, the letter, and whether the word agrees with it."""
    norms, word = stream.norms, stream.norms[index]
    letter = word if len(word) == 1 and word.isalpha() else LETTER_NAMES.get(word) or LETTER_HOMOPHONES.get(word)
    if not letter:
        return None
    for between in _AS_IN:
        at = index + 1 + len(between)
        if norms[index + 1 : at] != between or at >= len(norms) or stream[at].kind != "word":
            continue
        if len(norms[at]) > 1 and (len(between) == 2 or (norms[at] in _EXAMPLES and norms[at][0] == letter)):
            return _x_ray(norms, at) or at + 1, letter, norms[at][0] == letter
    return None


def letters_at(stream: Stream, index: int, *, least: int = 2) -> tuple[str, int] | None:
    """The letters and digits that are spelled one by one from the token on, and where they end; None for fewer."""
    letters: list[str] = []
    end = index
    while end < len(stream):
        token = stream[end]
        if token.kind == "symbol":
            if not letters or token.norm not in ("-", "."):
                break
            end += 1
            continue
        pieces = [piece for piece in pieces_at(stream, end) if piece.sort in ("letter", "spoken digits", "digits")]
        pieces = [piece for piece in pieces if piece.sort != "letter" or len(piece.chars) == 1 or piece.end > end + 1]
        pieces = [piece for piece in pieces if not piece.fault & ~Fault.SIMILAR and len(piece.chars) <= 3]
        if not pieces:
            break
        best = max(pieces, key=lambda piece: (piece.end, -int(piece.fault)))
        letters.append(best.chars)
        end = best.end
    while end > index and stream[end - 1].kind == "symbol":
        end -= 1
    text = "".join(letters)
    return (text, end) if len(letters) >= least else None
