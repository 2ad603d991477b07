"""A small bank on each database: its tools, rules, functions and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from pytest_talk2agent.workflows.state.spec import Fault, StateSpec
from pytest_talk2agent.workflows.state.state import SqlState, StateAnswer
from pytest_talk2agent.workflows.workbench.backend import StateError

SCHEMA = """
CREATE TABLE visit (id INTEGER PRIMARY KEY, known TEXT);
CREATE TABLE cards (id TEXT PRIMARY KEY, status TEXT NOT NULL, cents INTEGER NOT NULL CHECK (cents >= 0));
CREATE TABLE payments (number INTEGER PRIMARY KEY, card TEXT NOT NULL REFERENCES cards (id), on_day TEXT NOT NULL);
"""
SEED = "INSERT INTO visit VALUES (1, NULL); INSERT INTO cards VALUES ('c1', 'active', 500), ('c2', 'cancelled', 0);"
SPEC = r"""
clock: 2026-10-12T09:00:00+02:00
gate:
  - {unless: SELECT 1 FROM visit WHERE known IS NOT NULL, say: verify the caller first}
tools:
  verify:
    gate: false
    refuse: [{unless: "SELECT 1 FROM cards WHERE id = :card", say: "no card {card}; on {today}"}]
    do: ["UPDATE visit SET known = :card"]
  show:
    result:
      card: {one: "SELECT * FROM cards WHERE id = :card"}
      first: {first: "SELECT id FROM cards WHERE cents > 1000 ORDER BY id"}
      all: {all: "SELECT id FROM cards ORDER BY id"}
      count: {value: "SELECT count(*) FROM payments"}
  pay:
    let: {number: "SELECT coalesce(max(number), 0) + 1 FROM payments"}
    refuse: [{when: "SELECT 1 FROM cards WHERE id = :card AND status = 'cancelled'", say: the card is cancelled}]
    do:
      - INSERT INTO payments (number, card, on_day) VALUES (:number, :card, :today)
      - UPDATE cards SET cents = cents - :cents WHERE id = :card
    result: {left: {value: "SELECT cents FROM cards WHERE id = :card"}}
  set: {do: ["UPDATE cards SET cents = :cents WHERE id = :card"]}
  note: {do: ["UPDATE visit SET known = :note"], result: {known: {value: SELECT known FROM visit}}}
  count: {python: "work.py:count"}
  break: {python: "work.py:fail"}
  odd: {python: "work.py:odd"}
"""
WORK = """
def count(work):
    if work.value("SELECT count(*) FROM cards") > work.args["most"]:
        work.write("UPDATE cards SET cents = 0")
        work.refuse("too many cards")
    work.write("UPDATE cards SET cents = cents + :more WHERE id = 'c1'", more=2)
    return {"cards": work.rows("SELECT id FROM cards ORDER BY id"), "due": work.clock.after(30).isoformat()}


def fail(work):
    work.write("UPDATE cards SET cents = 0")
    return 1 // work.args["by"]


def odd(work):
    return {1, 2}
