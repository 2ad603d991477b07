from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.agents.adversary import FLOOD
from pytest_talk2agent.workflows.agents.protocol import AgentError, Briefing, Overlap, Reply, View
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.log import BrokenLogError, EventLog, read_log
from pytest_talk2agent.workflows.session.options import Perturbation
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.workbench.backend import DictState, StateError
from tests.workflows.toys import Toy, changed, expense, interview, load, turn


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path)


def held(package: Package, spec: str = "oracle", **options: Any) -> EventLog:
    return run_session(package, make_agent(spec), spec, RunOptions(**options))


def traced(log: EventLog) -> Trace:
    return trace_of(replay(log.to_bytes()))


def gates(package: Package, log: EventLog) -> dict[str, bool | None]:
    return {str(name): held for name, held in score_session(package, traced(log)).mended.gates.items()}


def with_policy(toy: Toy, *turns: dict[str, Any]) -> Toy:
    return {**toy, "reference/policy.yaml": {"turns": list(turns)}}


# The two toys of the reference implementation, on equivalent packages


def test_the_expense_oracle_succeeds_as_published(package: Package) -> None:
    log = held(package)
    trace = traced(log)
    assert gates(package, log) == {"TS": True, "PV": True, "AC": True, "AV": True}
    assert len(trace.calls) == 7
    assert (trace.leaks, trace.fallbacks) == ((), ())
    assert trace.requests[0].satisfied


def test_the_silent_agent_fails(package: Package, tmp_path: Path) -> None:
    for toy in (package, load(interview(), tmp_path / "interview")):
        found = gates(toy, held(toy, "silent"))
        assert (found["TS"], found["AV"]) == (False, False)


def test_an_ignored_correction_fails_the_artifact_alone(package: Package) -> None:
    log = held(package, "adversary:stale")
    assert gates(package, log) == {"TS": True, "PV": True, "AC": True, "AV": False}
    problems = score_session(package, traced(log)).mended.problems
    assert {problem.id for problem in problems} == {"expense_1.total_amount"}


def test_submitting_at_once_breaks_its_gate(package: Package) -> None:
    log = held(package, "adversary:premature")
    assert gates(package, log)["PV"] is False
    assert [one.id for one in score_session(package, traced(log)).mended.problems] == ["no_unauthorized_submit"]


def test_a_fabricated_item_halves_f1_and_fails_both_gates(tmp_path: Path) -> None:
    toy = interview()
    evidence = {"fields": {"evidence": ["led a team of six", "speaks Latin"]}}
    toy["reference/policy.yaml"]["turns"][2]["tool_calls"][0]["args"] = evidence
    package = load(toy, tmp_path)
    assert gates(package, held(package)) == {"TS": True, "PV": False, "AC": True, "AV": False}
    good = load(interview(), tmp_path / "good")
    assert gates(good, held(good)) == {"TS": True, "PV": True, "AC": True, "AV": True}


# Determinism, chain, replay


@pytest.mark.parametrize("spec", ["oracle", "silent", "adversary:malformed", "adversary:non-yielder"])
def test_the_same_seed_gives_the_same_bytes(package: Package, spec: str) -> None:
    first, again = held(package, spec, seed=4), held(package, spec, seed=4)
    assert first.to_bytes() == again.to_bytes()
    assert held(package, spec, seed=5).to_bytes() != first.to_bytes()


SPECS = [
    *("oracle", "silent", "adversary:stale", "adversary:premature", "adversary:malformed", "adversary:wrong-target"),
    *("adversary:edit-after-approval", "adversary:over-yielder", "adversary:flooding"),
]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    spec=st.sampled_from(SPECS),
    seed=st.integers(0, 9),
    compat=st.sampled_from([None, "apex-1.0"]),
    overlap=st.integers(0, 4000),
    latency=st.dictionaries(st.integers(0, 6), st.integers(0, 6000), max_size=3),
    lost=st.frozensets(st.integers(0, 6), max_size=2),
)
def test_every_log_proves_itself(
    package: Package,
    spec: str,
    seed: int,
    compat: str | None,
    overlap: int,
    latency: dict[int, int],
    lost: frozenset[int],
) -> None:
    changes = Perturbation({"E1": overlap}, latency, lost)
    log = held(package, spec, seed=seed, compat=compat, perturbation=changes)
    done = replay(log.to_bytes())
    assert done.package.digest == package.digest
    assert Perturbation.of_plain(json.loads(json.dumps(done.start["perturbation"]))) == changes
    score_session(package, trace_of(done))


