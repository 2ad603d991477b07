"""What only PostgreSQL has: schemas that a killed session leaves behind, a server that is gone, types of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_talk2agent.workflows.state.postgres import PostgresConnection
from pytest_talk2agent.workflows.state.state import connect
from pytest_talk2agent.workflows.workbench.backend import StateError

KILLED = """
import os, sys
from pytest_talk2agent.workflows.state.postgres import PostgresConnection
connection = PostgresConnection(sys.argv[1])
connection.script("CREATE TABLE left_behind (id TEXT)")
print(connection.schema, flush=True)
os._exit(1)
"""


def schemas(url: str) -> set[str]:
    import psycopg

    with psycopg.connect(url) as database:
        rows = database.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 't2a%'").fetchall()
    return {name for (name,) in rows}


def test_the_schema_goes_with_its_session(postgres: str) -> None:
    connection = PostgresConnection(postgres)
    assert connection.schema in schemas(postgres)
    connection.close()
    assert connection.schema not in schemas(postgres)


def test_what_a_killed_session_left_is_removed_by_the_next_and_nothing_else(postgres: str) -> None:
    import psycopg

    run = subprocess.run(
        [sys.executable, "-c", KILLED, postgres], capture_output=True, text=True, timeout=60, env={**os.environ}
    )
    left = run.stdout.strip()
    assert left in schemas(postgres), run.stderr
    with psycopg.connect(postgres) as database:
        database.execute("CREATE SCHEMA IF NOT EXISTS t2a_of_somebody_else")
    alive = PostgresConnection(postgres)
    with_next = PostgresConnection(postgres)
    assert {alive.schema, with_next.schema, "t2a_of_somebody_else"} <= schemas(postgres)
    assert left not in schemas(postgres)
    alive.close()
    with_next.close()


def test_a_server_that_cannot_be_reached_is_one_line_without_its_password() -> None:
    with pytest.raises(StateError) as failure:
        connect("postgresql://me:secret@127.0.0.1:1/db")
    text = str(failure.value)
    assert text.startswith("postgresql://me:...@127.0.0.1:1/db cannot be used: ")
    assert "secret" not in text
    assert "\n" not in text


def test_a_session_whose_connection_is_lost_says_so_and_closes(postgres: str) -> None:
    import psycopg

    connection = PostgresConnection(postgres)
    with psycopg.connect(postgres, autocommit=True) as database:
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE %s",
            ["SET TimeZone%"],
        )
    with pytest.raises(StateError, match="the database was lost"):
        connection.run("SELECT 1", {})
    connection.close()


def test_types_of_its_own_come_as_plain_values(postgres: str) -> None:
    connection = PostgresConnection(postgres)
    connection.script(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, yes BOOLEAN, price NUMERIC(8,2), total NUMERIC, day DATE,"
        " at TIMESTAMPTZ); INSERT INTO t VALUES (1, true, 2.50, 3, '2026-10-12', '2026-10-12T09:00+02')"
    )
    (row,) = connection.snapshot().tables["t"].rows
    at = "2026-10-12T07:00:00+00:00"
    assert row == {"id": 1, "yes": 1, "price": 2.5, "total": 3, "day": "2026-10-12", "at": at}
    connection.close()
