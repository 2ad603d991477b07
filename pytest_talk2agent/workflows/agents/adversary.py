"""``adversary:NAME``: an agent that goes wrong in one known way, to show that the package notices.

A package may have trajectories of its own (`reference/adversaries/NAME.yaml`), which come first. The others follow the
reference and sabotage it, or behave in a way that no trajectory has.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_talk2agent.workflows.agents.policy import THINK_MS, PolicyTalker, policy_of
from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    Briefing,
    Call,
    InfrastructureError,
    Overlap,
    Reply,
    Talker,
    View,
)
from pytest_talk2agent.workflows.agents.sabotage import SABOTAGE
from pytest_talk2agent.workflows.package.package import Package

FALSE_STOP_MS = 60
FLAKY_PERIOD = 3
FLOOD = 500


class _OverYielder(PolicyTalker):
    """Stops at every sound, and then says it again."""

    _murmured = False
    _last = ""

    def overlapped(self, overlap: Overlap) -> int | None:
        self._murmured = overlap.kind == "backchannel"
        return FALSE_STOP_MS

    def reply(self, view: View) -> Reply:
        if self._murmured and view.interrupted is not None:
            self._murmured = False
            return Reply(self._last, think_ms=THINK_MS)
        reply = super().reply(view)
        self._last = reply.text or self._last
        return reply


class _NonYielder(PolicyTalker):
    """Talks on, whoever speaks."""

    def overlapped(self, overlap: Overlap) -> int | None:
        return None


class _Disconnecting(PolicyTalker):
    """Is gone in the middle of the call, by no fault of its own."""

    def reply(self, view: View) -> Reply:
        if view.turn > 0:
            raise InfrastructureError("agent adversary:disconnecting: the server closed the connection")
        return super().reply(view)


class _Flooding(PolicyTalker):
    """Calls tools and talks without end."""

    def reply(self, view: View) -> Reply:
        calls = tuple(Call(f"f{view.turn}.{number}", "flood", {"n": number}) for number in range(FLOOD))
        return Reply("and " * 50_000, calls, think_ms=0)


_TALKERS: dict[str, type[PolicyTalker]] = {
    "over-yielder": _OverYielder,
    "non-yielder": _NonYielder,
    "disconnecting": _Disconnecting,
    "flooding": _Flooding,
}
BUILT_IN = (*SABOTAGE, *_TALKERS, "flaky")


class AdversaryAgent:
    """``adversary:NAME``."""

    control = True

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, str]:
        """Its name; what it does follows from the package."""
        return {"name": f"adversary:{self.name}"}

    def start(self, briefing: Briefing) -> Talker:
        """Begin; raises AgentError where the package has no such adversary, or nothing that could go wrong so."""
        package = briefing.package
        policy = policy_of(package)
        assert package is not None
        if self.name in package.adversaries:
            return PolicyTalker(package.adversaries[self.name].turns)
        if self.name in _TALKERS:
            return _TALKERS[self.name](policy.turns)
        if self.name == "flaky":
            failing = briefing.repetition % FLAKY_PERIOD == FLAKY_PERIOD - 1
            return PolicyTalker(policy.turns[:1] if failing else policy.turns)
        if self.name not in SABOTAGE:
            raise AgentError(
                f"agent adversary:{self.name}: {package.id} has none; there are {', '.join(known(package))}"
            )
        return PolicyTalker(SABOTAGE[self.name](package, list(policy.turns)))


def known(package: Package) -> list[str]:
    """The adversaries that a package can be tried with: its own, and the built-in ones."""
    return list(dict.fromkeys([*package.adversaries, *BUILT_IN]))
