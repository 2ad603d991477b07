"""Tools as the Gemini API takes them: upper-case types, no ``additionalProperties``, no property without a type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_KEPT = {
    "description": "description",
    "minimum": "minimum",
    "maximum": "maximum",
    "minItems": "minItems",
    "maxItems": "maxItems",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "pattern": "pattern",
}
_ANY: tuple[dict[str, Any], ...] = (
    {"type": "STRING"},
    {"type": "NUMBER"},
    {"type": "BOOLEAN"},
    {"type": "ARRAY", "items": {"type": "STRING"}},
)
"""What stands for a value of any type: the API wants each named, and these are what fields hold."""


def declaration(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as a function declaration; one without parameters has none, as the API refuses an empty object."""
    made = {"name": tool["name"], "description": tool.get("description") or ""}
    parameters = reduced(tool.get("parameters") or {})
    return {**made, "parameters": parameters} if parameters.get("properties") else made


def reduced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema in the part of OpenAPI 3.0 that the API knows; what it does not know is left to the workbench."""
    kinds = schema.get("type")
    named = [kinds] if isinstance(kinds, str) else list(kinds or ())
    nullable = "null" in named
    named = [kind for kind in named if kind != "null"]
    made: dict[str, Any] = {name: schema[key] for key, name in _KEPT.items() if key in schema}
    if nullable:
        made["nullable"] = True
    choices = schema.get("anyOf") or schema.get("oneOf")
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if choices:
        made["anyOf"] = [reduced(one) for one in choices]
    elif values is not None and all(isinstance(value, str) for value in values):
        made |= {"type": "STRING", "enum": list(values)}  # only texts can be listed
    elif len(named) > 1:
        made["anyOf"] = [reduced({**schema, "type": kind}) for kind in named]
    elif named:
        made |= _typed(named[0], schema)
    elif "properties" in schema:
        made |= _typed("object", schema)
    else:
        made["anyOf"] = [dict(one) for one in _ANY]
    return made


def _typed(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "array":
        items = schema.get("items")
        return {"type": "ARRAY", "items": reduced(items if isinstance(items, Mapping) else {})}
    if kind == "object":
        properties: Mapping[str, Any] = schema.get("properties") or {}
        made: dict[str, Any] = {"type": "OBJECT"}
        if properties:
            made["properties"] = {name: reduced(one) for name, one in properties.items()}
        required = [name for name in _names(schema.get("required")) if name in properties]
        return {**made, "required": required} if required else made
    return {"type": kind.upper()}


def _names(value: Any) -> Sequence[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else []