"""

Open = Callable[..., SqlState]


@pytest.fixture
def opened(url: str) -> Iterator[Open]:
    states: list[SqlState] = []

    def open_state(*faults: Fault, **changes: str) -> SqlState:
        files = {"schema.sql": SCHEMA, "seed.sql": SEED, "work.py": WORK} | changes
        spec = StateSpec.model_validate(yaml.safe_load(changes.get("spec", SPEC)))
        states.append(SqlState(spec, files, url, faults))
        return states[-1]

    yield open_state
    for state in states:
        state.close()


def known(state: SqlState) -> SqlState:
    assert state.call("verify", {"card": "c1"}).ok
    return state


def changes(answer: StateAnswer) -> list[str]:
    return list(map(str, answer.changes))


def test_a_tool_that_writes_gives_its_result_and_the_rows_that_changed(opened: Open) -> None:
    answer = known(opened()).call("pay", {"card": "c1", "cents": 120})
    assert answer.ok
    assert answer.result == {"left": 380}
    assert changes(answer) == [
        "cards: updated id='c1': cents 500 -> 380",
        "payments: inserted number=1, card='c1', on_day='2026-10-12'",
    ]


def test_every_statement_is_in_the_log_with_what_it_was_given(opened: Open) -> None:
    answer = known(opened()).call("pay", {"card": "c1", "cents": 120})
    assert [(ran.parameters, ran.rows, ran.error) for ran in answer.statements] == [
        ({}, 1, None),
        ({}, 1, None),
        ({"card": "c1"}, 0, None),
        ({"number": 1, "card": "c1", "today": "2026-10-12"}, 1, None),
        ({"cents": 120, "card": "c1"}, 1, None),
        ({"card": "c1"}, 1, None),
    ]


def test_the_four_shapes_of_a_result(opened: Open) -> None:
    assert known(opened()).call("show", {"card": "c1"}).result == {
        "card": {"id": "c1", "status": "active", "cents": 500},
        "first": None,
        "all": [{"id": "c1"}, {"id": "c2"}],
        "count": 0,
    }


def test_the_gate_refuses_until_it_is_open_and_rules_say_why(opened: Open) -> None:
    state = opened()
    assert (state.call("show", {"card": "c1"}).outcome, state.call("show", {"card": "c1"}).error) == (
        "refused",
        "verify the caller first",
    )
    assert state.call("verify", {"card": "c9"}).error == "no card c9; on 2026-10-12"
    known(state)
    assert state.call("pay", {"card": "c2", "cents": 1}).error == "the card is cancelled"


def test_what_a_constraint_refuses_is_taken_back_whole(opened: Open) -> None:
    state = known(opened())
    before = state.now
    answer = state.call("pay", {"card": "c1", "cents": 501})
    assert (answer.outcome, answer.changes) == ("refused", ())
    assert answer.error == "the database refused the change: a constraint forbids it"
    assert answer.statements[-1].error == "constraint"
    assert state.now == before
    assert state.call("show", {"card": "c1"}).result["count"] == 0


@pytest.mark.parametrize("cents", [1 << 70, "many"])
def test_a_value_that_no_column_takes_is_refused(opened: Open, cents: Any) -> None:
    state = known(opened())
    answer = state.call("set", {"card": "c1", "cents": cents})
    assert (answer.outcome, answer.changes) == ("refused", ())
    assert answer.error == "the database refused a value: it does not fit its column"
    assert state.call("show", {"card": "c1"}).result["card"]["cents"] == 500


def test_an_argument_that_was_left_out_is_null(opened: Open) -> None:
    answer = known(opened()).call("note", {})
    assert answer.result == {"known": None}


def test_a_result_that_is_not_one_row_is_the_packages_fault(opened: Open) -> None:
    answer = known(opened()).call("show", {"card": "c9"})
    assert (answer.outcome, answer.error) == ("failed", "the tool failed")
    assert answer.fault == "state.yaml: tools.show: result.card gives 0 rows, not one"


def test_a_function_reads_writes_and_refuses(opened: Open) -> None:
    state = known(opened())
    answer = state.call("count", {"most": 2})
    assert answer.result == {"cards": [{"id": "c1"}, {"id": "c2"}], "due": "2026-11-11"}
    assert changes(answer) == ["cards: updated id='c1': cents 500 -> 502"]
    refused = state.call("count", {"most": 1})
    assert (refused.outcome, refused.error, refused.changes) == ("refused", "too many cards", ())
    assert state.call("show", {"card": "c1"}).result["card"]["cents"] == 502


def test_a_function_that_breaks_takes_nothing_with_it_and_its_line_is_named(opened: Open) -> None:
    state = known(opened())
    answer = state.call("break", {"by": 0})
    assert (answer.outcome, answer.error, answer.changes) == ("failed", "the tool failed", ())
    assert answer.fault.startswith("state.yaml: tools.break: work.py:12: ZeroDivisionError")
    assert state.call("show", {"card": "c1"}).result["card"]["cents"] == 500
    assert "TypeError" in state.call("odd", {}).fault


def test_a_declined_call_runs_nothing(opened: Open) -> None:
    state = known(opened(Fault(tool="pay", kind="decline", calls=(1,), say="card declined")))
    declined = state.call("pay", {"card": "c1", "cents": 1})
    assert (declined.outcome, declined.error, declined.statements) == ("refused", "card declined", ())
    assert declined.injected == "decline"
    assert state.call("pay", {"card": "c1", "cents": 1}).ok


def test_a_slow_call_answers_later(opened: Open) -> None:
    state = known(opened(Fault(tool="pay", kind="latency", ms=1500), Fault(tool="pay", kind="latency", ms=10)))
    answer = state.call("pay", {"card": "c1", "cents": 1})
    assert (answer.ok, answer.delay_ms, answer.injected) == (True, 1510, "latency, latency")


@pytest.mark.parametrize(("kind", "left"), [("hang_before_commit", 500), ("hang_after_commit", 499)])
def test_a_call_that_hangs_has_written_nothing_or_all(opened: Open, kind: Any, left: int) -> None:
    state = known(opened(Fault(tool="pay", kind=kind, calls=(1,), ms=8000)))
    answer = state.call("pay", {"card": "c1", "cents": 1})
    assert (answer.outcome, answer.result, answer.delay_ms) == ("hung", None, 8000)
    assert answer.error == "no answer within 8000 ms"
    assert len(answer.changes) == (2 if left == 499 else 0)
    assert state.call("show", {"card": "c1"}).result["card"]["cents"] == left


def test_an_event_changes_one_column_or_says_why_it_cannot(opened: Open) -> None:
    state = opened()
    assert list(map(str, state.put("cards", {"id": "c1"}, "cents", 7))) == ["cards: updated id='c1': cents 500 -> 7"]
    assert known(state).call("show", {"card": "c1"}).result["card"]["cents"] == 7
    with pytest.raises(StateError, match="no column 'colour' of a row"):
        state.put("cards", {"id": "c1"}, "colour", 7)
    with pytest.raises(StateError, match=r"cards\.cents cannot be -1"):
        state.put("cards", {"id": "c1"}, "cents", -1)


def test_the_rows_follow_the_changes(opened: Open) -> None:
    state = known(opened())
    answers = [state.call("pay", {"card": "c1", "cents": cents}) for cents in (1, 2, 999)]
    before = known(opened()).now
    assert before.after([change for answer in answers for change in answer.changes]) == state.now


def test_a_session_starts_from_the_seed_whatever_another_did(opened: Open) -> None:
    first = known(opened())
    first.call("pay", {"card": "c1", "cents": 100})
    assert opened().now == first.seeded


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("schema.sql", "CREATE TABLE cards (id", "schema.sql: "),
        ("schema.sql", SCHEMA + "CREATE TABLE log (x TEXT);", "schema.sql: the table 'log' has no primary key"),
        ("seed.sql", "INSERT INTO nowhere VALUES (1)", "seed.sql: .*nowhere"),
        ("work.py", "def count(work): return", "no function 'fail'; did you mean|known are count"),
        ("work.py", "import nothing_of_that_name", "work.py: ModuleNotFoundError"),
        ("work.py", "def count(", "work.py: SyntaxError"),
        ("spec", SPEC.replace("work.py:odd", "werk.py:odd"), "state/werk.py is missing; did you mean `work.py`"),
        ("spec", SPEC + "seed: [sead.sql]", "state/sead.sql is missing; write it, or correct its name"),
    ],
)
def test_a_package_that_is_wrong_is_found_when_the_session_begins(
    opened: Open, file: str, text: str, message: str
) -> None:
    with pytest.raises(StateError, match=message):
        opened(**{file: text})


def test_statements_are_checked_by_the_database_itself(opened: Open) -> None:
    assert list(opened().check()) == []
    wrong = SPEC.replace("SELECT * FROM cards WHERE", "SELECT colour FROM cards WHERE")
    ((place, problem),) = opened(spec=wrong).check()
    assert place == "tools.show.result.card"
    assert "colour" in problem


def test_an_answer_is_plain_in_the_log(opened: Open) -> None:
    plain = known(opened()).call("note", {"note": "x"}).to_json()
    assert plain["changes"] == [
        {"table": "visit", "key": {"id": 1}, "before": {"id": 1, "known": "c1"}, "after": {"id": 1, "known": "x"}},
    ]
    assert plain["outcome"] == "done"
    assert [ran["sql"] for ran in plain["statements"]][1:] == [
        "UPDATE visit SET known = :note",
        "SELECT known FROM visit",
    ]
