"""``talk2agent schema``: the JSON Schema of the task format."""

from __future__ import annotations

import argparse

from pytest_talk2agent.commands.common import Commands, write_json


def add(commands: Commands) -> None:
    """Declare the command."""
    schema = commands.add_parser("schema", help="JSON Schema of the task format")
    schema.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the schema."""
    from pytest_talk2agent.tasks.schema import json_schema

    write_json(json_schema())
    return 0
