"""Suites whose words are in a checkout are collected where that is named, or where they are named themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
BOUND = {"wildclawbench": "wcb", "wildclawbench-2026-09": "wcb", "osworld": "osworld"}


def _is_left_out(suite: Path, config: pytest.Config) -> bool:
    option = BOUND.get(suite.name) if suite.parent == HERE else None
    if option is None or config.getoption(f"t2a_{option}") or config.getini(f"t2a_{option}"):
        return False
    folder = config.invocation_params.dir
    named = [(folder / argument.partition("::")[0]).resolve() for argument in config.args]
    return not any(place.is_relative_to(suite) for place in named)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a suite out where its words cannot be read and nobody asked for it."""
    return True if _is_left_out(collection_path, config) else None


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which suites are left out."""
    return [
        f"suites/{name}: left out, its words are in a checkout; give --t2a-{option}=PATH"
        for name, option in BOUND.items()
        if _is_left_out(HERE / name, config)
    ]
