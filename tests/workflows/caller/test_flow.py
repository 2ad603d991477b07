from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.caller.caller import Caller
from pytest_talk2agent.workflows.caller.flow import FlowEngine, Plan, Taken
from pytest_talk2agent.workflows.caller.observation import Observation, holds
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Trigger
from tests.workflows.toys import Toy, answer, expense, fact, line, load


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path)


def saw(*acts: str, **more: Any) -> Observation:
    return Observation(acts=list(acts), **more)


def through(engine: FlowEngine, *acts: str) -> list[str | None]:
    plans = [engine.step(saw())]
    plans += [engine.step(saw(act)) for act in acts]
    return [plan.id if plan is not None else None for plan in plans]


QUESTIONS = ("ASK:employee_id", "ASK:trip_purpose", "ASK:cost_center", "ASK:total_amount")


def test_the_flow_answers_in_its_order(package: Package) -> None:
    assert through(FlowEngine(package), *QUESTIONS) == ["open", "ans_emp", "ans_purpose", "ans_cc", "ans_total"]


def test_the_same_observations_give_the_same_plans(package: Package) -> None:
    engines = [FlowEngine(package), FlowEngine(package)]
    assert through(engines[0], *QUESTIONS) == through(engines[1], *QUESTIONS)
    assert engines[0].revealed == engines[1].revealed


def test_what_matches_nothing_says_nothing(package: Package) -> None:
    assert through(FlowEngine(package), "ASK:cost_center", "CONFIRM:x") == ["open", None, None]


def test_an_event_is_answered_once(package: Package) -> None:
    engine = FlowEngine(package)
    through(engine, *QUESTIONS)
    plan = engine.step(saw(fired=["E1"]))
    assert plan is not None
    assert (plan.id, plan.facts, plan.floor_action) == ("correct_total", ("total_v2",), "BARGE_IN")
    engine.state = "S4"
    assert engine.step(saw(fired=["E1"])) is None
    assert not engine.unanswered("E1")


def test_an_answered_request_is_armed_again_once_it_was_gone_or_another_came(package: Package) -> None:
    def answered(*requests: int | None) -> list[bool]:
        engine = FlowEngine(package)
        engine.step(saw())
        found = []
        for number in requests:
            engine.state = "S5"
            approvals = {} if number is None else {"submit_expense": number}
            found.append(engine.step(saw(approvals=approvals)) is not None)
        return found

    assert answered(1, 1, 1) == [True, False, False]
    assert answered(1, None, 1) == [True, False, True]
    assert answered(1, 2) == [True, True]


def test_a_fact_that_may_not_be_spoken_is_stripped(tmp_path: Path) -> None:
    toy = expense()
    toy["user/flow.yaml"]["states"]["START"]["transitions"][0]["do"]["facts"] = ["employee_id", "cost_center"]
    engine = FlowEngine(load(toy, tmp_path))
    engine.step(saw())
    plan = engine.step(saw("ASK:employee_id"))
    assert plan is not None
    assert (plan.facts, plan.dropped) == (("employee_id",), ("cost_center",))
    assert "cost_center" not in engine.revealed


def test_a_plan_without_permitted_words_is_not_said(tmp_path: Path) -> None:
    toy = expense()
    toy["user/flow.yaml"]["states"]["START"]["transitions"][0]["do"]["facts"] = ["cost_center"]
    toy["user/realization_bank.jsonl"][1] = line("ans_emp", "ANSWER", "CC-330.", facts=("cost_center",))
    package = load(toy, tmp_path)
    for compat in (False, True):
        caller = Caller(package, compat=compat)
        caller.take_floor(saw())
        turn = caller.take_floor(saw("ASK:employee_id"))
        assert [plan.id for plan in turn.plans] == (["ans_emp"] if compat else [])
        assert [plan.id for plan in turn.unsaid] == ([] if compat else ["ans_emp"])


def permissive() -> Toy:
    """Questions in any order, several at once, and a correction."""
    toy = expense()
    ask = [
        answer("employee_id", "ans_emp", "employee_id", "OPEN"),
        answer("trip_purpose", "ans_purpose", "trip_purpose", "OPEN"),
        answer("total_amount", "ans_total", "total_v1", "OPEN"),
    ]
    correct = toy["user/flow.yaml"]["states"]["S4"]["transitions"][0]
    toy["user/flow.yaml"] = {
        "start": "OPEN",
        "states": {
            "OPEN": {
                "on_enter": {"act": "OPENING_REQUEST", "plan_id": "open"},
                "transitions": [{**correct, "next": "OPEN"}, *ask],
            }
        },
    }
    return toy


def ids(plans: tuple[Plan, ...]) -> list[str]:
    return [plan.id for plan in plans]


