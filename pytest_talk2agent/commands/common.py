"""What several commands need: how an argument is read and how a result is written."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def names(text: str) -> list[str]:
    """The names in a list with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_json(command: argparse.ArgumentParser) -> None:
    """Declare ``--json``."""
    command.add_argument("--json", action="store_true", help="the same as data; fractions are strings")


def write(lines: Sequence[str]) -> None:
    """Write lines to standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def write_json(value: object) -> None:
    """Write plain values to standard output."""
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