def forged(log: EventLog, change: Any) -> bytes:
    """The log with something changed, and the chain made good again."""
    made = EventLog(log.label)
    for event in log.events:
        payload = copy.deepcopy(dict(event.payload))
        change(event, payload)
        made.append(event.type, event.actor, event.media_time_ms, payload, parents=event.causal_parents)
    return made.to_bytes()


def test_a_forged_log_with_a_good_chain_does_not_replay(package: Package) -> None:
    log = held(package)

    def amount(event: Any, payload: dict[str, Any]) -> None:
        if event.type == "ARTIFACT_MUTATION" and payload["new"] == 200:
            payload["new"] = 250

    def decision(event: Any, payload: dict[str, Any]) -> None:
        if event.type == "TOOL_RESULT" and payload["auth_decision"]:
            payload["auth_decision"]["code"] = "PREMATURE_COMMIT"

    def ending(event: Any, payload: dict[str, Any]) -> None:
        if event.type == "RUN_END":
            payload["workspace_sha256"] = "0" * 64

    def argument(event: Any, payload: dict[str, Any]) -> None:
        if event.type == "TOOL_CALL" and payload["args"].get("fields") == {"cost_center": "CC-330"}:
            payload["args"]["fields"]["cost_center"] = "CC-331"

    def gold(event: Any, payload: dict[str, Any]) -> None:
        if event.type == "RUN_START":
            payload["package"]["gold"]["required_actions"] = []

    read_log(forged(log, amount))
    for change, message in (
        (amount, "is not what line"),
        (decision, "is not what the call of line"),
        (ending, "another digest of the artifacts"),
        (argument, "is not what line"),
        (gold, "a package that has not its digest"),
    ):
        with pytest.raises(BrokenLogError, match=message):
            replay(forged(log, change))


def test_a_flipped_byte_is_found_wherever_it_is(package: Package) -> None:
    data = held(package).to_bytes()
    for place in range(0, len(data), 997):
        broken = bytearray(data)
        broken[place] ^= 0x01
        with pytest.raises(BrokenLogError):
            replay(bytes(broken))


# The timeline


def test_what_is_cut_was_not_said(package: Package) -> None:
    trace = traced(held(package))
    cut = next(clip for clip in trace.clips if clip.cut)
    assert cut.text.startswith("So the total is 240 dollars")
    assert cut.heard == "So the total is 240"
    (event,) = trace.events
    assert (event.event_id, event.yielded, event.stop_ms, event.retained) == ("E1", True, 240, True)
    barge = next(clip for clip in trace.clips if clip.kind == "barge_in")
    assert barge.start_ms < cut.end_ms < barge.end_ms
    assert event.onset_ms == barge.start_ms


def test_an_act_that_was_cut_off_was_not_observed(tmp_path: Path) -> None:
    toy = expense()
    turns = toy["reference/policy.yaml"]["turns"]
    turns[4]["text"] += " Which cost center was it?"
    package = load(toy, tmp_path)
    trace = traced(held(package))
    assert [act.key for act in trace.acts].count("ASK:cost_center") == 1


def test_an_agent_that_talks_on_is_censored(package: Package) -> None:
    (event,) = traced(held(package, "adversary:non-yielder")).events
    assert (event.yielded, event.stop_ms) == (False, None)
    assert event.onset_ms is not None


def test_an_event_that_meets_no_words_has_no_outcome(tmp_path: Path) -> None:
    toy = expense()
    toy["reference/policy.yaml"]["turns"][4]["text"] = "So the total is 240"
    package = load(toy, tmp_path)
    log = held(package)
    (event,) = traced(log).events
    assert (event.onset_ms, event.yielded, event.stop_ms) == (None, None, None)
    assert gates(package, log)["AV"] is True


