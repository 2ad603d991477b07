"""Keys of configuration files; their values are never looked at."""

from __future__ import annotations

import configparser
import json
import re
import sys
from collections.abc import Callable, Iterable

import yaml

DEEPEST = 100
"""No configuration is nested deeper, and a parser takes the square of the depth."""


def keys(text: str, suffix: str) -> list[str]:
    """The keys and section names of a configuration file, in order; none where it is malformed.

    ``suffix`` is one of `CONFIGURATION`.
    """
    return _READERS[suffix](text)


def _json(text: str) -> list[str]:
    found: list[str] = []

    def collect(pairs: list[tuple[str, object]]) -> None:
        found.extend(key for key, _ in pairs)

    try:
        json.loads(text, object_pairs_hook=collect)
    except (ValueError, RecursionError):
        return []
    return found


def _yaml(text: str) -> list[str]:
    found: list[str] = []
    # For each open collection: whether the next node is a key of it. Events need no recursion and follow no alias.
    stack: list[bool | None] = []

    def node() -> bool:
        """Count a node; whether it is a key."""
        if not stack or stack[-1] is None:
            return False
        is_key = stack[-1]
        stack[-1] = not is_key
        return is_key

    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent):
                if node():
                    found.append(event.value)
            elif isinstance(event, yaml.AliasEvent):
                node()
            elif len(stack) == DEEPEST and isinstance(event, yaml.CollectionStartEvent):
                return []
            elif isinstance(event, yaml.MappingStartEvent):
                node()
                stack.append(True)
            elif isinstance(event, yaml.SequenceStartEvent):
                node()
                stack.append(None)
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
    except yaml.YAMLError:
        return []
    return found


def _toml(text: str) -> list[str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:  # pytest needs it there, too
        import tomli as tomllib

    try:
        todo: list[object] = [tomllib.loads(text)]
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    found: list[str] = []
    while todo:
        value = todo.pop(0)
        if isinstance(value, dict):
            found.extend(value)
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return found


def _ini(text: str) -> list[str]:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    sections = [parser.default_section, *parser.sections()]
    named: Iterable[str] = parser.sections()
    return [*named, *(key for section in sections for key in parser[section])]


_PROPERTY = re.compile(r"^[ \t\f]*(?![#!])((?:\\.|[^\s:=\\])+)[ \t\f]*[:=]", re.MULTILINE)


def _properties(text: str) -> list[str]:
    joined = re.sub(r"\\\r?\n", "", text)
    return _PROPERTY.findall(joined)


_READERS: dict[str, Callable[[str], list[str]]] = {
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".toml": _toml,
    ".ini": _ini,
    ".cfg": _ini,
    ".properties": _properties,
}
CONFIGURATION = frozenset(_READERS)
"""Suffixes of the files whose keys are read."""
