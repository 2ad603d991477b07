"""Sessions over faulty servers: each fault of a protocol in a whole session, and what came of it.

A protocol is a row of `PROTOCOLS`: how its server is started with a trial, and which trials it has. Another one is
another row.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.audio.ports import Limits, SoundOptions
from pytest_talk2agent.workflows.audio.stand_in import StandIn
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session import run as run_module
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from tests.workflows.lines.brain import follows
from tests.workflows.lines.clerk import Clerk, Known, SocketClerk, StreamClerk, clerk
from tests.workflows.lines.clerk import Fault as ClerkFault
from tests.workflows.lines.deployed_faults import ENDS
from tests.workflows.lines.deployed_faults import faults_of as clerk_faults
from tests.workflows.lines.fast_clock import SPEED, FastClock
from tests.workflows.lines.faults import Fault, floods, line_faults
from tests.workflows.lines.gemini_server import GeminiServer
from tests.workflows.lines.handshakes import HANDSHAKES, Answer, answering
from tests.workflows.lines.pitch import ear_of, wits_of
from tests.workflows.lines.realtime_server import RealtimeServer
from tests.workflows.lines.server import serving
from tests.workflows.lines.tls import certificate, server_side
from tests.workflows.lines.twists import GEMINI, REALTIME, Twist, Wanted

WALL_LIMIT = 60.0
"""Seconds that a session with a fault may take; without one it takes a fifth of that."""
SOUND = SoundOptions(
    clips=lambda package, condition: StandIn(amplitude=0.3),
    limits=Limits(connect=20_000, first_audio=30_000, silence=30_000, call=120_000),
)
MOST_LATE_MS = 100
"""How far behind its clock a session may be that says something; such a clock runs faster than hosts are made for."""
MOST_HELD = 3
_MAKING = threading.Lock()
CLERK_WANTED: dict[str, Wanted] = {
    **dict.fromkeys(("empty", "unknown-event", "no-payload", "marks"), "harmless"),
    **dict.fromkeys(("slow", "one-byte", "clears", "mute", "half-open@call"), "any"),
}
"""Of what a deployed agent may do without ending the call; what is not named fails the session.

The user prompts a mute one, and has nothing to wait for once the work is done.
"""
LIMITS = "connect=3&first_audio=10&silence=8&attempts=2"


@dataclass(frozen=True)
class Trial:
    """One fault, and what must come of it."""

    name: str
    wanted: Wanted
    fault: Fault | None = None
    twist: Callable[[], Twist] | None = None
    answer: Answer | None = None
    yields: bool = True
    speed: float = 40.0
    clerk: ClerkFault | None = None

    @property
    def server(self) -> dict[str, Any]:
        """What the server is told of it."""
        twist = self.twist() if self.twist is not None else None
        return {"fault": self.fault, "twist": twist, "yields": self.yields, "speed": self.speed, "onset_ms": 400}


@dataclass(frozen=True)
class Protocol:
    """A protocol: its trials, and its server; ``serve`` gives the spec of the agent to call.

    ``heard``: the agent gives no words, so something has to hear it.
    """

    name: str
    serve: Callable[[Trial, Package], AbstractContextManager[str]]
    trials: Sequence[Trial]
    heard: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a trial. ``wrong`` is empty where that is what must."""

    protocol: str
    trial: str
    wanted: str
    state: str
    end: str
    phase: str
    failure: str
    success: bool | None
    seconds: float
    late_ms: float
    wrong: str


def hold(protocol: Protocol, trial: Trial, package: Package) -> Outcome:
    """A whole session over the faulty server, by a clock that runs `SPEED` times as fast.

    Where the outcome is wrong and the host fell behind that clock, the session says nothing and is held again.
    """
    for _ in range(MOST_HELD):
        outcome = _hold(protocol, trial, package)
        if not outcome.wrong or outcome.late_ms <= MOST_LATE_MS:
            break
    return outcome


def _hold(protocol: Protocol, trial: Trial, package: Package) -> Outcome:
    run_module.RealClock = FastClock  # type: ignore[attr-defined]
    began = time.monotonic()
    state = end = phase = failure = ""
    success = None
    late = 0.0
    try:
        with protocol.serve(trial, package) as spec:
            sound = replace(SOUND, listener=ear_of(package), listener_id="pitch") if protocol.heard else SOUND
            log = run_session(package, make_agent(spec), spec, RunOptions(clock="real", condition="C1"), sound=sound)
        ending = dict(log.events[-1].payload)
        state, end, phase = ending["state"], ending["end"], ending.get("fault", "")
        failure, late = ending["failure"], ending.get("pacing", {}).get("max_ms", 0.0)
        if state == "finished":
            success = score_session(package, trace_of(replay(log.to_bytes()))).mended.success
    except Exception as error:
        state, failure = "crashed", f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - began
    wrong = _wrong(trial.wanted, state, end, success, phase, seconds)
    shown = " ".join(failure.split())
    return Outcome(protocol.name, trial.name, trial.wanted, state, end, phase, shown, success, seconds, late, wrong)