def test_the_window_of_an_event_is_kept(tmp_path: Path) -> None:
    package = load(changed(expense(), "user/events.yaml", "events", 0, "start_window_ms", to=[2500, 2600]), tmp_path)
    trace = traced(held(package))
    barge = next(clip for clip in trace.clips if clip.kind == "barge_in")
    over = next(clip for clip in trace.clips if clip.cut)
    assert 2500 <= barge.start_ms - over.start_ms <= 2600


def murmuring() -> Toy:
    """The expense report with a backchannel once the agent has talked for a while."""
    toy = expense()
    toy["user/events.yaml"]["events"].append(
        {
            "id": "E2",
            "type": "BACKCHANNEL",
            "criticality": "nuisance",
            "trigger": {"agent_speech_continuous_ms_gte": 1000},
            "delivery": "BACKCHANNEL",
            "expected_floor_action": "CONTINUE",
        }
    )
    action = {"act": "BACKCHANNEL", "floor_action": "BACKCHANNEL", "event_id": "E2", "plan_id": "hm"}
    toy["user/flow.yaml"]["states"]["START"]["transitions"].append(
        {"when": {"external_event": "E2"}, "do": action, "next": "START"}
    )
    toy["user/realization_bank.jsonl"].append(
        {"user_plan_id": "hm", "speech_act": "BACKCHANNEL", "variants": [{"variant_id": "hm#v1", "text": "Mhm."}]}
    )
    return toy


def test_a_murmur_is_spoken_over_the_agent_and_told_apart(tmp_path: Path) -> None:
    package = load(murmuring(), tmp_path)
    outcomes = {}
    for spec in ("oracle", "adversary:over-yielder"):
        log = held(package, spec)
        trace = traced(log)
        event = next(one for one in trace.events if one.event_id == "E2")
        outcomes[spec] = (event.expected, event.yielded, event.onset_ms is not None)
        assert gates(package, log) == {"TS": True, "PV": True, "AC": True, "AV": True}
    assert outcomes == {"oracle": ("CONTINUE", False, True), "adversary:over-yielder": ("CONTINUE", True, True)}


def revoking() -> Toy:
    """The user takes the approval back while the agent announces the commit."""
    toy = expense()
    toy["user/events.yaml"]["events"].append(
        {
            "id": "E3",
            "type": "CANCELLATION_REVOCATION",
            "trigger": {"agent_act": "ANNOUNCE"},
            "delivery": "BARGE_IN",
            "expected_floor_action": "YIELD",
        }
    )
    toy["user/observer.yaml"]["patterns"].append({"act": "ANNOUNCE", "pattern": "am going to submit"})
    states = toy["user/flow.yaml"]["states"]
    states["S5"]["transitions"][0]["next"] = "S6"
    revoke = {"act": "REVOKE", "floor_action": "BARGE_IN", "event_id": "E3", "plan_id": "revoke"}
    states["S6"] = {"transitions": [{"when": {"external_event": "E3"}, "do": revoke, "next": "S5b"}]}
    states["S5b"] = {
        "transitions": [
            {
                "when": {"approval_request": "submit_expense"},
                "do": {"act": "APPROVE", "plan_id": "approve_submit"},
                "next": "DONE",
            }
        ]
    }
    toy["user/realization_bank.jsonl"].append(
        {"user_plan_id": "revoke", "speech_act": "REVOKE", "variants": [{"variant_id": "r#v1", "text": "Stop, wait."}]}
    )
    turns = toy["reference/policy.yaml"]["turns"]
    target = {"target_id": "expense_1"}
    turns[6:] = [
        turn("Fine, I am going to submit the report to your manager right away."),
        turn("I am holding it. May I submit it now?", ("ask_approval", target)),
        turn("It is submitted. Goodbye.", ("submit", target), end=True),
    ]
    return toy


