"""The table of what each adapter can do, made of its `Abilities`: the documentation prints it, and a test compares.

Short, and a file of its own: the protocol says nothing of how it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_talk2agent.workflows.agents.voice import Abilities

HEAD = (
    "agent",
    "clock",
    "who yields",
    "told what was heard",
    "gives its words",
    "tool calls",
    "ends calls",
    "turns end",
    "greets",
    "a stored session",
)


def ability_rows(agents: Mapping[str, Abilities]) -> list[tuple[str, ...]]:
    """One row for each agent, in the order given, under `HEAD`."""
    return [
        (
            f"`{name}`",
            "virtual, real" if one.virtual else "real",
            one.yields,
            "yes" if one.truncates else "no",
            "yes" if one.words else "no: `--t2a-listener`",
            "through the session" if one.calls == "session" else "posted by the agent",
            "yes" if one.ends else "no",
            "told" if one.finishes else "by silence",
            "always" if one.greets else "as the package says",
            "stands for the next run" if one.kept else "does not: it is called again",
        )
        for name, one in agents.items()
    ]


def ability_table(agents: Mapping[str, Abilities]) -> str:
    """The table in Markdown, with a line end after each row."""
    rows = [HEAD, ("---",) * len(HEAD), *ability_rows(agents)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
