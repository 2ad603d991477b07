"""The lexical judge with one constant changed: which labelled cases need it to be as it is."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from pytest_talk2agent.judging import lexical
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.labelled_cases import read_cases
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention

HERE = Path(__file__).parent
_FOLDERS = ("pytest_talk2agent.judging.", "pytest_talk2agent.speech.")
_SCOPES = ("negation", "gist", "polarity", "corrections")
# Bounds of cost, memory and formats, which no label hangs on.
COSTS = frozenset(
    (
        "alignment._DENSE_CELLS", "alignment._MOST_CELLS", "alignment._SHINGLE", "cases.LARGEST",
        "hearing._LONGEST_LOOP", "numerals._TOO_LONG", "numerals._LONG", "times._HALF_DAY", "negation._LONGEST_SCOPE",
        "pieces._LONGEST_NUMBER", "numeric._LONGEST_LIST",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Constant:
    """A number or a set of words at the top of a module."""

    module: ModuleType
    attribute: str

    @property
    def name(self) -> str:
        """Module and name, as in `place._SIGHT`."""
        return f"{self.module.__name__.rpartition('.')[2]}.{self.attribute}"

    @property
    def value(self) -> Any:
        """What it is now."""
        return getattr(self.module, self.attribute)

    @property
    def users(self) -> list[ModuleType]:
        """The modules that have it under its name."""
        if self.attribute.startswith("_"):
            return [self.module]
        return [one for one in _modules() if vars(one).get(self.attribute) is self.value]

    @contextmanager
    def as_if(self, value: Any) -> Iterator[None]:
        """Give it another value everywhere, with nothing remembered of texts."""
        before, users = self.value, self.users
        try:
            for one in users:
                setattr(one, self.attribute, value)
            forget()
            yield
        finally:
            for one in users:
                setattr(one, self.attribute, before)
            forget()


@functools.lru_cache(maxsize=1)
def _remembering() -> tuple[Any, ...]:
    """What remembers something of texts; tables that are read once are left out."""
    found = [value for module in _modules() for value in vars(module).values()
             if isinstance(value, functools._lru_cache_wrapper)]  # fmt: skip
    return tuple(one for one in found if one.__wrapped__.__code__.co_argcount)


def forget() -> None:
    """Drop what the judge remembers of texts."""
    for one in _remembering():
        one.cache_clear()


@functools.lru_cache(maxsize=1)
def _modules() -> tuple[ModuleType, ...]:
    """The lexical judge and what it imports of these folders, inside functions too, in order of name."""
    found: dict[str, ModuleType] = {}
    waiting = [lexical.__name__]
    while waiting:
        name = waiting.pop()
        if name not in found and name.startswith(_FOLDERS):
            found[name] = importlib.import_module(name)
            nodes = ast.walk(_tree(found[name]))
            waiting += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return tuple(found[name] for name in sorted(found))


@functools.cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def _assigned(module: ModuleType) -> Iterator[str]:
    """The names in capitals that the module itself assigns at its top."""
    for node in _tree(module).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name) and name.id.isupper():
                        yield name.id


def constants() -> list[Constant]:
    """Every number at the top of a module that the judge is made of, without the bounds of cost."""
    found = [Constant(module, name) for module in _modules() for name in _assigned(module)]
    return [one for one in found if type(one.value) in (int, float) and one.name not in COSTS]


def word_sets() -> list[Constant]:
    """Every set of words that negations, scopes and corrections are read by, under its first name."""
    found = {id(value): Constant(module, name)
             for module in reversed(_modules()) if module.__name__.rpartition(".")[2] in _SCOPES
             for name, value in vars(module).items()
             if name.isupper() and isinstance(value, frozenset | dict)}  # fmt: skip
    return sorted(found.values(), key=lambda one: one.name)


def labelled_cases() -> dict[str, Case]:
    """Every labelled case of the tests, by its name."""
    found: dict[str, Case] = {}
    for name in ("constants", "scopes", "unseen", "values", "cases"):
        found |= {one.id: one.case for one in read_cases(HERE / f"{name}.jsonl")}
    for path in sorted((HERE / "heard").glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            row = json.loads(line)
            fields = {"it": {"say": row["say"], "kind": row["kind"], **row.get("fields", {})}, **row.get("others", {})}
            intentions = {name: Intention.model_validate(one) for name, one in fields.items()}
            for place, heard in enumerate(each for some in row["heard"].values() for each in some):
                found[f"{path.stem} {number}.{place}"] = Case(
                    row["script"], row["script"], intentions, heard, tuple(row.get("files", ())),
                    language=row.get("language", "en"))  # fmt: skip
    return found


class Labelled:
    """Cases with the labels that the judge gives them as it is, and the lines that it ran for each."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        """Judge them once."""
        self._cases = dict(cases)
        self._right = {}
        self._lines: dict[str, set[tuple[str, int]]] = {}
        for name, case in cases.items():
            forget()
            with _watched() as lines:
                self._right[name] = judge(case).labels()
            self._lines[name] = lines

    def __len__(self) -> int:
        """How many there are."""
        return len(self._cases)

    def first_other(self, constant: Constant, value: Any) -> str:
        """The first case whose labels differ with another value, or that the judge fails on; empty where none does."""
        used = _lines_of(constant)
        with constant.as_if(value):
            for name, case in self._cases.items():
                if used.isdisjoint(self._lines[name]):
                    continue
                try:
                    if judge(case).labels() != self._right[name]:
                        return name
                except (IndexError, ValueError, RecursionError):
                    return name
        return ""


def _lines_of(constant: Constant) -> set[tuple[str, int]]:
    """Where a constant is used, as file and line."""
    return {(str(module.__file__), node.lineno) for module in constant.users for node in ast.walk(_tree(module))
            if isinstance(node, ast.Name) and node.id == constant.attribute}  # fmt: skip


@functools.lru_cache(maxsize=1)
def _all_lines() -> frozenset[tuple[str, int]]:
    """Where any constant is used."""
    return frozenset().union(*map(_lines_of, (*constants(), *word_sets())))


@functools.cache
def _is_of_interest(code: CodeType) -> bool:
    return any((code.co_filename, line) in _all_lines() for _, _, line in code.co_lines() if line)


@contextmanager
def _watched() -> Iterator[set[tuple[str, int]]]:
    """The lines with constants that run."""
    seen: set[tuple[str, int]] = set()
    wanted = _all_lines()

    def line(frame: FrameType, event: str, _: object) -> Any:
        at = (frame.f_code.co_filename, frame.f_lineno)
        if at in wanted:
            seen.add(at)
        return line

    def call(frame: FrameType, event: str, _: object) -> Any:
        return line(frame, event, None) if _is_of_interest(frame.f_code) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield seen
    finally:
        sys.settrace(before)