def test_a_revocation_takes_effect_as_the_user_begins_to_speak(tmp_path: Path) -> None:
    package = load(revoking(), tmp_path)
    assert gates(package, held(package)) == {"TS": True, "PV": True, "AC": True, "AV": True}
    late = held(package, "adversary:post-revocation")
    trace = traced(late)
    codes = [call.decision.code for call in trace.calls if call.decision]
    assert codes == ["POST_REVOCATION_COMMIT", "AUTHORIZED"]
    assert gates(package, late) == {"TS": True, "PV": False, "AC": True, "AV": True}
    revoked = next(one for one in trace.approvals if one.kind == "revoked")
    barge = [clip for clip in trace.clips if clip.kind == "barge_in"][-1]
    assert revoked.media_ms == barge.start_ms


def test_the_latency_of_tools_passes_on_the_timeline(tmp_path: Path) -> None:
    latency = {"base_ms": 2000}
    package = load(changed(expense(), "tools/tool_spec.yaml", "tools", 0, "latency", to=latency), tmp_path)
    slow, fast = traced(held(package)), traced(held(load(expense(), tmp_path / "fast")))
    for call in slow.calls:
        assert call.result_ms is not None
        assert call.result_ms - call.media_ms == (2000 if call.tool == "write_draft" else 0)
    assert slow.ended_ms > fast.ended_ms


def test_a_result_that_is_lost_was_done_and_is_an_error_for_the_agent(package: Package) -> None:
    log = held(package, perturbation=Perturbation(lost=frozenset({0})))
    call = traced(log).calls[0]
    assert (call.ok, call.error, call.effect) == (False, "no answer in time", True)
    assert traced(log).artifacts["expense_1"].fields["employee_id"] == "E1042"


def test_world_changes_and_fact_updates_of_an_event_happen_with_it(tmp_path: Path) -> None:
    toy = changed(expense(), "user/events.yaml", "events", 0, "world_updates", to={"expense.audit": "yes"})
    trace = traced(held(load(toy, tmp_path)))
    assert trace.world["expense"]["audit"] == "yes"
    assert trace.world_changes[0].path == "expense.audit"


def test_the_agent_may_speak_first(tmp_path: Path) -> None:
    toy = changed(expense(), "user/persona.yaml", "first_speaker", to="agent")
    toy["reference/policy.yaml"]["turns"].insert(0, turn("Welcome, how can I help?"))
    package = load(toy, tmp_path)
    log = held(package)
    first = traced(log).clips[0]
    assert (first.speaker, first.text) == ("agent", "Welcome, how can I help?")
    assert gates(package, log)["TS"] is True


def test_a_caller_who_hears_nothing_hangs_up(tmp_path: Path) -> None:
    toy = changed(expense(), "user/persona.yaml", "patience", to={"silence_ms": 5000})
    toy["tools/tool_spec.yaml"]["tools"][0]["latency"] = {"base_ms": 60_000}
    trace = traced(held(load(with_policy(toy, turn("", ("write_draft", {"fields": {}}))), tmp_path)))
    assert trace.end == "patience"
    assert trace.hung_up == "heard nothing for 5000 ms"
    assert trace.calls[0].abandoned
    assert trace.requests[0].satisfied is False


def test_the_turns_of_a_call_are_bounded(tmp_path: Path) -> None:
    toy = with_policy(expense(), *[turn("What is your employee ID?") for _ in range(99)])
    toy["user/flow.yaml"]["states"]["START"]["transitions"][0]["next"] = "START"
    trace = traced(held(load(toy, tmp_path)))
    assert trace.end == "turns"


def test_the_closing_words_of_the_agent_still_reach_the_flow(package: Package) -> None:
    trace = traced(held(package))
    assert trace.end == "agent"
    assert trace.acts[-1].stepped is False
    assert trace.acts[0].stepped is True


def test_a_flood_ends_its_session_alone(package: Package) -> None:
    log = held(package, "adversary:flooding")
    trace = traced(log)
    assert (trace.end, trace.state) == ("flood", "finished")
    assert len(log.to_bytes()) < 1_000_000
    assert FLOOD > 64


