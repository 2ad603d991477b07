"""A written instruction as a script that can be spoken: lists, tables, JSON and code by order and field.

Deterministic. Every literal is said in words, by a reading that the judge takes back (`recording.spoken`); one that has
none stays as it is written, and the script says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.recording.literals import Literal, find_literals, is_without_cjk, kind_of
from pytest_talk2agent.recording.spoken import SYMBOLIC, Style, say
from pytest_talk2agent.speech.languages import ENGLISH, spoken_in
from pytest_talk2agent.speech.number_words import cardinal, ordinal
from pytest_talk2agent.speech.symbols import SYMBOL_NAMES
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention, Kind
from pytest_talk2agent.tasks.task import Task

VERSION = "1"


_EXACT: frozenset[Kind] = frozenset(("path", "filename", "flag", "url", "email", "identifier", "version", "code"))


def literals_of(task: Task) -> list[tuple[str, Kind]]:
    """The values of a task's intentions that a speaker must say sign by sign."""
    return [
        (value, one.kind)
        for one in task.intentions.values()
        if one.kind in _EXACT
        for value in one.say
        if re.search(r"[\W\d_]", value)
    ]


@dataclass(frozen=True)
class Spoken:
    """One literal of an instruction and what the script says for it; ``reason`` is why it does not come back, if so."""

    value: str
    kind: Kind
    said: str
    reason: str | None = None


@dataclass(frozen=True)
class Script:
    """What a speaker reads aloud, and every literal in it, in the order of the instruction."""

    text: str
    literals: tuple[Spoken, ...]

    @property
    def lost(self) -> tuple[Spoken, ...]:
        """The literals that the judge would not take back from the script."""
        return tuple(one for one in self.literals if one.reason is not None)


def script_of(instruction: str, style: Style = "people", known: Sequence[tuple[str, Kind]] = ()) -> Script:
    """The spoken form of an instruction; of one in another language than English, its symbols alone are spoken.

    ``known`` are values that are literals whatever they look like (`find_literals`).
    """
    speaker = _Speaker(style, known, english=_is_english(instruction))
    text = speaker.document(instruction)
    return Script(text, checked(instruction, text, speaker.said))


