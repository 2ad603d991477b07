"""A database of each kind: SQLite in memory, and a real PostgreSQL server that the tests start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.workflows.postgres import server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a real server; skips where none is installed."""
    pytest.importorskip("psycopg", reason="psycopg is not installed; it comes with the extra `postgres`")
    with server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of a database of each kind, one after the other."""
    return "sqlite:" if request.param == "sqlite" else str(request.getfixturevalue("postgres"))
