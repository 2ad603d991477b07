"""Trajectories that go wrong in every way that can be made out of the reference, to see which rules notice.

Each is the reference with one thing changed: a call left out, doubled or called with another value, words left out, a
forbidden call or forbidden words put in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import PolicyCall, PolicyTurn, ToolParam, ToolSpec
from pytest_talk2agent.workflows.scoring.assertion_spec import Assertions, Words

_MURMUR = "Mm, one moment, please."
_VALUES: Mapping[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
_OTHER = "something else"


@dataclass(frozen=True)
class Mutant:
    """A trajectory, and what is wrong with it."""

    what: str
    turns: tuple[PolicyTurn, ...]


def mutants(package: Package, assertions: Assertions) -> Iterator[Mutant]:
    """All of them, the simplest first; none for a package without a reference."""
    if package.policy is None:
        return
    turns = package.policy.turns
    tools = {tool.name: tool for tool in package.tools.tools}
    for number, turn in enumerate(turns):
        for place, call in enumerate(turn.tool_calls):
            others = [*turn.tool_calls[:place], *turn.tool_calls[place + 1 :]]
            yield _with(turns, number, f"without {call.name} in turn {number + 1}", calls=others)
    for number, turn in enumerate(turns):
        if turn.text.strip():
            yield _with(turns, number, f"without the words of turn {number + 1}", text=_MURMUR)
    yield from _forbidden_calls(package, assertions, tools)
    yield from _forbidden_words(turns, assertions)
    for number, turn in enumerate(turns):
        for place, call in enumerate(turn.tool_calls):
            doubled = [*turn.tool_calls[: place + 1], *turn.tool_calls[place:]]
            yield _with(turns, number, f"{call.name} twice in turn {number + 1}", calls=doubled)
            for name, value in _other_values(call, tools.get(call.name)):
                changed = PolicyCall(name=call.name, args={**call.args, name: value})
                calls = [*turn.tool_calls[:place], changed, *turn.tool_calls[place + 1 :]]
                yield _with(turns, number, f"{call.name} with another {name} in turn {number + 1}", calls=calls)


def _with(
    turns: tuple[PolicyTurn, ...], number: int, what: str, *, text: str | None = None, calls: Any = None
) -> Mutant:
    changes: dict[str, Any] = {} if text is None else {"text": text}
    changes |= {} if calls is None else {"tool_calls": tuple(calls)}
    return Mutant(what, (*turns[:number], turns[number].model_copy(update=changes), *turns[number + 1 :]))


def _also(turns: tuple[PolicyTurn, ...], number: int, call: PolicyCall) -> Mutant:
    what = f"{call.name} in turn {number + 1} too"
    return _with(turns, number, what, calls=[call, *turns[number].tool_calls])


def _forbidden_calls(package: Package, assertions: Assertions, tools: Mapping[str, ToolSpec]) -> Iterator[Mutant]:
    """Every tool, called where it does not belong, with what a rule forbids or the first values that fit."""
    assert package.policy is not None
    turns = package.policy.turns
    forbidden = [
        PolicyCall(name=one.call.tool, args={**_fitting(tools[one.call.tool]), **one.call.args})
        for one in assertions.assertions
        if one.call is not None and one.call.never and one.call.tool in tools
    ]
    used = {call.name: call for turn in turns for call in turn.tool_calls}
    calls = [
        *forbidden,
        *(used.get(name) or PolicyCall(name=name, args=_fitting(tool)) for name, tool in tools.items()),
    ]
    for call in (*forbidden, *calls):
        for number in dict.fromkeys((0, 1, len(turns) // 2, len(turns) - 2, len(turns) - 1)):
            if 0 <= number < len(turns):
                yield _also(turns, number, call)


def _fitting(tool: ToolSpec) -> dict[str, Any]:
    return {param.name: _first(param) for param in tool.params if param.required}


def _first(param: ToolParam) -> Any:
    return param.enum[0] if param.enum else _VALUES.get(param.type, _OTHER)


def _forbidden_words(turns: tuple[PolicyTurn, ...], assertions: Assertions) -> Iterator[Mutant]:
    words = [one for check in assertions.assertions if check.not_said is not None for one in check.not_said.words]
    words += assertions.verification.protects if assertions.verification is not None else ()
    for one in words:
        said = _aloud(one)
        if said is None:
            continue
        for number in dict.fromkeys((0, 1, len(turns) - 2, len(turns) - 1)):
            if 0 <= number < len(turns):
                text = f"I have {said} here. {turns[number].text}"
                yield _with(turns, number, f"{said!r} in turn {number + 1}", text=text)


def _aloud(words: Words) -> str | None:
    if words.text is not None:
        return words.text[0]
    said = next((one for one in (words.figure, words.date, words.code) if one is not None), None)
    return None if said is None else str(said)


def _other_values(call: PolicyCall, tool: ToolSpec | None) -> Iterator[tuple[str, Any]]:
    """Each argument with another value of its kind; of an object, each of its values in turn."""
    params = {param.name: param for param in tool.params} if tool is not None else {}
    for name, value in call.args.items():
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield name, {**value, key: _other(inner, None)}
                yield name, {one: each for one, each in value.items() if one != key}
        else:
            yield name, _other(value, params.get(name))


def _other(value: Any, param: ToolParam | None) -> Any:
    if param is not None and param.enum:
        return next((one for one in param.enum if one != value), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, _OTHER]
    return _OTHER
