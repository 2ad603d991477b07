from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.workflows.agents.adversary import BUILT_IN, known
from pytest_talk2agent.workflows.agents.policy import PolicyTalker, Silent
from pytest_talk2agent.workflows.agents.protocol import AgentError, AgentFailedError, Briefing, View
from pytest_talk2agent.workflows.agents.registry import AgentRegistry, make_agent, make_text_agent
from pytest_talk2agent.workflows.agents.sabotage import SABOTAGE
from pytest_talk2agent.workflows.session.run import run_session
from tests.workflows.toys import expense, interview, load, turn, write


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("oracel", "there is no such agent; did you mean oracle"),
        ("oracle:x", "oracle takes nothing after its name"),
        ("adversary", "write adversary:NAME"),
        ("scripted:nowhere.yaml", "cannot be read"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        make_agent(spec)


def test_an_agent_can_be_registered_once() -> None:
    registry = AgentRegistry()
    registry.register("mine", lambda text: Silent())
    assert make_agent("mine:x", registry).identity() == {"name": "silent"}
    assert "mine" in registry.names()
    for name in ("mine", "oracle"):
        with pytest.raises(AgentError, match="registered already"):
            registry.register(name, lambda text: Silent())


def test_a_script_is_a_trajectory_in_a_file(tmp_path: Path) -> None:
    write({"script.yaml": {"turns": [turn("Hello.", end=True)]}}, tmp_path)
    agent = make_agent(f"scripted:{tmp_path / 'script.yaml'}")
    log = run_session(load(interview(), tmp_path / "package"), agent, "scripted:script.yaml")
    assert [event.payload["text"] for event in log.events if event.type == "AGENT_TEXT"] == ["Hello."]
    write({"script.yaml": {"turns": [{"texts": "x"}]}}, tmp_path)
    with pytest.raises(AgentError, match=r"script.yaml:2:3: unknown key `texts`; did you mean `text`"):
        make_agent(f"scripted:{tmp_path / 'script.yaml'}")


def test_a_trajectory_waits_for_the_user_after_words_and_goes_on_after_tools_alone(tmp_path: Path) -> None:
    policy = load(expense(), tmp_path).policy
    assert policy is not None
    talker = PolicyTalker(policy.turns)
    first = talker.reply(View(0, 0, "Hi"))
    assert first.text == "Sure. What is your employee ID?"
    assert talker.reply(View(1, 0)).text == ""
    assert talker.reply(View(2, 0, "E1042")).calls[0].args == {"fields": {"employee_id": "E1042"}}


def test_an_oracle_needs_a_reference(tmp_path: Path) -> None:
    toy = expense()
    del toy["reference/policy.yaml"]
    package = load(toy, tmp_path)
    with pytest.raises(AgentFailedError, match=r"no reference/policy\.yaml"):
        make_text_agent("oracle").start(Briefing("", "", (), 1, 0, package))
    log = run_session(package, make_agent("oracle"), "oracle")
    assert log.events[-1].payload["end"] == "agent-failed"


def test_an_adversary_of_the_package_comes_first_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    toy = expense()
    toy["reference/adversaries/stale.yaml"] = {"turns": [turn("I do nothing.", end=True)], "fails": ["TS", "AC", "AV"]}
    package = load(toy, tmp_path)
    log = run_session(package, make_agent("adversary:stale"), "adversary:stale")
    assert [event.payload["text"] for event in log.events if event.type == "AGENT_TEXT"] == ["I do nothing."]
    assert set(known(package)) == set(BUILT_IN)
    with pytest.raises(AgentError, match="toy_form_001 has none; there are stale, right-but-not-rewritten"):
        run_session(package, make_agent("adversary:nobody"), "adversary:nobody")


def test_what_cannot_go_wrong_so_is_said(tmp_path: Path) -> None:
    package = load(interview(), tmp_path)
    assert package.policy is not None
    for name, sabotage in SABOTAGE.items():
        if name != "malformed":
            with pytest.raises(AgentError, match="the reference of toy_interview_001"):
                sabotage(package, list(package.policy.turns))


def test_the_flaky_one_fails_one_repetition_of_three(tmp_path: Path) -> None:
    package = load(expense(), tmp_path)
    talkers = [make_text_agent("adversary:flaky").start(Briefing("", "", (), 1, n, package)) for n in range(6)]
    lengths = [len(vars(talker)["_turns"]) for talker in talkers]
    assert lengths == [7, 7, 1, 7, 7, 1]