def test_bundled_questions_are_answered_in_one_go(tmp_path: Path) -> None:
    caller = Caller(load(permissive(), tmp_path))
    assert ids(caller.take_floor(saw()).plans) == ["open"]
    turn = caller.take_floor(saw("ASK:total_amount", "ASK:employee_id"))
    assert ids(turn.plans) == ["ans_emp", "ans_total"]


def test_after_a_correction_the_old_value_is_never_said_again(tmp_path: Path) -> None:
    package = load(permissive(), tmp_path)
    for compat, expected in ((False, "correct_total"), (True, "ans_total")):
        caller = Caller(package, compat=compat)
        caller.take_floor(saw())
        caller.take_floor(saw("ASK:total_amount"))
        caller.take_floor(saw(fired=["E1"]))
        again = caller.take_floor(saw("ASK:total_amount"))
        assert ids(again.plans) == [expected]
        assert again.plans[0].facts == (("total_v1",) if compat else ("total_v2",))
        assert again.plans[0].floor_action == "AFTER_FLOOR_RELEASE"


def test_the_new_value_is_said_even_before_the_correction_was(tmp_path: Path) -> None:
    caller = Caller(load(permissive(), tmp_path))
    caller.take_floor(saw())
    caller.engine.learn(saw(fired=["E1"]))
    assert ids(caller.take_floor(saw("ASK:total_amount")).plans) == ["correct_total"]


def test_a_question_out_of_order_is_answered_and_not_waited_for_again(package: Package) -> None:
    caller = Caller(package)
    caller.take_floor(saw())
    first = caller.take_floor(saw("ASK:trip_purpose"))
    assert (ids(first.plans), first.plans[0].recovered) == (["ans_purpose"], True)
    assert ids(caller.take_floor(saw("ASK:employee_id")).plans) == ["ans_emp"]
    assert ids(caller.take_floor(saw("ASK:cost_center")).plans) == ["ans_cc"]


def test_an_answer_is_said_again_at_most_twice(package: Package) -> None:
    caller = Caller(package)
    caller.take_floor(saw())
    caller.take_floor(saw("ASK:employee_id"))
    turns = [caller.take_floor(saw("ASK:employee_id")) for _ in range(3)]
    assert [ids(turn.plans) for turn in turns] == [["ans_emp"], ["ans_emp"], []]
    assert turns[2].say == "nudge"


def test_recovery_volunteers_only_what_may_be_volunteered_unless_compat(tmp_path: Path) -> None:
    toy = expense()
    toy["user/user_state.yaml"]["facts"][1]["reveal"]["may_volunteer"] = True
    package = load(toy, tmp_path)
    for compat, plan in ((False, "ans_purpose"), (True, "ans_emp")):
        caller = Caller(package, compat=compat)
        caller.take_floor(saw())
        assert ids(caller.take_floor(saw()).plans) == [plan]


def test_patience_runs_out(tmp_path: Path) -> None:
    toy = expense()
    toy["user/persona.yaml"]["patience"] = {"nudges": 2, "reasks": 2}
    package = load(toy, tmp_path)
    caller = Caller(package)
    caller.take_floor(saw())
    ends = [caller.take_floor(saw()) for _ in range(3)]
    assert [turn.say or turn.end for turn in ends] == ["nudge", "nudge", "patience"]
    assert ends[-1].reason == "prompted the agent 2 times, in vain"
    asked = saw("ASK:employee_id")
    asked.asked["ASK:employee_id"] = 3
    assert Caller(package).take_floor(asked).reason == "was asked for employee_id more than 2 times"


def test_a_flow_that_is_done_ends_the_call(package: Package) -> None:
    caller = Caller(package)
    caller.engine.state = "DONE"
    assert caller.take_floor(saw()).end == "done"


def test_what_is_left_is_closed_once_with_compat(tmp_path: Path) -> None:
    caller = Caller(load(permissive(), tmp_path), compat=True)
    turns = [caller.take_floor(saw()) for _ in range(6)]
    assert [ids(turn.plans) for turn in turns[:4]] == [["open"], ["ans_emp"], ["ans_purpose"], ["ans_total"]]
    assert turns[4].say in ("closing", "nudge")


def test_overlapping_plans_come_from_events_alone(package: Package) -> None:
    engine = FlowEngine(package)
    through(engine, *QUESTIONS)
    assert engine.overlap(saw("ASK:total_amount")) is None
    plan = engine.overlap(saw(fired=["E1"]))
    assert plan is not None
    assert plan.event_id == "E1"


