from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_talk2agent.workflows.state.connection import (
    Connection,
    StatementError,
    plain,
    without_password,
)
from pytest_talk2agent.workflows.state.state import connect
from pytest_talk2agent.workflows.workbench.backend import StateError

SCHEMA = """
CREATE TABLE owners (id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE cards (
  owner TEXT NOT NULL REFERENCES owners (id), last4 TEXT NOT NULL, cents INTEGER NOT NULL CHECK (cents >= 0),
  PRIMARY KEY (owner, last4)
);
INSERT INTO owners VALUES ('o1', 'Ann; O''Hara'), ('o2', 'bea');
INSERT INTO cards VALUES ('o1', '0420', 5), ('o1', '0007', 7);
"""


@pytest.fixture
def database(url: str) -> Iterator[Connection]:
    connection = connect(url)
    connection.script(SCHEMA)
    yield connection
    connection.close()
    connection.close()


def changed(database: Connection, sql: str, **parameters: Any) -> int:
    database.begin()
    try:
        count = database.run(sql, parameters)[1]
    except BaseException:
        database.end(commit=False)
        raise
    database.end(commit=True)
    return count


def test_rows_come_as_plain_values_with_their_keys(database: Connection) -> None:
    snapshot = database.snapshot()
    assert list(snapshot.tables) == ["cards", "owners"]
    assert snapshot.tables["cards"].key == ("owner", "last4")
    assert [row["last4"] for row in snapshot.tables["cards"].rows] == ["0007", "0420"]
    assert database.run("SELECT sum(cents) AS all_of_it, count(*) AS n FROM cards", {})[0] == [
        {"all_of_it": 12, "n": 2}
    ]


def test_statements_take_their_parameters_by_name(database: Connection) -> None:
    rows, count = database.run("SELECT name FROM owners WHERE id = :id AND name LIKE '%;%'", {"id": "o1", "no": 1})
    assert (rows, count) == ([{"name": "Ann; O'Hara"}], 1)
    assert database.run("SELECT 1 AS one WHERE :given IS NULL", {"given": None})[1] == 1


def test_a_value_is_never_read_as_sql(database: Connection) -> None:
    hostile = "o1'; DROP TABLE cards; --"
    assert database.run("SELECT name FROM owners WHERE id = :id", {"id": hostile})[0] == []
    changed(database, "UPDATE owners SET name = :name WHERE id = 'o2'", name=hostile)
    assert database.snapshot().tables["owners"].rows[1]["name"] == hostile
    assert len(database.snapshot().tables["cards"].rows) == 2


def test_a_transaction_is_kept_or_taken_back_and_knows_whether_it_wrote(database: Connection) -> None:
    before = database.snapshot()
    database.begin()
    database.run("SELECT * FROM cards", {})
    assert not database.wrote()
    database.run("UPDATE cards SET cents = cents + 1", {})
    assert database.wrote()
    database.end(commit=False)
    assert database.snapshot() == before
    assert changed(database, "UPDATE cards SET cents = cents + :more", more=1) == 2
    assert [str(change) for change in before.changes_to(database.snapshot())] == [
        "cards: updated owner='o1', last4='0007': cents 7 -> 8",
        "cards: updated owner='o1', last4='0420': cents 5 -> 6",
    ]


@pytest.mark.parametrize(
    ("sql", "parameters", "reason"),
    [
        ("INSERT INTO owners VALUES ('o1', 'twice')", {}, "constraint"),
        ("INSERT INTO cards VALUES ('nobody', '1', 1)", {}, "constraint"),
        ("UPDATE cards SET cents = -1", {}, "constraint"),
        ("UPDATE owners SET name = NULL", {}, "constraint"),
        ("SELECT :n", {"n": 1 << 63}, "value"),
        ("SELECT :t", {"t": "a\0b"}, "value"),
        ("SELECT :t", {"t": "\ud800"}, "value"),
        ("SELECT nothing FROM owners", {}, "statement"),
        ("SELECT :missing", {}, "statement"),
        ("SELEC 1", {}, "statement"),
        ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i FROM n", {}, "limit"),
    ],
)
def test_each_database_fails_for_the_same_reason(
    database: Connection, sql: str, parameters: dict[str, Any], reason: str
) -> None:
    before = database.snapshot()
    with pytest.raises(StatementError) as failure:
        changed(database, sql, **parameters)
    assert failure.value.reason == reason
    assert database.snapshot() == before


def test_a_wrong_type_is_found_before_the_transaction_ends(database: Connection) -> None:
    database.begin()
    with pytest.raises(StatementError) as failure:  # PostgreSQL says so at once, SQLite when it is asked for its rows
        database.run("UPDATE cards SET cents = :cents", {"cents": "many"}), database.snapshot()
    assert failure.value.reason == "value"
    database.end(commit=False)


def test_texts_compare_by_code_points_and_capitals_count(database: Connection) -> None:
    names = database.run('SELECT name FROM owners ORDER BY name COLLATE "C" DESC', {})[0]
    assert [row["name"] for row in names] == ["bea", "Ann; O'Hara"]
    assert database.run("SELECT 1 FROM owners WHERE name LIKE 'BEA'", {})[0] == []


def test_lists_and_truth_values_are_stored_alike(database: Connection) -> None:
    assert database.run("SELECT :list AS list", {"list": ["a", 1]})[0] == [{"list": '["a", 1]'}]
    assert changed(database, "UPDATE cards SET cents = :yes", yes=True) == 2
    assert {row["cents"] for row in database.snapshot().tables["cards"].rows} == {1}


def test_a_script_runs_whole_or_not_at_all(database: Connection) -> None:
    before = database.snapshot()
    with pytest.raises(StatementError):
        database.script("INSERT INTO owners VALUES ('o3', 'c'); INSERT INTO nowhere VALUES (1);")
    assert database.snapshot() == before


def test_a_statement_is_checked_without_being_run(database: Connection) -> None:
    before = database.snapshot()
    database.check("DELETE FROM cards WHERE owner = :owner", {"owner": None})
    assert database.snapshot() == before
    with pytest.raises(StatementError, match="colour"):
        database.check("SELECT colour FROM cards", {})


def test_sessions_do_not_see_one_another(url: str) -> None:
    first, second = connect(url), connect(url)
    try:
        first.script("CREATE TABLE only_here (id TEXT PRIMARY KEY)")
        assert dict(second.snapshot().tables) == {}
        second.script("CREATE TABLE only_here (other TEXT)")
        assert first.snapshot().tables["only_here"].key == ("id",)
    finally:
        first.close()
        second.close()


def test_sqlite_reaches_no_file() -> None:
    connection = connect()
    with pytest.raises(StatementError, match="not authorized"):
        connection.run("ATTACH DATABASE '/tmp/other.db' AS other", {})
    connection.close()


def test_sqlite_ends_a_statement_without_an_end() -> None:
    connection = connect()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(StatementError) as failure:
        connection.run(endless, {})
    assert failure.value.reason == "limit"
    assert connection.run("SELECT 1 AS one", {})[0] == [{"one": 1}]
    connection.close()


def test_another_url_is_refused_and_its_password_is_not_shown() -> None:
    with pytest.raises(StateError, match=r"'mysql://me:\.\.\.@host/db' is no database; write 'sqlite:'"):
        connect("mysql://me:secret@host/db")
    assert without_password("postgresql://h/db?user=me&password=secret") == "postgresql://h/db?user=me&password=..."


def test_what_has_no_plain_form_is_refused() -> None:
    with pytest.raises(StatementError, match="bytes has no plain value"):
        plain(b"x")
