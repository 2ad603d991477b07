"""Agents that follow a trajectory of a package: the oracle, and any script of the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    AgentFailedError,
    Briefing,
    Call,
    PoliteTalker,
    Reply,
    Talker,
    View,
)
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError, read_source
from pytest_talk2agent.workflows.package.work import Policy, PolicyTurn
from pytest_talk2agent.workflows.stable import digest_of

THINK_MS = 300


class PolicyTalker(PoliteTalker):
    """Takes one turn of a trajectory for every turn of the conversation.

    A turn without words goes on with the next one once its tools are done. After the last it hangs up.
    """

    def __init__(self, turns: Sequence[PolicyTurn]) -> None:
        self._turns = list(turns)
        self._next = 0
        self._waits = True

    def reply(self, view: View) -> Reply:
        """The next turn."""
        if view.user_text is None and self._waits and self._next:
            return Reply(think_ms=0)
        if self._next >= len(self._turns):
            return Reply(end_call=True, think_ms=THINK_MS)
        turn = self._turns[self._next]
        self._next += 1
        self._waits = bool(turn.text.strip())
        calls = tuple(
            Call(f"c{self._next}.{number}", call.name, dict(call.args))
            for number, call in enumerate(turn.tool_calls, 1)
        )
        return Reply(turn.text, calls, turn.end_call, THINK_MS)


class Oracle:
    """``oracle``: the package's own reference trajectory."""

    control = True

    def identity(self) -> Mapping[str, str]:
        """Its name; what it does is a part of the package."""
        return {"name": "oracle"}

    def start(self, briefing: Briefing) -> Talker:
        """Begin; raises AgentFailedError for a package without a reference."""
        return PolicyTalker(policy_of(briefing.package).turns)


class Silent:
    """``silent``: says and does nothing."""

    control = False

    def identity(self) -> Mapping[str, str]:
        """Its name."""
        return {"name": "silent"}

    def start(self, briefing: Briefing) -> Talker:
        """Begin."""
        return _SilentTalker()


class _SilentTalker(PoliteTalker):
    def reply(self, view: View) -> Reply:
        return Reply(think_ms=THINK_MS)


class Scripted:
    """``scripted:FILE``: a trajectory in a file of the form of `reference/policy.yaml`.

    Raises:
        AgentError: for a file that is none.
    """

    control = False

    def __init__(self, path: Path) -> None:
        self._policy = read_policy(path)

    def identity(self) -> Mapping[str, str]:
        """Its name, and the SHA-256 of what the file says."""
        return {"name": "scripted", "script_sha256": digest_of(self._policy.plain())}

    def start(self, briefing: Briefing) -> Talker:
        """Begin."""
        return PolicyTalker(self._policy.turns)


def policy_of(package: Package | None) -> Policy:
    """The reference of a package; raises AgentFailedError where it has none."""
    if package is None or package.policy is None:
        raise AgentFailedError("the package has no reference/policy.yaml to follow")
    return package.policy


def read_policy(path: Path) -> Policy:
    """A trajectory in a file; raises AgentError, with every fault, for a file that is none."""
    try:
        source = read_source(path)
        policy = source.validate(Policy)
        if policy is None:
            raise PackageError(source.problems)
    except PackageError as error:
        raise AgentError(f"agent scripted: {error}") from None
    return policy