def _wrong(wanted: Wanted, state: str, end: str, success: bool | None, phase: str, seconds: float) -> str:
    if seconds > WALL_LIMIT:
        return f"it took {seconds:.0f} s"
    if state == "crashed":
        return "it crashed the run"
    if state == "infrastructure_failed" and not phase:
        return "no phase is named"
    if wanted == "infrastructure" and state != "infrastructure_failed":
        return "a failure of the infrastructure became a score"
    if wanted == "harmless" and not success:
        return "a harmless event changed the outcome"
    if wanted == "agent" and state != "finished":
        return "a fault of the agent cost no score"
    return ""


def trials(twists: dict[str, tuple[Callable[[], Twist], Wanted]]) -> list[Trial]:
    """The trials of a protocol: those that all have, and its own."""
    found = [Trial("none", "harmless")]
    found += [Trial(f"handshake-{name}", "infrastructure", answer=answer) for name, answer in HANDSHAKES.items()]
    found += [Trial(fault.name, "infrastructure", fault) for fault in line_faults()]
    found += [Trial(name, wanted, twist=twist) for name, (twist, wanted) in twists.items()]
    found += [
        Trial("unknown-flood@audio", "any", Fault("flood", "audio", floods)),
        Trial("never-yields", "agent", yields=False),
        Trial("slow-sound", "any", speed=1.0),
    ]
    return found


def clerk_trials(kind: type[Clerk]) -> list[Trial]:
    """The trials of a deployed agent behind a protocol."""
    found = [Trial("none", "harmless")]
    found += [Trial(f"handshake-{name}", "infrastructure", answer=answer) for name, answer in HANDSHAKES.items()]
    for fault in clerk_faults(kind):
        name = fault.name.partition("@")[0]
        known = CLERK_WANTED.get(name) or CLERK_WANTED.get(fault.name)
        wanted: Wanted = "agent" if name in ENDS else known or "infrastructure"
        found.append(Trial(fault.name, wanted, clerk=fault))
    return found


@contextmanager
def _clerk(name: str, kind: type[Clerk], trial: Trial, package: Package) -> Iterator[str]:
    options = "#health=none&connect=3"
    if trial.answer is not None:
        with answering(trial.answer) as port:
            yield f"{name}:ws://127.0.0.1:{port}/voice{options}"
        return
    wits = wits_of(package, trial.clerk, pace=2.0 * SPEED)
    with serving(clerk(kind, wits, Known()), pings=False) as port:
        yield f"{name}:ws://127.0.0.1:{port}/voice{options}"


@contextmanager
def _realtime(form: str, trial: Trial, package: Package) -> Iterator[str]:
    options = f"form={form}&{LIMITS}"
    if trial.answer is not None:
        with answering(trial.answer) as port:
            yield f"openai-realtime:test?base_url=http://127.0.0.1:{port}/v1&{options}"
        return
    server = RealtimeServer(follows(package), form=form, **trial.server)
    with serving(server) as port:
        yield f"openai-realtime:test?base_url=http://127.0.0.1:{port}/v1&{options}"
    assert server.wrong == [], server.wrong


@contextmanager
def _gemini(trial: Trial, package: Package) -> Iterator[str]:
    path = _certificate()
    if trial.answer is not None:
        with answering(trial.answer, server_side(path)) as port:
            yield f"gemini-live:test?base_url=https://127.0.0.1:{port}&{LIMITS}"
        return
    server = GeminiServer(follows(package), **trial.server)
    with serving(server, tls=server_side(path)) as port:
        yield f"gemini-live:test?base_url=https://127.0.0.1:{port}&{LIMITS}"
    assert server.wrong == [], server.wrong


def _certificate() -> Path:
    """The certificate of this process, which trusts it from here on."""
    with _MAKING:
        return _made()


@cache
def _made() -> Path:
    path = certificate(Path(tempfile.mkdtemp(prefix="t2a-tls-")))
    os.environ["SSL_CERT_FILE"] = str(path)
    return path


PROTOCOLS: tuple[Protocol, ...] = (
    Protocol("openai-realtime ga", lambda trial, package: _realtime("ga", trial, package), trials(REALTIME)),
    Protocol("openai-realtime beta", lambda trial, package: _realtime("beta", trial, package), trials(REALTIME)),
    Protocol("gemini-live", _gemini, trials(GEMINI)),
    Protocol("voice-ws", partial(_clerk, "voice-ws", SocketClerk), clerk_trials(SocketClerk), heard=True),
    Protocol("media-stream", partial(_clerk, "media-stream", StreamClerk), clerk_trials(StreamClerk), heard=True),
)
