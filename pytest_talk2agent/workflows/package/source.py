"""A file of a package as plain values, each of which knows its line.

YAML is read as PyYAML's safe loader types it, the reader of the format; but dates stay texts, and keys are always
texts. JSON is read strictly: no key twice, no NaN.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from pytest_talk2agent.tasks.document import LOADER, explain_syntax
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, explained, shown
from pytest_talk2agent.tasks.files import each_key_once, read_utf8

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

LARGEST = 20_000_000
"""Bytes of one file."""
DEEPEST = 64
MOST_VALUES = 1_000_000
"""Values of one file, with what its aliases stand for."""

Location = tuple[Any, ...]
Model = TypeVar("Model", bound=BaseModel)

_TAG = "tag:yaml.org,2002:"


class PackageError(ValueError):
    """A package that cannot be used; ``problems`` holds everything that was found, by file and line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda one: (str(one.path), one.line, one.column)))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass
class Source:
    """One file, or one line of a file of JSON Lines: its plain value, and the faults found in it so far."""

    path: Path
    data: Any
    root: yaml.Node | None = None
    text: str = ""
    line: int = 0
    problems: list[Problem] = field(default_factory=list)

    def fault(self, location: Location, message: str, *, at_key: bool = False) -> None:
        """Note a fault at the value of a location, or at its key."""
        line, column = self.position(location, at_key=at_key)
        self.problems.append(Problem(self.path, line, column, message))

    def validate(self, model: type[Model]) -> Model | None:
        """The value as a record; None where it is none, after its faults were noted."""
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                unknown = details["type"] == "extra_forbidden"
                self.fault(details["loc"], _explained(details, model), at_key=unknown)
            return None

    def position(self, location: Location, *, at_key: bool = False) -> tuple[int, int]:
        """Line and column, from 1, of what stands at a location or nearest above it; (0, 0) where that is unknown."""
        if self.line:
            return self.line, 1
        mark: Any = None
        node = self._tree
        for part in location:
            if isinstance(node, yaml.MappingNode):
                pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
                if pair is None:
                    break
                mark, node = pair[0 if at_key else 1].start_mark, pair[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                mark = node.start_mark
            else:
                break
        if mark is None:
            return (1, 1) if node is not None else (0, 0)
        return mark.line + 1, mark.column + 1

    @cached_property
    def _tree(self) -> yaml.Node | None:
        """The nodes: for JSON they are read as YAML, which nearly all of it is, once a fault has to be placed."""
        if self.root is None and self.text:
            try:
                return yaml.compose(self.text, Loader=LOADER)
            except (yaml.YAMLError, RecursionError, ValueError):
                return None
        return self.root


def read_source(path: Path) -> Source:
    """Read a file of YAML or, by its ending, JSON.

    Raises:
        PackageError: for what cannot be read, or is no such text.
    """
    text = _text(path)
    return _json(path, text) if path.suffix == ".json" else _yaml(path, text)


def read_lines(path: Path) -> list[Source]:
    """Read a file of JSON Lines, blank lines left out; raises PackageError as `read_source`, with all faults."""
    found: list[Source] = []
    problems: list[Problem] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            try:
                found.append(Source(path, _value(line), line=number))
            except (ValueError, RecursionError) as error:
                problems.append(Problem(path, number, 1, f"no JSON: {_said(error)}"))
    if problems:
        raise PackageError(problems)
    return found


def _text(path: Path) -> str:
    try:
        return read_utf8(path, LARGEST)
    except TaskFileError as error:
        raise PackageError(error.problems) from None


def _said(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _value(text: str) -> Any:
    return json.loads(text, object_pairs_hook=each_key_once, parse_constant=_refuse)


def _json(path: Path, text: str) -> Source:
    try:
        return Source(path, _value(text), text=text)
    except json.JSONDecodeError as error:
        raise PackageError([Problem(path, error.lineno, error.colno, f"no JSON: {error.msg}")]) from None
    except (ValueError, RecursionError) as error:
        raise PackageError([Problem(path, 1, 1, f"no JSON: {_said(error)}")]) from None


def _yaml(path: Path, text: str) -> Source:
    try:
        root = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        raise PackageError([Problem(path, *explain_syntax(error, text))]) from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise PackageError([Problem(path, 1, 1, f"no YAML: {_said(error)}")]) from None
    source = Source(path, None, root=root)
    if root is not None:
        source.data = _Builder(source).value(root, 1)
    if source.problems:
        raise PackageError(source.problems)
    return source


class _Builder:
    """Makes plain values of nodes."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left = MOST_VALUES
        self._scalars = yaml.constructor.SafeConstructor()

    def value(self, node: yaml.Node, depth: int) -> Any:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            if self._left > -2:
                much = f"more than {MOST_VALUES} values" if self._left < 0 else f"deeper than {DEEPEST} levels"
                self._fault(node, f"{much}; write it smaller")
                self._left = min(self._left, -2)
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.value(item, depth + 1) for item in node.value]
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, depth)
        self._fault(node, f"the tag {shown(node.tag.replace(_TAG, '!!'))} is not allowed; delete it")
        return None

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._fault(key, "a key must be plain text")
            elif key.tag == f"{_TAG}merge":
                self._fault(key, "merge keys (`<<`) are not supported; write the keys out")
            elif key.value in found:
                self._fault(key, f"{shown(key.value)} is here a second time; keep one of them")
            else:
                found[key.value] = self.value(value, depth + 1)
        return found

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        kind = node.tag.removeprefix(_TAG)
        makers: dict[str, Callable[[yaml.ScalarNode], Any]] = {
            "int": self._scalars.construct_yaml_int,
            "float": self._scalars.construct_yaml_float,
            "bool": self._scalars.construct_yaml_bool,
            "null": lambda node: None,
            "str": lambda node: node.value,
            "timestamp": lambda node: node.value,
            "value": lambda node: node.value,
        }
        if kind not in makers:
            self._fault(node, f"the tag {shown('!!' + kind)} is not allowed; quote the text")
            return None
        try:
            made = makers[kind](node)
        except (ValueError, KeyError, IndexError, OverflowError):
            self._fault(node, f"{shown(node.value)} cannot be read; put it in quotes")
            return None
        if isinstance(made, float) and not math.isfinite(made):
            self._fault(node, f"{shown(node.value)} is no number that JSON has; put it in quotes")
        return made

    def _fault(self, node: yaml.Node, message: str) -> None:
        mark = node.start_mark
        self._source.problems.append(Problem(self._source.path, mark.line + 1, mark.column + 1, message))


def _explained(error: ErrorDetails, model: type[BaseModel]) -> str:
    """One line on one error of pydantic: what is wrong, and what to write instead."""
    location = error["loc"]
    named = [part for part in location if isinstance(part, str)]
    last = location[-1] if location else ""
    name = shown(last) if isinstance(last, str) and last else (f"every item of {shown(named[-1])}" if named else "it")
    return explained(error, name, lambda: _keys(model, location))


def _keys(model: type[BaseModel], location: Location) -> list[str]:
    """The keys of the record that holds the last part of a location."""
    owner: Any = model
    for part in location[:-1]:
        owner = _inside(owner, part)
    if not (isinstance(owner, type) and issubclass(owner, BaseModel)):
        return []
    return [field.alias or name for name, field in owner.model_fields.items()]


def _inside(owner: Any, part: Any) -> Any:
    if isinstance(owner, type) and issubclass(owner, BaseModel):
        fields = {field.alias or name: field for name, field in owner.model_fields.items()}
        return fields[part].annotation if part in fields else None
    if get_origin(owner) in (Union, types.UnionType):
        return _inside(next(one for one in get_args(owner) if one is not type(None)), part)
    arguments = get_args(owner)
    return (arguments[1] if get_origin(owner) is dict else arguments[0]) if arguments else None
