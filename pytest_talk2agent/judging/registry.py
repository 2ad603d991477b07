"""Names to judges: the built-in one, those a hook registers, and those another distribution offers."""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any

from pytest_talk2agent.judging.judge import ForeignJudge, Judge, JudgeError

ENTRY_POINTS = "talk2agent.judges"
_HERE = "pytest_talk2agent.judging"
_BUILT_IN = {
    "labels": f"{_HERE}.labels:make_judge",
    "lexical": f"{_HERE}.lexical:make_judge",
    "llm": f"{_HERE}.llm:make_judge",
}


def make_judge(spec: str, registered: Mapping[str, str] | None = None) -> Judge:
    """Make the judge of a spec ``NAME[:ARGUMENT]``, or of a cascade ``FIRST+NAME[:ARGUMENT]``, where FIRST has none.

    ``registered`` adds names, each with the ``"module:callable"`` that is called with the argument (None without one).
    Raises JudgeError.
    """
    name, colon, argument = spec.partition(":")
    first, plus, rest = name.partition("+")
    if plus:
        from pytest_talk2agent.judging.cascade import Cascade

        return Cascade(make_judge(first, registered), make_judge(f"{rest}{colon}{argument}", registered))
    offered = {entry.name: entry.value for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)}
    known = {**offered, **_BUILT_IN, **(registered or {})}
    if name not in known:
        near = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise JudgeError(f"judge {spec!r}: unknown judge {name!r}; {hint}known: {', '.join(sorted(known))}")
    try:
        factory: Callable[[str | None], Any] = resolve_name(known[name])
    except (ImportError, AttributeError, ValueError) as error:
        raise JudgeError(f"judge {spec!r}: cannot import {known[name]}: {error}") from error
    try:
        made = factory(argument if colon else None)
    except JudgeError:
        raise
    except ValueError as error:
        raise JudgeError(f"judge {spec!r}: {error}") from None
    return made if isinstance(made, Judge) else ForeignJudge(made, spec)
