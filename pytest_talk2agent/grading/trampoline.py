"""Deep recursion without a deep stack: a generator yields the calls it needs and returns its result."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")

# what a recursive step is: it yields further steps, is sent their results and returns its own
Step = Generator[Any, Any, T]


def run(step: Step[T]) -> T:
    """The result of ``step``, with every nested step run on an explicit stack."""
    stack: list[Step[Any]] = [step]
    result: Any = None
    while stack:
        try:
            nested = stack[-1].send(result)
        except StopIteration as stop:
            stack.pop()
            result = stop.value
        else:
            stack.append(nested)
            result = None
    final: T = result
    return final
