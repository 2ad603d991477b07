from __future__ import annotations

from pytest_talk2agent.workflows.agents.ability_table import HEAD, ability_table
from pytest_talk2agent.workflows.agents.policy import Oracle
from pytest_talk2agent.workflows.agents.spoken import Spoken
from pytest_talk2agent.workflows.agents.voice import Abilities


def test_every_ability_is_a_column() -> None:
    black_box = Abilities(
        virtual=False, yields="agent", truncates=False, words=False, calls="posted", ends=True, finishes=False
    )
    lines = ability_table({"spoken:AGENT": Spoken(Oracle()).abilities, "voice-ws:URL": black_box}).splitlines()
    assert [line.count("|") for line in lines] == [len(HEAD) + 1] * 4
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    package = "as the package says"
    assert cells == [
        ["`spoken:AGENT`", "virtual, real", "agent", "yes", "yes", "through the session", "yes", "told", package],
        [
            "`voice-ws:URL`",
            "real",
            "agent",
            "no",
            "no: `--t2a-listener`",
            *("posted by the agent", "yes", "by silence"),
            package,
        ],
    ]
