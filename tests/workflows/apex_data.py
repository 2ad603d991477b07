"""What APEX-Voice published, where it is beside the tree; tests that need it skip with a reason where it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "apex"


def apex_path(name: str) -> Path:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{path}: the published results of APEX-Voice are not here")
    return path


def apex_json(name: str) -> Any:
    return json.loads(apex_path(name).read_text(encoding="utf-8"))
