from __future__ import annotations

import pytest

from pytest_talk2agent.workflows.state.statement import Ran, faults, for_psycopg, parameters


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT 1", ()),
        ("SELECT :a, :b, :a", ("a", "b")),
        ("SELECT ':no', \":no\" -- :no\n, :yes /* :no */", ("yes",)),
        ("SELECT 'it''s :no', :yes::text", ("yes",)),
        ("SELECT $q$ :no $q$, :yes", ("yes",)),
    ],
)
def test_parameters_are_what_stands_outside_of_strings_and_comments(sql: str, names: tuple[str, ...]) -> None:
    assert parameters(sql) == names


def test_psycopg_gets_its_own_form_and_percent_signs_stay() -> None:
    assert for_psycopg("SELECT :a::text LIKE '%:b' || :c") == "SELECT %(a)s::text LIKE '%%:b' || %(c)s"


@pytest.mark.parametrize(
    "sql", ["UPDATE a SET b = :today", "SELECT now FROM a", "SELECT 1;", "SELECT 'random()'", "SELECT 1; -- done"]
)
def test_one_statement_that_gives_the_same_each_time_is_fit(sql: str) -> None:
    assert list(faults(sql)) == []


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "this is no statement"),
        ("-- nothing", "this is no statement"),
        ("SELECT 1; DELETE FROM a", "these are several statements; write each one by itself"),
        ("SELECT now()", "`now` depends on the time; use :today or :now"),
        ("SELECT CURRENT_DATE", "`current_date` depends on the time; use :today or :now"),
        ("SELECT random ()", "`random` depends on chance; take the value from a table of the seed"),
    ],
)
def test_what_is_several_none_or_never_the_same_is_unfit(sql: str, message: str) -> None:
    assert list(faults(sql)) == [message]


def test_a_run_is_plain_in_the_log() -> None:
    ran = Ran("SELECT :a", {"a": 1}, 1)
    assert ran.to_json() == {"sql": "SELECT :a", "parameters": {"a": 1}, "rows": 1, "error": None}