def checked(instruction: str, script: str, literals: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """The literals, each with the reason for which the judge does not take it back from the whole script, if so."""
    names = {f"literal_{number}": one for number, one in enumerate(literals)}
    intentions = {name: Intention(say=one.value, kind=one.kind) for name, one in names.items()}
    if not intentions:
        return tuple(literals)
    findings = judge(Case(instruction, script, intentions, script)).findings
    kept = {(one.value, one.kind) for name, one in names.items() if findings[name].label is Label.RETAINED}
    return tuple(
        one if one.reason or (one.value, one.kind) in kept else replace(one, reason=findings[name].reason)
        for name, one in names.items()
    )


_FENCE = re.compile(r"\s*(```+|~~~+)\s*([\w+-]*)\s*")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>.*)")
_HEAD = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*")
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}")
_ROW = re.compile(r"\s*\|.*\|\s*")
_ROW_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_SPAN = re.compile(r"(`+)(?P<code>.+?)\1|!?\[(?P<shown>[^\]\n]+)\]\((?P<target>[^)\s]+)\)")
_STRONG = re.compile(r"(?<!\w)(\*\*|__|\*|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_DOUBLE_MARK = re.compile(r",([,.;:!?])")
_LOOSE = re.compile(r"(?<=\s)&(?=\s)")
_END = (".", "!", "?", ":", ";", ",", "。", "！", "？", "：")


def _is_english(text: str) -> bool:
    return is_without_cjk(text) and spoken_in(ENGLISH, tokenise(text)) == ENGLISH


class _Speaker:
    """Says a document piece by piece, and remembers the literals."""

    def __init__(self, style: Style, known: Sequence[tuple[str, Kind]], *, english: bool) -> None:
        self._style, self._known, self._english = style, known, english
        self.said: list[Spoken] = []

    def document(self, text: str) -> str:
        parts = [part for part in self._blocks(text.replace("\r\n", "\n").split("\n")) if part]
        return " ".join(" ".join(_ended(part) for part in parts[:-1]).split() + parts[-1].split()) if parts else ""

    def _blocks(self, lines: Sequence[str]) -> Iterator[str]:
        index, counts, prose = 0, _Counts(), ""
        while index < len(lines):
            line, taken, block = lines[index], 1, ""
            if fence := _FENCE.fullmatch(line):
                inside = _until(lines, index + 1, partial(_closes, fence[1]))
                taken, block = len(inside) + 2, self._code_block(inside)
            elif _ROW.fullmatch(line) and index + 1 < len(lines) and _ROW_RULE.fullmatch(lines[index + 1]):
                rows = _until(lines, index + 2, lambda one: not _ROW.fullmatch(one))
                taken, block = len(rows) + 2, self._table(line, rows)
            elif (value := _json_at(lines, index)) is not None:
                taken, block = value[1], _capital(self._json(value[0]))
            elif item := _ITEM.fullmatch(line):
                block = f"{ordinal(counts.next(len(item['indent']))).capitalize()}, {self.prose(item['text'])}"
                block = block if self._english else self.prose(item["text"])
            elif head := _HEAD.fullmatch(line):
                block = self.prose(head[1])
            elif line.strip() and not _RULE.fullmatch(line):
                prose = f"{prose} {line.strip()}".strip()
                index += 1
                continue
            if prose:
                yield self.prose(prose)
                prose = ""
            if block and not _ITEM.fullmatch(line):
                counts = _Counts()
            yield block
            index += taken
        yield self.prose(prose)

    def prose(self, text: str) -> str:
        """Running text with its code spans, links and literals."""
        text = _STRONG.sub(lambda found: found[2], text)
        parts, begin = [], 0
        for span in _SPAN.finditer(text):
            parts.append(self._plain(text[begin : span.start()]))
            begin = span.end()
            if span["code"]:
                parts.append(self._code(span["code"].strip()))
            else:
                shown, target = span["shown"], span["target"]
                parts.append(self._plain(shown) + ("" if shown == target else f", {self._plain(target)},"))
        return _DOUBLE_MARK.sub(r"\1", "".join([*parts, self._plain(text[begin:])])).strip()

    def _plain(self, text: str) -> str:
        """Text without code spans: JSON in it, then its literals."""
        for brace in re.finditer(r"[{\[]", text):
            found = _json_within(text, brace.start())
            if found is not None:
                before, after = text[: brace.start()], text[found[1] :]
                return f"{self._words(before)}{self._json(found[0])}{self._plain(after)}"
        return self._words(text)

    def _words(self, text: str) -> str:
        parts, begin = [], 0
        for literal in find_literals(text, self._known):
            parts += [_LOOSE.sub("and", text[begin : literal.start]), self._literal(literal, text)]
            begin = literal.end
        return "".join([*parts, _LOOSE.sub("and", text[begin:])])

    def _literal(self, literal: Literal, text: str) -> str:
        said = self._say(literal.value, literal.kind)
        if said == literal.value:
            return said
        # Chinese has no blanks between words, and a word of another language needs one.
        before = " " if text[: literal.start][-1:].isalnum() else ""
        return f"{before}{said}{' ' if text[literal.end : literal.end + 1].isalnum() else ''}"

    def _say(self, value: str, kind: Kind) -> str:
        if not self._english and kind not in SYMBOLIC:
            return value
        if not any(map(str.isalnum, value)):  # a transcript has no word for it that could be held against it
            return " ".join(_named(value).split())
        said = say(kind, value, self._style)
        reason = None if said is not None else "no reading of it comes back"
        self.said.append(Spoken(value, kind, value if said is None else said, reason))
        return self.said[-1].said

    def _code(self, text: str) -> str:
        """Code word by word: what is a literal as one, what is a word as it stands, symbols by their names."""
        if kind := kind_of(text):
            return self._say(text, kind)
        if not re.search(r"[\s]", text):
            return self._say(text, "code") if re.search(r"[\W\d_]", text) else text
        parts, begin = [], 0
        for literal in find_literals(text, self._known):
            parts += [_named(text[begin : literal.start]), self._say(literal.value, literal.kind)]
            begin = literal.end
        return " ".join(" ".join([*parts, _named(text[begin:])]).split())

    def _code_block(self, lines: Sequence[str]) -> str:
        text = "\n".join(lines).strip()
        value = _json_at(text.split("\n"), 0)
        if value is not None and value[1] == len(text.split("\n")):
            return self._json(value[0])
        said = [self._code(line.strip()) for line in lines if line.strip()]
        return f"The code is, {', new line, '.join(said)}, end of code" if said else ""

    def _table(self, head: str, rows: Sequence[str]) -> str:
        names = [self.prose(cell) for cell in _cells(head)]
        said = []
        for number, row in enumerate(rows, 1):
            cells = [f"{name}, {self.prose(cell) or 'empty'}" for name, cell in zip(names, _cells(row), strict=False)]
            said.append(f"Row {cardinal(number)}: {'; '.join(cells)}")
        columns = f"A table with the columns {', '.join(names)}"
        return ". ".join([columns, *said])

    def _json(self, value: Any) -> str:
        if isinstance(value, Mapping):
            if not value:
                return "an empty object"
            fields = [f"{self._key(key)}, {self._json(item)}" for key, item in value.items()]
            return f"an object with {_count(len(fields), 'field')}: {'; '.join(fields)}; end of object"
        if isinstance(value, list):
            if not value:
                return "an empty list"
            items = [f"{ordinal(number)}, {self._json(item)}" for number, item in enumerate(value, 1)]
            return f"a list of {_count(len(items), 'item')}: {'; '.join(items)}; end of list"
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        if isinstance(value, int | float):
            return self._say(json.dumps(value), "number")
        return self._code(value) if kind_of(value) else self.prose(value) or "an empty text"

    def _key(self, key: str) -> str:
        return self._code(key) if kind_of(key) else self.prose(key)


class _Counts:
    """Numbers the items of lists within lists."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int]] = []

    def next(self, indent: int) -> int:
        while self._open and self._open[-1][0] > indent:
            self._open.pop()
        number = self._open.pop()[1] + 1 if self._open and self._open[-1][0] == indent else 1
        self._open.append((indent, number))
        return number


def _count(number: int, noun: str) -> str:
    return f"{cardinal(number)} {noun}{'s' * (number != 1)}"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _closes(mark: str, line: str) -> bool:
    return line.strip().startswith(mark)


def _until(lines: Sequence[str], index: int, ends: Callable[[str], bool]) -> list[str]:
    found = []
    for line in lines[index:]:
        if ends(line):
            break
        found.append(line)
    return found


def _json_at(lines: Sequence[str], index: int) -> tuple[Any, int] | None:
    """The object or list of objects that begins on a line and ends with one, and how many lines it takes."""
    if not lines[index].lstrip().startswith(("{", "[{", '["', "[")):
        return None
    for end in range(index + 1, min(len(lines), index + 400) + 1):
        if not lines[end - 1].rstrip().endswith(("}", "]")):
            continue
        try:
            value = json.loads("\n".join(lines[index:end]))
        except (ValueError, RecursionError):
            continue
        return (value, end - index) if isinstance(value, dict | list) else None
    return None


def _json_within(text: str, start: int) -> tuple[Any, int] | None:
    """The object with fields, or the list of texts or objects, that begins here, and where it ends."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    plain = isinstance(value, list) and not any(isinstance(item, str | Mapping) for item in value)
    return None if plain or not value else (value, end)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _named(text: str) -> str:
    """Code between literals: its symbols by name."""
    return "".join(f" {SYMBOL_NAMES[c]} " if c in SYMBOL_NAMES and not c.isspace() else c for c in text)


def _ended(part: str) -> str:
    part = part.rstrip()
    return part if part.endswith(_END) else f"{part}."
