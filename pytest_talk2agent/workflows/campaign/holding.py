"""Sessions are held: run, logged, proved from the log alone, scored, and kept, so that no session is held twice.

The score is that of the log: what the session left in memory is thrown away. A session that the infrastructure lost is
tried again, and kept as lost after the last try; a later run tries it anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pytest_talk2agent.results.ledger import Ledger
from pytest_talk2agent.results.store import content_key, write_whole
from pytest_talk2agent.workflows.agents.protocol import Agent
from pytest_talk2agent.workflows.agents.voice import VoiceAgent
from pytest_talk2agent.workflows.audio.calibration import Calibration, calibrate
from pytest_talk2agent.workflows.audio.ports import SoundOptions
from pytest_talk2agent.workflows.campaign.call_record import CallRecord
from pytest_talk2agent.workflows.campaign.record import SessionKey, SessionRecord, record_session
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.judge import FieldJudge
from pytest_talk2agent.workflows.session.contracts import violations
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import MakeBackend, RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of

ATTEMPTS = 3
PAUSES = (1.0, 2.0)
"""Seconds before the second and the third try: clients of servers wait by themselves before they give up."""


@dataclass(frozen=True)
class NamedAgent:
    """An agent under the label that results are grouped by, and the spec that named it."""

    label: str
    spec: str
    agent: Agent | VoiceAgent

    @property
    def sha256(self) -> str:
        """SHA-256 of all that can change what it does."""
        return content_key(dict(self.agent.identity()))

    @property
    def kept(self) -> bool:
        """Whether an earlier session with it stands for a new one."""
        return not isinstance(self.agent, VoiceAgent) or self.agent.abilities.kept


@dataclass
class Holder:
    """Holds the sessions of a run.

    ``folder`` keeps records and logs; any number of processes may share it. ``frozen`` holds nothing anew.
    ``backend`` makes the state behind the tools of a package. ``sound`` is how agents with a voice are called, and
    ``condition`` in what; their calls are recorded beside the logs. Before the first call by the clock on the wall
    ``calibrate`` says how exactly this host measures.
    """

    folder: Path
    judge: FieldJudge = field(default_factory=FieldJudge)
    options: RunOptions = field(default_factory=RunOptions)
    backend: MakeBackend | None = None
    frozen: bool = False
    refresh: bool = False
    attempts: int = ATTEMPTS
    pause: Callable[[float], None] = time.sleep
    sound: SoundOptions | None = None
    calibrate: Callable[[], Calibration] = calibrate
    condition: Literal["C1", "C2", "C3"] = "C2"

    def __post_init__(self) -> None:
        self._calibration: Calibration | None = None
        self._ledger: Ledger[SessionRecord] = Ledger(self.folder, SessionRecord.from_json, "sessions")

    @property
    def rejected(self) -> list[str]:
        """One line for each kept line that is no whole record."""
        return self._ledger.rejected

    def key(self, package: Package, agent: NamedAgent, repetition: int) -> SessionKey:
        """What a session is."""
        return SessionKey(
            package=package.id,
            package_sha256=package.digest,
            agent=agent.label,
            agent_sha256=agent.sha256,
            repetition=repetition,
            seed=self.options.seed,
            clock=self._options(agent).clock,
            scoring=f"{self.judge.fingerprint}+{self.options.compat}"
            if self.options.compat
            else self.judge.fingerprint,
            sound=self._sound_of(agent),
        )

    @property
    def records(self) -> list[SessionRecord]:
        """All that is kept: one record a session."""
        return self._ledger.records()

    def next_repetition(self, package: Package, agent: NamedAgent) -> int:
        """The first repetition of a session that has no result yet."""
        repetition = 0
        while self._ledger.finished(self.key(package, agent, repetition)) is not None:
            repetition += 1
        return repetition

    @property
    def logs(self) -> Path:
        """The folder of the logs."""
        return self.folder / "logs"

    def log_path(self, key: SessionKey) -> Path:
        """Where the log of a session is kept."""
        return self.logs / key.file

    def hold(self, package: Package, agent: NamedAgent, repetition: int, file: str = "") -> tuple[SessionRecord, bool]:
        """The record of a session, and whether an earlier run has held it.

        Raises:
            LookupError: where the run is frozen and no record is kept.
            ValueError: for a package whose persona or assertions are wrong.
            OSError: where the folder cannot be used.
        """
        key = self.key(package, agent, repetition)
        with self._ledger.claim(key) as known:
            anew = self.refresh or not (agent.kept or self.frozen)
            if known is not None and not anew and self.log_path(key).exists():
                return known, True
            if self.frozen:
                raise LookupError(f"frozen: {package.id} by {agent.label}, repetition {repetition + 1}, was never held")
            record = self._held(key, package, agent, file)
            self._ledger.append(record)
            return record, False

    def _held(self, key: SessionKey, package: Package, agent: NamedAgent, file: str) -> SessionRecord:
        options = replace(self._options(agent), repetition=key.repetition)
        path = self.log_path(key)
        sound = replace(self.sound, recording=path.with_suffix(".flac")) if key.sound and self.sound else None
        if sound is not None and options.clock == "real":
            self._calibration = self._calibration or self.calibrate()
            sound = replace(sound, calibration=self._calibration.plain())
        faults: list[str] = []
        for attempt in range(1, self.attempts + 1):
            log = run_session(package, agent.agent, agent.spec, options, backend=self.backend, sound=sound)
            write_whole(path, log.to_bytes().decode("ascii"))
            done = replay(log.to_bytes())
            trace = trace_of(done)
            faults.append(done.ending.get("fault", ""))
            if trace.state == "finished" or attempt == self.attempts:
                scores = score_session(package, trace, self.judge) if trace.state == "finished" else None
                return record_session(
                    key,
                    package,
                    trace,
                    scores,
                    contracts=tuple(f"{one.contract}: {one.detail}" for one in violations(package, trace)),
                    file=file,
                    log=path.relative_to(self.folder).as_posix(),
                    attempts=attempt,
                    call=CallRecord.of(
                        done.start, done.ending, path.parent.relative_to(self.folder).as_posix(), faults
                    ),
                )
            self.pause(PAUSES[min(attempt, len(PAUSES)) - 1])
        raise AssertionError("there is at least one attempt")

    def _sound_of(self, agent: NamedAgent) -> str:
        """How an agent with a voice is called, in one line; empty for another."""
        if self.sound is None or not isinstance(agent.agent, VoiceAgent):
            return ""
        return f"{self.condition}; {self.sound.label}"

    def _options(self, agent: NamedAgent) -> RunOptions:
        """How an agent's sessions are run: one that takes real time is held by the real clock."""
        made = agent.agent
        if not isinstance(made, VoiceAgent):
            return self.options
        clock = self.options.clock if made.abilities.virtual else "real"
        return replace(self.options, clock=clock, condition=self.condition)