def test_a_transition_is_taken_once_while_the_user_has_the_floor(tmp_path: Path) -> None:
    toy = permissive()
    second = copy.deepcopy(toy["user/flow.yaml"]["states"]["OPEN"]["transitions"][1])
    toy["user/flow.yaml"]["states"]["OPEN"]["transitions"].append(second)
    engine, taken = FlowEngine(load(toy, tmp_path)), Taken()
    engine.step(saw(), taken)
    plans = [engine.step(saw("ASK:employee_id"), taken) for _ in range(3)]
    assert [plan.id if plan else None for plan in plans] == ["ans_emp", None, None]


@pytest.mark.parametrize(
    ("trigger", "seen", "expected"),
    [
        ({}, {}, True),
        ({"tool_call": "a", "agent_act": "X"}, {"tools": ["a"]}, False),
        ({"tool_call": "a", "agent_act": "X"}, {"tools": ["a"], "acts": ["X"]}, True),
        ({"tool_result": "a"}, {"results": ["a"]}, True),
        ({"commit_attempt": "submit"}, {"commits": ["submit"]}, True),
        ({"artifact_mutation": "a.b"}, {"mutations": ["a.b"]}, True),
        ({"media_time_ms_gte": 5}, {"media_time_ms": 4}, False),
        ({"agent_speech_continuous_ms_gte": 5}, {"speech_ms": 5}, True),
        ({"fact_unrevealed": "f"}, {}, True),
        ({"fact_unrevealed": "told"}, {}, False),
        ({"world_predicate": "slots.mon == free"}, {}, True),
        ({"world_predicate": 'slots.mon != "free"'}, {}, False),
        ({"external_event": "E"}, {"fired": ["F"]}, False),
    ],
)
def test_all_that_a_trigger_names_must_match(trigger: dict[str, Any], seen: dict[str, Any], expected: bool) -> None:
    world = {"slots.mon": "free"}
    observation = Observation(world=world.get, **seen)
    assert observation.matches(Trigger(**trigger), {"told": 0}) is expected


def test_repetitions_are_those_of_the_act() -> None:
    seen = saw("ASK:a")
    seen.asked.update({"ASK:a": 2, "ASK:b": 9})
    assert seen.matches(Trigger(agent_act="ASK:a", repetition_count_gte=2))
    assert not seen.matches(Trigger(agent_act="ASK:a", repetition_count_gte=3))
    assert not seen.matches(Trigger(repetition_count_gte=3))


def test_world_predicates_compare_json_and_never_raise() -> None:
    world = {"n": 5, "name": "a b", "flag": False, "nothing": None}
    assert holds("n >= 5", world.get)
    assert holds("n < 6.5", world.get)
    assert not holds("name < 5", world.get)
    assert holds("name == a b", world.get)
    assert holds("flag == false", world.get)
    assert holds("nothing == null", world.get)
    assert not holds("flag", world.get)


ACTS = [*QUESTIONS, "CONFIRM:total_amount", "OTHER"]
BEATS = st.lists(
    st.tuples(st.lists(st.sampled_from(ACTS), max_size=3), st.booleans(), st.sampled_from([None, 1, 2])), max_size=12
)


@settings(max_examples=200, deadline=None)
@given(beats=BEATS)
def test_no_fact_is_ever_spoken_before_its_time(tmp_path_factory: pytest.TempPathFactory, beats: Any) -> None:
    caller = Caller(shared(tmp_path_factory))
    acts: set[str] = set()
    fired: set[str] = set()
    corrected = False
    for new, event, request in beats:
        acts.update(new)
        fired |= {"E1"} if event else set()
        approvals = {} if request is None else {"submit_expense": request}
        turn = caller.take_floor(saw(*new, fired=sorted(fired), approvals=approvals))
        for plan in turn.plans:
            for name in plan.facts:
                rule = FACTS[name]
                assert acts & set(rule.get("agent_acts", ())) or fired & set(rule.get("events", ()))
            corrected = corrected or "total_v2" in plan.facts
            assert not (corrected and "total_v1" in plan.facts)
        if turn.end is not None:
            break


FACTS = {one["id"]: one["reveal"] for one in expense()["user/user_state.yaml"]["facts"]}
_SHARED: list[Package] = []


def shared(factory: pytest.TempPathFactory) -> Package:
    if not _SHARED:
        _SHARED.append(load(expense(), factory.mktemp("package")))
    return _SHARED[0]


def test_a_newer_version_that_nobody_knows_of_is_not_said(tmp_path: Path) -> None:
    toy = permissive()
    toy["user/user_state.yaml"]["facts"][4] = fact("total_v2", 200, "ASK:other", supersedes="total_v1")
    caller = Caller(load(toy, tmp_path))
    caller.take_floor(saw())
    assert ids(caller.take_floor(saw("ASK:total_amount", "ASK:other")).plans) == ["ans_total"]
