"""``python:package.module:name``: a recogniser of the user's own, called in the process.

``name`` is a function that takes a list of `Utterance` and returns a list of the same length of transcripts (``str`` or
`Hypothesis`, or a `TranscriptionError` for one that failed); or an object, or a class made without arguments, whose
method ``transcribe`` does the same. Such an object may have ``check()`` and ``identity()``, as an `Interface` has. The
list holds one utterance unless an attribute ``batch_size`` says otherwise. The module must be importable: pytest's ini
key ``pythonpath`` names folders to look in.

Options stand before the colon, as in ``python?timeout=60&weights=./model.bin:package.module:name``.
"""

from __future__ import annotations

import ast
import importlib.machinery
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.local.declared import DeclaredOptions
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec, read_options
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
    check_length,
)
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.errors import counted

LONGEST_IDENTITY = 100_000
_MAKES_NAMES = frozenset(("exec", "eval", "globals", "setattr", "vars", "__getattr__", "__dict__", "modules"))


def _names_of(source: Path) -> frozenset[str] | None:
    """The names of a module's own level; None where more may come while it runs, or its text cannot be read."""
    try:
        tree = ast.parse(source.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None  # said with more detail when it is imported
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name | ast.Attribute):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return None if "*" in names or names & _MAKES_NAMES else frozenset(names)


def _is_plain(source: Path, name: str) -> bool:
    """Whether a name is plainly a function of a module, and of no more than its own text: nothing else is known of it.

    Such a function has neither an ``identity()`` nor a ``batch_size``, which is known without running the module.
    """
    names = _names_of(source)
    if names is None or names & {"identity", "batch_size"}:
        return False
    tree = ast.parse(source.read_bytes())
    bound = [node for node in ast.walk(tree) if _binds(node, name)]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    return len(bound) == 1 and bound[0] in functions


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition(".")[0] == name
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _suggested(name: str, names: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(names), n=1)
    return f"did you mean {near[0]!r}?" if near else "name a function or class of it"


