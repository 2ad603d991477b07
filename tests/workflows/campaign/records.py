"""Records of sessions for tests: real scores of the expense toy, under other names."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

from pytest_talk2agent.workflows.campaign.record import SessionKey, SessionRecord, record_session
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from tests.workflows.scoring.sessions import RIGHT, finished, form
from tests.workflows.toys import expense, load

TRACES: dict[str, Trace] = {
    "passed": finished(),
    "failed": finished(**form(RIGHT | {"total_amount": 240})),
    "unjudged": finished(**form(RIGHT | {"trip_purpose": "to see a customer"})),
    "missing": finished(state="infrastructure_failed", failure="the server went away"),
}


@lru_cache(maxsize=1)
def _package() -> Package:
    return load(expense(), Path(mkdtemp()))


@lru_cache
def _of(outcome: str) -> SessionRecord:
    trace = TRACES[outcome]
    scores = score_session(_package(), trace) if trace.state == "finished" else None
    key = SessionKey(
        package="w",
        package_sha256="a" * 64,
        agent="x",
        agent_sha256="b" * 64,
        repetition=0,
        seed=1,
        clock="virtual",
    )
    return record_session(key, _package(), trace, scores)


def session(
    outcome: str, package: str = "w", repetition: int = 0, agent: str = "x", *, build: str = "b", sha: str = "a"
) -> SessionRecord:
    """A record of a session that came to ``outcome``."""
    one = _of(outcome)
    key = one.key.model_copy(
        update={
            "package": package,
            "repetition": repetition,
            "agent": agent,
            "agent_sha256": build * 64,
            "package_sha256": sha * 64,
        }
    )
    return one.model_copy(update={"key": key})


def sessions(table: dict[str, str], agent: str = "x", *, build: str = "b") -> list[SessionRecord]:
    """Records from a table: package to a letter a repetition (``p``, ``f``, ``u`` or ``m``)."""
    words = {name[0]: name for name in TRACES}
    return [
        session(words[letter], package, repetition, agent, build=build)
        for package, letters in table.items()
        for repetition, letter in enumerate(letters)
    ]


def items(records: list[SessionRecord]) -> dict[str, SessionRecord]:
    """Records by the names that items have."""
    return {f"{one.key.package}[{one.key.agent}-{one.key.repetition + 1}]": one for one in records}
