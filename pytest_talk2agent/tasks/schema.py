"""The JSON Schemas of a task file and of a manifest, made from the models, for editors and other tools."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from pytest_talk2agent.tasks.exact import PATTERN
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import PLACE, SuiteHeader, Task

_SHARED: dict[str, Any] = {
    "Text": {"type": ["string", "number", "boolean"], "description": "A text; a scalar is kept as it is written."},
    "Texts": {"anyOf": [{"$ref": "#/$defs/Text"}, {"type": "array", "items": {"$ref": "#/$defs/Text"}}]},
    "Number": {
        "type": ["number", "string"],
        "pattern": PATTERN,
        "description": "An exact number: a decimal, or a fraction such as 1/3.",
    },
}

_SHORT: dict[str, Any] = {
    "AnyCheck": {
        "anyOf": [{"$ref": "#/$defs/Check"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/AnyCheck"}}]
    },
    "AnyFile": {"anyOf": [{"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/File"}]},
}
"""What may also be written in a short form."""


class _Generator(GenerateJsonSchema):
    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        # releases of pydantic that cannot write a Fraction leave out the default, which the page on the format has
        if kind != "non-serializable-default":
            super().emit_warning(kind, detail)


def json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of one document of a task file: a task, or the header ``suite: ...``.

    It describes the values that a YAML reader of an editor sees: where the loader keeps the text of a scalar, an
    unquoted number or truth value is allowed too; where it takes a list of texts, one text will do.
    """
    _, schema = TypeAdapter.json_schemas(
        [(model, "validation", TypeAdapter(model)) for model in (Task, SuiteHeader)], schema_generator=_Generator
    )
    definitions = {name: _relaxed(definition) for name, definition in schema["$defs"].items()}
    task = definitions["Task"]
    for key in PLACE:
        del task["properties"][key]
    task["required"] = [key for key in task["required"] if key not in PLACE]
    # The words are in the file, or in the checkout of another benchmark that the source pins.
    pinned = {"properties": {"source": {"required": ["prompt_sha256"]}}, "required": ["source"]}
    task["anyOf"] = [{"required": ["instruction"]}, pinned]
    header = {
        "type": "object",
        "properties": {"suite": {"$ref": "#/$defs/SuiteHeader"}},
        "required": ["suite"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A document of a task file of pytest-talk2agent",
        "if": {"type": "object", "required": ["suite"]},
        "then": header,
        "else": {"$ref": "#/$defs/Task"},
        "$defs": definitions | _SHARED | _SHORT,
    }


def manifest_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of one line of a manifest: a recording, its task, and what was read."""
    recording = TypeAdapter(Recording).json_schema(mode="validation", schema_generator=_Generator)
    properties = {name: _plain(one) for name, one in recording["properties"].items()}
    label = {
        "type": ["string", "integer", "null"],
        "description": "A part of test ids; an integer is the text of its digits.",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a manifest of pytest-talk2agent",
        "type": "object",
        "properties": {
            "task": {"type": "string", "minLength": 1, "description": "A task's id, or its last path component."},
            **properties,
            "audio": {"type": "string", "minLength": 1, "description": "Relative to the manifest, then to t2a_audio."},
            "speaker": label,
            "take": label,
            "script": {"type": ["string", "null"], "description": "What was read, where it is not the instruction."},
        },
        "required": ["task", "audio"],
        "additionalProperties": False,
    }


def _plain(node: dict[str, Any]) -> dict[str, Any]:
    """A property of a model as JSON has it; null stands for a key that is not there."""
    kinds = [choice["type"] for choice in node.get("anyOf", [node])]
    kept: dict[str, Any] = {key: node[key] for key in ("pattern", "exclusiveMinimum") if key in node}
    return {"type": [*dict.fromkeys([*kinds, "null"])], **kept}


def _relaxed(node: Any) -> Any:
    if isinstance(node, list):
        return [_relaxed(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: node[key]
        for key in ("description", "default", "pattern", "minimum", "maximum")
        if node.get(key) is not None
    }
    if node.get("$ref") in ("#/$defs/Check", "#/$defs/File"):
        return {"$ref": node["$ref"].replace("$defs/", "$defs/Any")}
    choices = [choice for choice in node.get("anyOf", ()) if choice != {"type": "null"}]
    if any(choice.get("format") == "fraction" for choice in [node, *choices]):
        return {"$ref": "#/$defs/Number", **kept}
    if len(choices) == 1:
        return {**_relaxed(choices[0]), **kept}
    if node.get("type") == "string" and "enum" not in node:
        return {"$ref": "#/$defs/Text", **kept}
    if node.get("type") == "array" and node.get("items", {}).get("type") == "string":
        return {"$ref": "#/$defs/Texts", **kept}
    return {key: _relaxed(value) for key, value in node.items() if not _is_noise(key, value)}


def _is_noise(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and isinstance(value, dict))
