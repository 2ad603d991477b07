"""How tools are shown to an agent, and what of an agent's call fits: JSON Schema, checked by jsonschema."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import ToolParam, ToolSpec

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_LONGEST = 300
_TYPES: dict[str, str | None] = {
    **dict.fromkeys(("str", "string", "text", "date", "datetime", "time", "enum", "phone", "email", "id"), "string"),
    **dict.fromkeys(("int", "integer"), "integer"),
    **dict.fromkeys(("float", "number", "decimal", "money"), "number"),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
    **dict.fromkeys(("list", "array", "set"), "array"),
    **dict.fromkeys(("dict", "object", "map"), "object"),
    "any": None,
}


def offered(package: Package, tool: ToolSpec) -> dict[str, Any]:
    """A tool as an agent is told of it: name, description, and the JSON Schema of its arguments.

    The ``fields`` of a tool that writes one artifact are named one by one, but for ``status``.
    """
    schema = _schema(tool)
    fields = _writable(package, tool)
    description = tool.description
    if fields is not None and "fields" in schema["properties"]:
        names = [name for name in fields if name != "status"]
        schema["properties"]["fields"] = {
            **schema["properties"]["fields"],
            "properties": {name: fields[name] for name in names},
            "additionalProperties": False,
        }
        description = f"{description} Fields: {', '.join(names)}.".strip()
    return {"name": tool.name, "description": description, "parameters": schema}


def fault_of(tool: ToolSpec, args: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments of a call, in one line; None where they fit."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator(tool).iter_errors(dict(args)))
    if error is None:
        return None
    where = ".".join(map(str, error.absolute_path))
    line = " ".join(f"{where + ': ' if where else ''}{error.message}".split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


@functools.lru_cache(maxsize=4096)
def _validator_of(text: str) -> Validator:
    import json

    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(text))


def _validator(tool: ToolSpec) -> Validator:
    import json

    return _validator_of(json.dumps(_schema(tool)))


def _schema(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {param.name: _typed(param) for param in tool.params},
        "required": [param.name for param in tool.params if param.required],
        "additionalProperties": False,
    }


def _typed(param: ToolParam) -> dict[str, Any]:
    made: dict[str, Any] = {}
    kind = _TYPES.get(param.type.lower(), "string")
    if kind is not None:
        made["type"] = kind
    if param.enum is not None:
        made["enum"] = list(param.enum)
    if param.description:
        made["description"] = param.description
    return made


def _writable(package: Package, tool: ToolSpec) -> dict[str, dict[str, Any]] | None:
    """The fields of the one artifact that a tool writes, None where that is open."""
    artifact_id = tool.effect.get("artifact_id")
    if tool.handler != "update_artifact" or not isinstance(artifact_id, str):
        return None
    artifact = package.workspace.artifacts.get(artifact_id)
    if artifact is None or artifact.schema_ is None:
        return None
    return {spec.name: {} if spec.enum is None else {"enum": list(spec.enum)} for spec in artifact.schema_.fields}
