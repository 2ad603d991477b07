"""`run_session`: a package and an agent in, a log out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.workflows.agents.protocol import (
    Agent,
    Briefing,
    GuardedTalker,
    instructions,
)
from pytest_talk2agent.workflows.agents.voice import VoiceAgent
from pytest_talk2agent.workflows.caller.observer import Classifier
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.event import FORMAT, RunLabel
from pytest_talk2agent.workflows.session.log import EventLog
from pytest_talk2agent.workflows.session.options import COMPAT, DUPLEX, RunOptions
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.session import Session
from pytest_talk2agent.workflows.session.timeline import Clock, RealClock, Timeline, VirtualClock
from pytest_talk2agent.workflows.stable import stable_key
from pytest_talk2agent.workflows.state.backend import clock_of, open_state
from pytest_talk2agent.workflows.workbench.backend import StateBackend, StateError
from pytest_talk2agent.workflows.workbench.offer import offered
from pytest_talk2agent.workflows.workbench.workbench import Workbench

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.calling import Call
    from pytest_talk2agent.workflows.audio.ports import SoundOptions

__all__ = ["COMPAT", "MakeBackend", "RunOptions", "run_session"]

MakeBackend = Callable[[Package], StateBackend]


def run_session(
    package: Package,
    agent: Agent | VoiceAgent,
    spec: str,
    options: RunOptions | None = None,
    *,
    backend: MakeBackend | None = None,
    classifier: Classifier | None = None,
    sound: SoundOptions | None = None,
) -> EventLog:
    """Run one session to its end.

    An agent with a voice is called, and needs ``sound``; the others talk without any.

    ``spec`` is how the agent was named. ``backend`` makes what is behind the tools; by default that is what the package
    says, a database in memory or a dictionary. Whatever the agent does, a log comes back: its own fault ends the
    session and is scored as it stands; a fault of something else leaves the state ``infrastructure_failed``.

    Raises:
        ValueError: for a persona of another form than `package.manner` documents, a wrong `state/state.yaml`, or a
            voice agent that cannot be called so.
    """
    options = options or RunOptions()
    call = _call(package, agent, options, sound)
    identity = dict(agent.identity())
    key = stable_key(
        package.digest, spec, sorted(identity.items()), options.seed, options.repetition, options.condition
    )
    log = EventLog(RunLabel(key, package.task.version, options.condition))
    timeline = Timeline(_clock(options))
    try:
        state = (backend or open_state)(package)
    except StateError as error:
        return _failed_early(log, package, spec, identity, options, str(error))
    try:
        workbench = Workbench(package, seed=options.seed, backend=state, compat=options.compat is not None)
        scene = Scene(package, workbench, log, timeline, perturbation=options.perturbation, classifier=classifier)
        told = {"sound": call.plain()} if call is not None else {}
        _begin(log, package, spec, identity, options, workbench.state.snapshot(), classifier, told)
        if call is not None:
            ending = call.hold(scene, _briefing(scene, agent, options))
        else:
            assert not isinstance(agent, VoiceAgent), "it would be called"
            ending = _hold(scene, agent, options)
        digests = dict.fromkeys(("workspace_sha256", "world_sha256"), "")
        if ending["state"] == "finished":
            digests = dict(zip(digests, workbench.digest(), strict=True))
        scene.note("RUN_END", "harness", **ending, **digests)
    except StateError as error:
        return _failed_early(log, package, spec, identity, options, str(error))
    finally:
        state.close()
    return log


def _call(package: Package, agent: Agent | VoiceAgent, options: RunOptions, sound: SoundOptions | None) -> Call | None:
    """The call to an agent with a voice; None for one without."""
    if not isinstance(agent, VoiceAgent):
        return None
    from pytest_talk2agent.workflows.audio.calling import Call

    return Call(package, agent, options, sound)


def _hold(scene: Scene, agent: Agent, options: RunOptions) -> dict[str, Any]:
    """The conversation, from the first word to the last; how it ended."""
    with contextlib.ExitStack() as talk:

        def start() -> Session:
            talker = GuardedTalker(agent.start(_briefing(scene, agent, options)))
            talk.callback(talker.close)
            wordings = Wordings(scene.package, options.condition, options.seed, options.ms_per_word)
            return Session(scene, talker, wordings, seed=options.seed, duplex=options.condition in DUPLEX)

        return scene.hold(start)[1]


def _briefing(scene: Scene, agent: Agent | VoiceAgent, options: RunOptions) -> Briefing:
    """What the agent is told before the first word."""
    package = scene.package
    tools = tuple(offered(package, tool) for tool in scene.workbench.offered())
    clock = clock_of(package)
    words = instructions(package.task.title, tools, clock.told() if clock else "")
    now = clock.now.isoformat() if clock else None
    told = package if agent.control else None
    first = scene.caller.manner.first_speaker
    return Briefing(words, package.task.title, tools, options.seed, options.repetition, told, now, first)


def _clock(options: RunOptions) -> Clock:
    return RealClock() if options.clock == "real" else VirtualClock()


def _begin(
    log: EventLog,
    package: Package,
    spec: str,
    identity: Mapping[str, str],
    options: RunOptions,
    world: Mapping[str, Any],
    classifier: Classifier | None = None,
    more: Mapping[str, Any] | None = None,
) -> None:
    payload = {
        "format": FORMAT,
        "task_id": package.id,
        "model_id": spec,
        "agent": dict(identity),
        "seed": options.seed,
        "repetition": options.repetition,
        "clock": options.clock,
        "compat": options.compat,
        "speech": options.ms_per_word,
        "perturbation": options.perturbation.plain(),
        "classifier": dict(classifier.identity()) if classifier is not None else None,
        "package": package.as_plain,
        "package_sha256": package.digest,
        "world": world,
        **(more or {}),
    }
    log.append("RUN_START", "harness", 0, payload, wall_time_ns=0)


def _failed_early(
    log: EventLog, package: Package, spec: str, identity: Mapping[str, str], options: RunOptions, error: str
) -> EventLog:
    """The log of a session whose state could not be had, or was lost."""
    if not log.events:
        _begin(log, package, spec, identity, options, {})
    now = log.events[-1].media_time_ms
    log.append("INFRA_FAILURE", "harness", now, {"error": error}, wall_time_ns=0)
    ending = {"state": "infrastructure_failed", "end": "infrastructure", "failure": error, "turns": 0}
    log.append("RUN_END", "harness", now, {**ending, "workspace_sha256": "", "world_sha256": ""}, wall_time_ns=0)
    return log
