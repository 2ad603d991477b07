"""Nodes as plain Python values, all scalars as texts: the schema decides what a text means."""

from __future__ import annotations

from typing import Any

from pytest_talk2agent.tasks.document import List, Node, Text


def as_text(node: Node) -> Any:
    """Every scalar as it was written, without the line end that closes a block."""
    if isinstance(node, Text):
        return node.value.rstrip("\n") if node.style in ("|", ">") else node.value
    if isinstance(node, List):
        return [as_text(item) for item in node.items]
    return {key: as_text(value) for key, value in node.values.items()}
