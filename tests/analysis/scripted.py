"""A model whose answers are written down, for metrics that ask one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class Scripted:
    """Gives its answers in turn, and keeps what it was asked: prompt, data, schema."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []

    def __call__(
        self,
        prompt: str,
        data: Mapping[str, Any],
        schema: Mapping[str, Any],
        check: Callable[[Mapping[str, Any]], Answer],
    ) -> Answer:
        self.asked.append((prompt, data, schema))
        answer: Any = self.answers.pop(0)
        return check(answer)
