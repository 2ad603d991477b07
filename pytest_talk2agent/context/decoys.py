"""Decoys: terms that nobody sees or says, to count how often a recogniser prints what it was told to expect."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from pytest_talk2agent.context.vocabulary import EXTENSION, ContextError, words_of_file
from pytest_talk2agent.speech.numerals import group_at
from pytest_talk2agent.speech.sounds import sounds_alike
from pytest_talk2agent.speech.symbols import EXTENSION_SOUNDS, symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import stem
from pytest_talk2agent.tasks.task import Task

MOST_TRIES = 200
"""Ways in which one decoy is tried before there are too few words left."""
MOST_PARTS = 3
"""Words of a decoy; a longer model is cut."""
MOST_MARKS = 3
"""Marks in a row that may stand between the words of a term (`://`)."""

_PART = re.compile(r"(?P<word>[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z]))|(?P<digits>\d+)|(?P<mark>[\W_]+)")
_DEFAULT_MODELS = ("invoice_07.pdf", "loadRows", "map server")
_ZEROS = frozenset(("oh", "o"))


def make_decoys(task: Task, terms: Sequence[str], count: int) -> tuple[str, ...]:
    """``count`` names in the style of the terms, the same ones for the same task and terms.

    No word of a decoy is, or sounds like, a word of the instruction, the script, an intention or a term.
    Raises ContextError where no more can be made.
    """
    if not count:
        return ()
    taken = _taken_words(task, terms)
    pool = [word for word in words_of_file("decoy_words.txt") if not any(_alike(word, other) for other in taken)]
    models = terms or _DEFAULT_MODELS
    decoys: dict[str, None] = {}
    for number in range(count):
        for attempt in range(MOST_TRIES):
            draws = _draws(f"{task.id}\0{number}\0{attempt}")
            model = models[(number + attempt) % len(models)]
            decoy = _in_style_of(model, pool, draws) if pool else ""
            if decoy and decoy not in decoys:
                decoys[decoy] = None
                break
        else:
            raise ContextError(
                f"task {task.id!r}: only {number} of {count} decoys can be made that sound like nothing in it;"
                " lower terms_decoys"
            )
    return tuple(decoys)


def interleaved(terms: Sequence[str], decoys: Sequence[str]) -> list[str]:
    """The decoys spread evenly among the terms, so that any head of the list has its share of them."""
    # Each stands at the middle of its share of the list; of equals the term goes first.
    placed = [((2 * index + 1) * len(decoys), 0, index, term) for index, term in enumerate(terms)]
    placed += [((2 * index + 1) * len(terms), 1, index, decoy) for index, decoy in enumerate(decoys)]
    return [name for *_, name in sorted(placed)]


def inserted(terms: Sequence[str], spoken: Sequence[str], transcript: str) -> tuple[str, ...]:
    """The listed terms that stand in the transcript but in none of the spoken texts, in their order, each once.

    A term stands in a text whatever its case, its blanks and its marks are, and also in spoken form
    (`invoice underscore oh seven dot p d f`); it begins and ends with a word.
    """
    heard, said = tokenise(transcript), [tokenise(text) for text in spoken]
    return tuple(
        term
        for term in dict.fromkeys(terms)
        if _stands_in(term, heard) and not any(_stands_in(term, stream) for stream in said)
    )


def _stands_in(term: str, stream: Stream) -> bool:
    wanted = "".join(token.norm for token in tokenise(term).tokens if token.kind != "symbol")
    return bool(wanted) and any(_follows(stream, index, wanted, marks=0) for index in range(len(stream)))


def _follows(stream: Stream, index: int, wanted: str, marks: int) -> bool:
    """The tokens from the index on spell all letters and digits that are wanted, after ``marks`` marks at most."""
    if not wanted:
        return True
    if index >= len(stream):
        return False
    if any(_follows(stream, end, rest, MOST_MARKS) for rest, end in _readings(stream, index, wanted, inside=marks > 0)):
        return True
    if not marks:
        return False
    symbol = (None, index + 1) if stream[index].kind == "symbol" else symbol_at(stream.norms, index)
    return symbol is not None and _follows(stream, symbol[1], wanted, marks - 1)


def _readings(stream: Stream, index: int, wanted: str, *, inside: bool) -> Iterator[tuple[str, int]]:
    """What is still wanted, and from where on, after each way of reading the next tokens as letters and digits."""
    token = stream[index]
    if token.kind == "symbol":
        return
    if wanted.startswith(token.norm):
        yield wanted[len(token.norm) :], index + 1
    if token.norm in _ZEROS and wanted.startswith("0"):
        yield wanted[1:], index + 1
    number = group_at(stream, index)
    if number and not number.fraction and number.digits != token.norm and wanted.startswith(number.digits):
        yield wanted[len(number.digits) :], number.end
    if inside:
        for words, extensions in EXTENSION_SOUNDS.items():
            if wanted in extensions and stream.phrase_at(index, words):
                yield "", index + len(words)


def _taken_words(task: Task, terms: Iterable[str]) -> set[str]:
    texts = [task.instruction, task.spoken, *terms, *task.files]
    for intention in task.intentions.values():
        texts += [*intention.say, *intention.also, *intention.options, *intention.contrary]
        texts += [word for group in intention.keywords for word in group]
    return {found["word"].lower() for text in texts for found in _PART.finditer(text) if found["word"]}


def _alike(word: str, other: str) -> bool:
    return stem(word) == stem(other) or sounds_alike(word, other)


def _draws(seed: str) -> Iterator[int]:
    """An endless row of numbers that depends on the seed only, on every machine and Python."""
    number = 0
    while True:
        yield int.from_bytes(hashlib.sha256(f"{seed}\0{number}".encode()).digest()[:8], "big")
        number += 1


def _in_style_of(model: str, pool: Sequence[str], draws: Iterator[int]) -> str:
    """The model with other words and digits: its marks, capitals, number of digits and extension stay."""
    extension = EXTENSION.search(model)
    ending = extension[0] if extension else ""
    parts, words = "", 0
    for found in _PART.finditer(model[: len(model) - len(ending)]):
        if found["word"]:
            if words == MOST_PARTS:
                break
            words += 1
            parts += _in_case_of(found["word"], pool[next(draws) % len(pool)])
        elif found["digits"]:
            parts += "".join(str(next(draws) % 10) for _ in found["digits"])
        else:
            parts += found["mark"]
    return parts.rstrip(" ._-/") + ending if words else ""


def _in_case_of(model: str, word: str) -> str:
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.capitalize() if model[0].isupper() else word
