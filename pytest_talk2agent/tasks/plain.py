"""Nodes as plain Python values: as texts where the schema decides, typed where the content is free-form."""

from __future__ import annotations

import re
from typing import Any

from pytest_talk2agent.tasks.document import List, Node, Text

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, bool | None] = {"~": None, "null": None, "true": True, "false": False}


def as_text(node: Node) -> Any:
    """Every scalar as it was written, without the line end that closes a block."""
    if isinstance(node, Text):
        return node.value.rstrip("\n") if node.style in ("|", ">") else node.value
    if isinstance(node, List):
        return [as_text(item) for item in node.items]
    return {key: as_text(value) for key, value in node.values.items()}


def as_value(node: Node) -> Any:
    """Unquoted scalars typed by the core rules of YAML 1.2: null, true, false, decimal integers and floats."""
    if isinstance(node, List):
        return [as_value(item) for item in node.items]
    if not isinstance(node, Text):
        return {key: as_value(value) for key, value in node.values.items()}
    if node.style:
        return node.value
    if node.value in _WORDS:
        return _WORDS[node.value]
    if _INTEGER.fullmatch(node.value):
        return int(node.value)
    return float(node.value) if _FLOAT.fullmatch(node.value) else node.value
