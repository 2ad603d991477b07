"""A YAML text as a tree in which every node knows its line and column.

Every scalar stays the text that the author wrote. YAML 1.1 would read ``no`` as false, ``12:30`` as 750, ``0042`` as 34
and ``1.10`` as 1.1, so nothing is typed here; the schema decides what a text means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import yaml

from pytest_talk2agent.tasks.errors import shown
from pytest_talk2agent.tasks.files import first_unprintable

HIDDEN_COMMENT = re.compile(r"[ \t]+(?P<comment>#[^\s#]\S*)")
"""A comment that directly follows a plain text and was probably meant as a part of it (``PR #12``)."""

_RESERVED = "@`%*&!|>"


def explain_syntax(error: yaml.MarkedYAMLError, text: str) -> tuple[int, int, str]:
    """Line, column and one line of what is wrong and what to do."""
    mark = error.problem_mark or error.context_mark
    problem = error.problem or ""
    if error.context_mark and ("alias" in str(error.context) or "anchor" in str(error.context)):
        mark = error.context_mark
    if mark is None:
        return 1, 1, f"{problem}; the text is no YAML"
    line, column = mark.line + 1, mark.column + 1
    rows = text.splitlines()
    row = rows[mark.line] if mark.line < len(rows) else ""
    here = row[mark.column : mark.column + 1]
    if "nesting" in problem:
        return line, column, "nested too deep; a task needs fewer than ten levels"
    if "\t" in row[: mark.column + 1] and not row[: mark.column + 1].strip():
        return line, row.index("\t") + 1, "a tab in the indentation; YAML allows blanks only"
    if here and here in _RESERVED:
        return line, column, f"a text must not begin with `{here}` unless it is quoted; put it in quotes"
    if "mapping values" in problem:
        return line, column, "a second `: ` in one line, or a wrong indentation; quote the text that holds the colon"
    if "end of stream" in problem and error.context_mark:
        start = error.context_mark
        return start.line + 1, start.column + 1, "the quote that opens here is never closed; close it"
    if error.context and "flow" in error.context and error.context_mark:
        start = error.context_mark
        if mark.line >= len(rows):
            line, column = start.line + 1, start.column + 1
        opening = "{" if "mapping" in error.context else "["
        advice = f"close the `{opening}` of line {start.line + 1}, and quote texts that hold `: ` or `,`"
        return line, column, f"{_plain_words(problem)} inside {opening}..; {advice}"
    return line, column, f"{_plain_words(problem)}; check the indentation and the quotes around this place"


def _plain_words(problem: str) -> str:
    return problem.replace("did not find expected", "expected").replace("<", "").replace(">", "")


MOST_ALIASED = 10_000
DEEPEST = 32

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may be built without libyaml
_STANDARD_TAG = "tag:yaml.org,2002:"

Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar: its value, and the stretch of the file it was read from."""

    line: int
    column: int
    value: str
    source: str
    style: str

    @property
    def empty(self) -> bool:
        """Whether nothing at all was written here (as after ``note:``), not even quotes."""
        return not self.value and not self.style

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column in the file of the ``offset``-th character of the value.

        Folding and chomping change white space only, so the visible characters before it are counted.
        Escapes in a double-quoted text shift the column.
        """
        header = self.source.find("\n") + 1 if self.style in ("|", ">") else len(self.style)
        left = sum(not character.isspace() for character in self.value[:offset])
        line, column = self.line, self.column
        for index, character in enumerate(self.source):
            if index >= header and not character.isspace():
                if not left:
                    break
                left -= 1
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
        return line, column


@dataclass(frozen=True, slots=True)
class List:
    """A sequence."""

    line: int
    column: int
    items: list[Node]


@dataclass(frozen=True, slots=True)
class Map:
    """A mapping with text keys, in the order of the file."""

    line: int
    column: int
    keys: dict[str, Text] = field(default_factory=dict)
    values: dict[str, Node] = field(default_factory=dict)


Node: TypeAlias = Text | List | Map


class _StopError(Exception):
    """Nothing after this point of the file can be read."""


def read_documents(text: str, report: Report) -> Iterator[Node]:
    """Yield every document of ``text`` that is not empty.

    Faults go to ``report(line, column, message)``. Reading goes on after a duplicate key, a tag, a merge key or a
    hidden comment; it ends at a syntax error, at aliases that stand for more than `MOST_ALIASED` nodes, and at a
    nesting deeper than `DEEPEST`.
    """
    reader = _Reader(text, report)
    try:
        yield from reader.documents()
    except _StopError:
        return
    except yaml.MarkedYAMLError as error:
        report(*explain_syntax(error, text))
    except (
        OverflowError,
        ValueError,
    ):  # from PyYAML's own scanner, where libyaml is missing; which one, Python decides
        report(1, 1, "an escape `\\U........` in double quotes is no character; write the character itself")


class _Reader:
    """Builds the nodes of one file from YAML's events, so that depth and size are known before memory is spent."""

    def __init__(self, text: str, report: Report) -> None:
        self.text = text
        self.report = report
        self.events = yaml.parse(text, Loader=LOADER)
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.size = 0
        self.aliased = 0

    def documents(self) -> Iterator[Node]:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.anchors.clear()
                node = self.node(next(self.events), 1)
                next(self.events)
                if not (isinstance(node, Text) and node.empty):
                    yield node

    def node(self, event: yaml.Event, depth: int) -> Node:
        line, column, _ = _place(event)
        if depth > DEEPEST:
            self.stop(line, column, f"nested deeper than {DEEPEST} levels; a task needs fewer than ten")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(str(event.anchor), line, column)
        assert isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)
        before = self.size
        self.size += 1
        self.check_tag(event.tag, line, column)
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = self.scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = List(line, column, list(self.items(depth)))
        else:
            node = self.mapping(Map(line, column), depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.size - before)
        return node

    def alias(self, name: str, line: int, column: int) -> Node:
        if name not in self.anchors:
            self.stop(
                line, column, f"`*{name}` has no finished `&{name}` before it; quote the text if no alias is meant"
            )
        node, size = self.anchors[name]
        self.size += size
        self.aliased += size
        if self.aliased > MOST_ALIASED:
            self.stop(line, column, f"aliases stand for more than {MOST_ALIASED} values; write the values out")
        return node

    def scalar(self, event: yaml.ScalarEvent) -> Text:
        style = event.style or ""
        line, column, start = _place(event)
        end = event.end_mark.index if event.end_mark else start
        node = Text(line, column, event.value, self.text[start:end], style)
        forbidden = first_unprintable(node.value) if style == '"' else None
        if forbidden is not None:
            message = f"the escape for U+{ord(node.value[forbidden]):04X} is not allowed; delete the control character"
            self.report(line, column, message)
        hidden = HIDDEN_COMMENT.match(self.text, end) if node.value and not style else None
        if hidden:
            message = (
                f"YAML drops {shown(hidden['comment'])} as a comment; quote the text, or write a blank after the #"
            )
            self.report(*node.position(len(node.value)), message)
        return node

    def items(self, depth: int) -> Iterator[Node]:
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self.node(event, depth + 1)

    def mapping(self, node: Map, depth: int) -> Map:
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, Text):
                self.report(key.line, key.column, "a key must be plain text, not a list or a mapping")
            elif key.value == "<<" and not key.style:
                self.report(key.line, key.column, "merge keys (`<<`) are not supported; write the keys out")
            elif key.value in node.keys:
                first = node.keys[key.value]
                self.report(
                    key.line,
                    key.column,
                    f"{shown(key.value)} is here a second time, first on line {first.line}; keep one of them",
                )
            else:
                node.keys[key.value] = key
                node.values[key.value] = value
        return node

    def check_tag(self, tag: str | None, line: int, column: int) -> None:
        if tag is None or tag == "!":
            return
        name = tag.replace(_STANDARD_TAG, "!!", 1)
        self.report(
            line,
            column,
            f"the tag {shown(name)} is not allowed; quote the text if it begins with !, else delete the tag",
        )

    def stop(self, line: int, column: int, message: str) -> NoReturn:
        self.report(line, column, message)
        raise _StopError


def _place(event: yaml.Event) -> tuple[int, int, int]:
    mark = event.start_mark
    assert mark is not None
    return mark.line + 1, mark.column + 1, mark.index


def as_text(node: Node) -> Any:
    """Every scalar as it was written, without the line end that closes a block."""
    if isinstance(node, Text):
        return node.value.rstrip("\n") if node.style in ("|", ">") else node.value
    if isinstance(node, List):
        return [as_text(item) for item in node.items]
    return {key: as_text(value) for key, value in node.values.items()}