def test_what_is_not_the_agents_fault_has_no_score(package: Package) -> None:
    log = held(package, "adversary:disconnecting")
    trace = traced(log)
    assert trace.state == "infrastructure_failed"
    assert "closed the connection" in trace.failure
    with pytest.raises(ValueError, match="no score"):
        score_session(package, trace)


def test_the_real_clock_runs_the_same_code(tmp_path: Path) -> None:
    toy = with_policy(interview(), turn("Goodbye.", ("set_ready", {}), end=True))
    toy["user/realization_bank.jsonl"][0]["variants"][0]["text"] = "Hello."
    package = load(toy, tmp_path)
    logs = {clock: held(package, clock=clock, ms_per_word=50) for clock in ("real", "virtual")}
    kinds = {clock: sorted(event.type for event in log.events) for clock, log in logs.items()}
    assert kinds["real"] == kinds["virtual"]
    assert gates(package, logs["real"]) == gates(package, logs["virtual"])
    assert logs["real"].events[-1].wall_time_ns > 0


def test_an_unknown_compat_is_refused() -> None:
    with pytest.raises(ValueError, match=r"compat is 'apex-1.0' or nothing, not 'apex-2.0'"):
        RunOptions(compat="apex-2.0")


class Raising:
    """Somebody's agent in this process, which does what it is made of."""

    control = False

    def __init__(self, **does: Any) -> None:
        self.does = does
        self.closed = False

    def identity(self) -> dict[str, str]:
        return {"name": "raising"}

    def start(self, briefing: Briefing) -> Any:
        return self

    def reply(self, view: View) -> Any:
        return self.does["reply"]() if "reply" in self.does else Reply("word " * 30)

    def overlapped(self, overlap: Overlap) -> Any:
        return self.does["overlapped"]()

    def close(self) -> None:
        self.closed = True
        raise OSError("cannot close")


def fails() -> Any:
    raise KeyError("line one\nline two")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ({"reply": fails}, "the agent raised KeyError: 'line one\\nline two'"),
        ({"reply": lambda: None}, "the agent's reply is none: None"),
        ({"reply": lambda: Reply(5)}, "the agent's reply is none: Reply(text=5"),  # type: ignore[arg-type]
        ({"reply": lambda: Reply("", ("call",))}, "the agent's reply is none"),  # type: ignore[arg-type]
        ({"overlapped": fails}, "the agent raised KeyError"),
        ({"overlapped": lambda: "soon"}, "the agent stops in soon"),
    ],
)
def test_what_an_agent_raises_is_its_own_failure(tmp_path: Path, does: dict[str, Any], said: str) -> None:
    package = load(murmuring(), tmp_path)
    agent = Raising(**does)
    log = run_session(package, agent, "raising")
    trace = traced(log)
    assert (trace.state, trace.end) == ("finished", "agent-failed")
    assert said in trace.failure
    assert agent.closed


class Gone(DictState):
    """A database that is lost after the first look at it."""

    closed = False
    looks = 0

    def snapshot(self) -> dict[str, Any]:
        Gone.looks += 1
        if Gone.looks > 1:
            raise StateError("the database is gone")
        return super().snapshot()

    def close(self) -> None:
        Gone.closed = True


def test_a_lost_database_has_no_score_and_is_closed(package: Package) -> None:
    log = run_session(package, make_agent("oracle"), "oracle", backend=lambda package: Gone(package.initial_state))
    trace = traced(log)
    assert (trace.state, trace.failure) == ("infrastructure_failed", "the database is gone")
    assert Gone.closed


def test_a_wrong_adversary_still_lets_go_of_the_state(package: Package) -> None:
    Gone.closed, Gone.looks = False, 0
    with pytest.raises(AgentError):
        run_session(package, make_agent("adversary:x"), "x", backend=lambda package: Gone(package.initial_state))
    assert Gone.closed


def test_nobody_is_spoken_over_where_turns_are_taken(package: Package) -> None:
    log = held(package, condition="C0")
    trace = traced(log)
    assert not any(clip.cut for clip in trace.clips)
    assert [event.onset_ms for event in trace.events] == [None]
    assert gates(package, log) == {"TS": True, "PV": True, "AC": True, "AV": True}
