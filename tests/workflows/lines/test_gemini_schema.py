from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.genai import types

from pytest_talk2agent.workflows.lines.gemini_schema import declaration, reduced
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.workbench.offer import offered

SUITES = Path(__file__).parents[3] / "suites/workflows"
PACKAGES = sorted(path.parent.name for path in SUITES.glob("*/task.yaml"))


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string", "default": "x", "format": "date"}, {"type": "STRING"}),
        ({"type": ["integer", "null"], "minimum": 1}, {"type": "INTEGER", "minimum": 1, "nullable": True}),
        ({"const": "k"}, {"type": "STRING", "enum": ["k"]}),
        ({"enum": ["a", "b"]}, {"type": "STRING", "enum": ["a", "b"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER"}),
        ({"type": ["string", "number"]}, {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}),
        ({"oneOf": [{"type": "boolean"}]}, {"anyOf": [{"type": "BOOLEAN"}]}),
        ({"type": "array", "items": {"type": "number"}}, {"type": "ARRAY", "items": {"type": "NUMBER"}}),
        (
            {"properties": {"a": {"type": "string"}}, "required": ["a", "b"], "additionalProperties": False},
            {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]},
        ),
    ],
)
def test_what_the_api_does_not_know_is_left_out(schema: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert reduced(schema) == wanted
    types.Schema.model_validate(wanted)


def test_a_value_of_any_type_names_the_types() -> None:
    assert [one["type"] for one in reduced({})["anyOf"]] == ["STRING", "NUMBER", "BOOLEAN", "ARRAY"]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_shipped_tool_is_a_declaration_of_the_sdk(name: str) -> None:
    package = load_package(SUITES / name)
    assert package.tools.tools
    for tool in package.tools.tools:
        made = types.FunctionDeclaration.model_validate(declaration(offered(package, tool)))
        assert "additional" not in str(made.model_dump(exclude_none=True))
