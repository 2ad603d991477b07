"""Whether gold can be reached: every expected value is revealed by the user, a document, a tool, or the offer itself.

A value counts as revealed where its words, or its number, day or digits, stand in what an agent can come to know. One
that has to be worked out is derived in `workspace/latent_world.json`::

    "facts": {"order_1.total_cost": "25 * 6.40 + 12.50"}

Then every number of the derivation has to be revealed, and it must come to the gold value.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from pytest_talk2agent.speech.dates import dates
from pytest_talk2agent.speech.measures import measures
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import stem
from pytest_talk2agent.tasks.exact import exact
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.assertion_spec import Assertion, Assertions, Words
from pytest_talk2agent.workflows.scoring.course import spans

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_SMALL = frozenset(("a", "an", "the", "of", "in", "on", "at", "to", "for", "and", "with", "by", "is", "it"))


class Revealed:
    """What an agent can come to know of a package, with what ``seen`` (plain values) its tools showed."""

    def __init__(self, package: Package, seen: Iterable[Any] = ()) -> None:
        facts = [_text(fact.value) for fact in package.user.facts]
        words = [variant.text for line in package.bank for variant in line.variants]
        documents = [f"{document.title}\n{document.text}" for document in package.documents or ()]
        tools = [
            _text([tool.description, tool.effect, [param.enum for param in tool.params]])
            for tool in package.tools.tools
        ]
        schemas = [artifact.schema_ for artifact in package.workspace.artifacts.values() if artifact.schema_]
        choices = [_text([field.enum for schema in schemas for field in schema.fields])]
        fields = [_text(artifact.fields) for artifact in package.workspace.artifacts.values()]
        texts = [*facts, *words, *documents, *tools, *choices, *fields, package.task.title]
        texts += [_text(package.initial_state), *map(_text, seen)]
        self._streams = [tokenise(text) for text in texts if text.strip()]
        self._stems = {stem(norm) for stream in self._streams for norm in stream.norms}
        self._numbers = {
            value for stream in self._streams for one in measures(stream, 0, len(stream)) for value in one.values
        }

    def holds(self, value: Any) -> bool:
        """Whether a gold value is revealed; of a list, every one of its values."""
        if isinstance(value, list | tuple):
            return all(map(self.holds, value))
        if value is None or isinstance(value, bool | dict):
            return True
        if isinstance(value, int | float):
            return exact(str(value)) in self._numbers
        return self._says(str(value))

    def number(self, value: Fraction) -> bool:
        """Whether a number is revealed."""
        return value in self._numbers

    def _says(self, text: str) -> bool:
        stream = tokenise(text)
        if all(stem(norm) in self._stems for norm in stream.norms if norm not in _SMALL and norm.isalnum()):
            return True
        return any(self._stands(words) for words in _readings(text, stream))

    def _stands(self, words: Words) -> bool:
        return any(True for stream in self._streams for _ in spans(words, stream))


def _readings(text: str, stream: Stream) -> Iterator[Words]:
    if len(dates(stream, 0, len(stream))) == 1:
        yield Words(date=text)
    if any(token.kind == "digits" for token in stream.tokens):
        digits = "".join(sign for sign in text if sign.isdigit())
        yield Words(code=text)
        yield Words(code=digits)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(_text(inner) for pair in value.items() for inner in pair)
    if isinstance(value, list | tuple):
        return "\n".join(map(_text, value))
    return "" if value is None else str(value)


def unreachable(package: Package, seen: Iterable[Any] = ()) -> Iterator[tuple[str, str]]:
    """The gold values of artifacts that nothing reveals, as ``artifact.field``, each with what is wrong."""
    revealed = Revealed(package, seen)
    derivations = package.latent_world.facts if package.latent_world is not None else {}
    for artifact in package.gold.artifact_expectations:
        for one in artifact.fields:
            place = f"{artifact.artifact_id}.{one.field}"
            if place in derivations:
                problem = _derivation(str(derivations[place]), one.expected, revealed)
                if problem:
                    yield place, problem
            elif not revealed.holds(one.expected):
                yield place, f"nothing reveals {one.expected!r}: no fact, document or tool; add one, or derive it"


def unasserted(package: Package, assertions: Assertions, seen: Iterable[Any] = ()) -> Iterator[tuple[str, str]]:
    """Values that assertions want and nothing reveals, by assertion: rows, arguments, and what is to be said."""
    revealed = Revealed(package, seen)
    for one in assertions.assertions:
        for value in _wanted(one):
            if not revealed.holds(value):
                yield one.id, f"nothing reveals {value!r}: no fact, document or tool; add one"


def _wanted(one: Assertion) -> Iterator[Any]:
    """The single values that an assertion wants of an agent; what stays out is what must not happen."""
    if one.negative:
        return
    if one.state is not None:
        equals = one.state.equals
        yield from equals.values() if isinstance(equals, dict) else [equals]
    if one.call is not None:
        yield from one.call.args.values()
    if one.said is not None:
        yield from (value for value in (one.said.figure, one.said.date, one.said.code) if value is not None)


def _derivation(text: str, gold: Any, revealed: Revealed) -> str:
    try:
        tree = ast.parse(text, mode="eval").body
        numbers = [
            exact(ast.get_source_segment(text, one) or "") for one in ast.walk(tree) if isinstance(one, ast.Constant)
        ]
        came = _value(tree, text)
        wanted = exact(str(gold))
    except (ValueError, SyntaxError, ZeroDivisionError, RecursionError, KeyError):
        return f"its derivation {text!r} is no sum of numbers; write one, such as 25 * 6.40 + 12.50"
    hidden = [number for number in numbers if not revealed.number(number)]
    if hidden:
        return f"its derivation {text!r} uses {float(hidden[0]):g}, which nothing reveals"
    return "" if came == wanted else f"its derivation {text!r} comes to {float(came):g}, not to {gold!r}"


def _value(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.Constant):
        return exact(ast.get_source_segment(text, node) or "")
    if isinstance(node, ast.BinOp):
        made: Fraction = _OPERATORS[type(node.op)](_value(node.left, text), _value(node.right, text))
        return made
    raise ValueError(text)