class PythonInterface(Interface):
    """A function or object of the user's own. The engine ends it after ``time_limit`` seconds for a recording."""

    def __init__(self, spec: Spec) -> None:
        self._options = read_options(spec, DeclaredOptions)
        self.time_limit = self._options.timeout
        self._text = spec.model or ""
        self._module, colon, self._name = self._text.partition(":")
        if not colon or not all(part.isidentifier() for part in f"{self._module}.{self._name}".split(".")):
            hint = "; options stand before the colon: python?timeout=60:package.module:function" * ("?" in self._text)
            raise InterfaceError(f"interface {spec.shown!r}: write python:package.module:function{hint}")

    def check(self) -> None:
        """Raise InterfaceError where there is no such module, or plainly no such name in it, or no such weights.

        Runs none of the user's code: the names that a module makes while it runs are not known here.
        """
        source = self._source()
        first = self._name.partition(".")[0]
        names = None if source is None else _names_of(source)
        if names is not None and first not in names:
            raise InterfaceError(f"python:{self._text}: {source} has no {first!r}; {_suggested(first, names)}")
        self._options.check_weights(f"python:{self._text}")

    # Known only once the module is imported, which runs the user's code.
    @property
    def reproducible(self) -> bool:  # type: ignore[override]
        """Only where the object has an ``identity()``, or the user says what it is: what it loads is not known."""
        return self._options.declared or self._identifies_itself

    @property
    def inspectable(self) -> bool:  # type: ignore[override]
        """Only where it is declared what a plain function is: of anything else the module must be asked."""
        return self._options.declared and self._plain

    @cached_property
    def _plain(self) -> bool:
        source = self._source()
        return source is not None and _is_plain(source, self._name)

    @property
    def _identifies_itself(self) -> bool:
        # What the user names need not know `Interface`, so it is asked what it has, here and below.
        return not self._plain and hasattr(self._named, "identity")

    def identity(self) -> Mapping[str, str]:
        """The name, the SHA-256 of the module's file, what is declared, and what the object's own ``identity()`` adds.

        Imports the module, unless it names a plain function. A class is made only where it has an ``identity()``: its
        model may be large.
        """
        source = self._source()
        own: object = getattr(self._target, "identity", dict)() if self._identifies_itself else {}
        if not isinstance(own, Mapping):
            raise InterfaceError(f"python:{self._text}: identity() must return a mapping, not {type(own).__name__}")
        identity = {str(key): str(value) for key, value in own.items()}
        length = sum(len(key) + len(value) for key, value in identity.items())
        if length > LONGEST_IDENTITY:
            raise InterfaceError(
                f"python:{self._text}: identity() has {length} characters; at most {LONGEST_IDENTITY} are taken, as"
                " every record holds it; name a hash of what is long"
            )
        identity |= self._options.fields(f"python:{self._text}")
        if source is not None:
            identity["module_sha256"] = file_sha256(source)
        return {**identity, "name": "python", "target": self._text, "batch_size": str(self.batch_size)}

    @property
    def batch_size(self) -> int:  # type: ignore[override]
        """How many utterances a call takes at most; it can change a transcript, so it is part of the identity."""
        size = 1 if self._plain else getattr(self._named, "batch_size", 1)
        if not isinstance(size, int) or size < 1:
            raise InterfaceError(f"python:{self._text}: batch_size must be a whole number from 1 up, not {size!r}")
        return size

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """Call the function with the batch; where it raises on several utterances, with each of them alone.

        Raises InterfaceError where it cannot be imported. What it returns that is no transcript is the error of its
        utterances.
        """
        function = self._function
        try:
            return self._results(function(list(batch)), batch)
        except InterfaceError:
            raise
        except (Exception, SystemExit) as error:
            if len(batch) > 1:
                return [result for utterance in batch for result in self.transcribe([utterance])]
            return [TranscriptionError(f"task {u.task!r}, take {u.take!r}: {one_line(error)}") for u in batch]

    def _results(self, found: object, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        """What was returned, as it should be; raises whatever its own methods raise."""
        if not isinstance(found, Sequence) or isinstance(found, str):
            fault = f"returned {type(found).__name__}; return a list, one transcript an utterance"
            return [TranscriptionError(f"python:{self._text} {fault}") for _ in batch]
        if len(found) != len(batch):
            fault = (
                f"returned {counted(len(found), 'transcript')} for {counted(len(batch), 'utterance')}; return as many"
            )
            return [TranscriptionError(f"python:{self._text} {fault}") for _ in batch]
        return [self._result(found[index], utterance) for index, utterance in enumerate(batch)]

    def _result(self, value: object, utterance: Utterance) -> Hypothesis | TranscriptionError:
        if isinstance(value, TranscriptionError):
            return value
        if isinstance(value, str):
            value = Hypothesis(str.__str__(value))  # without the methods of a subclass
        if isinstance(value, Hypothesis):
            try:
                if isinstance(value.text, str):  # else the engine says what is wrong with it
                    check_length(value.text, f"task {utterance.task!r}, take {utterance.take!r}")
            except TranscriptionError as error:
                return error
            return value
        return TranscriptionError(
            f"python:{self._text} returned a {type(value).__name__} as a transcript; return str or Hypothesis"
        )

    @cached_property
    def _named(self) -> Any:
        self._source()
        try:
            return resolve_name(f"{self._module}:{self._name}")
        except Exception as error:
            raise InterfaceError(f"python:{self._text}: cannot be imported: {one_line(error)}") from error

    # The user's object need be no `Interface`; what it has beside transcribe() is asked of it here and above.
    @cached_property
    def _target(self) -> Any:
        found = self._named
        try:
            target = found() if isinstance(found, type) else found
            own_check = getattr(target, "check", None)
            if own_check is not None:
                own_check()
        except InterfaceError:
            raise
        except Exception as error:
            raise InterfaceError(f"python:{self._text}: cannot be used: {one_line(error)}") from error
        return target

    @cached_property
    def _function(self) -> Any:
        function = getattr(self._target, "transcribe", self._target)
        if not callable(function):
            raise InterfaceError(f"python:{self._text} is no function and has no transcribe(); name one that is")
        return function

    def _source(self) -> Path | None:
        """The module's file, found without importing its package; None for a module without one."""
        path: Sequence[str] | None = None
        parts = self._module.split(".")
        for depth in range(1, len(parts) + 1):
            name = ".".join(parts[:depth])
            found = importlib.machinery.PathFinder.find_spec(name, path)
            if found is None:
                raise InterfaceError(
                    f"python:{self._text}: no module {name!r}; install it, or name its folder in the ini key pythonpath"
                )
            path = found.submodule_search_locations
            if path is None and depth < len(parts):
                raise InterfaceError(f"python:{self._text}: {name!r} is no package; check the name")
        origin = found.origin if found is not None else None
        return Path(origin) if origin is not None and Path(origin).is_file() else None
