"""A call to an agent with a voice: dial, hold the session on sound, record it, and say how it ended."""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    AgentFailedError,
    Briefing,
    InfrastructureError,
)
from pytest_talk2agent.workflows.agents.voice import FRAME_MS, Line, LineError, VoiceAgent
from pytest_talk2agent.workflows.audio.activity import LEVEL, SILERO, make_detector
from pytest_talk2agent.workflows.audio.duplex import DuplexSession
from pytest_talk2agent.workflows.audio.guarded_line import GuardedLine
from pytest_talk2agent.workflows.audio.ports import CallerError
from pytest_talk2agent.workflows.audio.recorder import Recorder, Recording
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.session.options import DUPLEX, RunOptions
from pytest_talk2agent.workflows.session.scene import Scene
from pytest_talk2agent.workflows.session.timeline import RealClock
from pytest_talk2agent.workflows.stable import stable_int

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import SoundOptions


HANG_UP_SECONDS = 5.0
"""How long closing a line may take."""
GOLDEN = 0.618
"""Of a frame: each call begins its frames so much later than the one before, which keeps any number of calls apart."""
_CALLS = itertools.count()


class Call:
    """One call that is about to be made.

    Raises:
        ValueError: where the agent cannot be called so.
    """

    def __init__(self, package: Package, agent: VoiceAgent, options: RunOptions, sound: SoundOptions | None) -> None:
        if sound is None:
            raise ValueError("an agent with a voice needs a caller with one; name it with --t2a-caller")
        if options.condition == "C0":
            raise ValueError("condition C0 has no sound, and this agent nothing else")
        if options.clock == "virtual" and not agent.abilities.virtual:
            raise ValueError("this agent takes real time; hold it with --t2a-clock=real")
        if options.clock == "virtual" and sound.person is not None and sound.person.real:
            raise ValueError("a person takes real time; hold the call by the real clock")
        if not agent.abilities.words and sound.listener is None:
            raise ValueError("this agent does not say what it says; name what listens to it with --t2a-listener")
        self._agent, self._options, self._sound = agent, options, sound
        self._detector = make_detector(sound.detector or (LEVEL if agent.control else SILERO))
        self._clips = sound.clips(package, options.condition)
        seed = stable_int(options.seed, "channel", options.repetition) % (1 << 31)
        self._channel = sound.channel(package, options.condition, seed) if sound.channel is not None else None

    def plain(self) -> dict[str, Any]:
        """What the log says of it at its beginning."""
        return self._sound.plain(self._clips, self._channel, self._detector.settings())

    def hold(self, scene: Scene, briefing: Briefing) -> dict[str, Any]:
        """The call, from dialling to the last word; how it ended."""
        recorder = Recorder(self._sound.recording) if self._sound.recording is not None else None
        try:
            with contextlib.ExitStack() as call:

                def start() -> DuplexSession:
                    line = self._dial(scene, briefing)
                    call.callback(_hang_up, line)
                    return self._session(scene, line, recorder)

                session, ending = scene.hold(start, _fault)
        finally:
            recording = _closed(recorder)
        if recording is not None:
            ending["recording"] = recording.plain()
        if session is not None:
            ending["measures"] = session.measures(self._detector).plain()
        if session is not None and self._options.clock == "real":
            ending["pacing"] = session.pacing()
        if session is not None and session.live is not None:
            ending["person"] = session.live.plain()
        return ending

    def _dial(self, scene: Scene, briefing: Briefing) -> Line:
        """Begin the call; under the real clock its time begins when the line is open."""
        if self._options.clock == "virtual":
            return _dialled(lambda: self._agent.dial(briefing, real=False))
        line = _within(self._sound.limits.connect, lambda: self._agent.dial(briefing, real=True))
        if isinstance(scene.timeline.clock, RealClock):
            phase = next(_CALLS) * GOLDEN % 1
            scene.timeline.clock.restart(FRAME_MS * 1_000_000, phase)
        return line

    def _session(self, scene: Scene, line: Line, recorder: Recorder | None) -> DuplexSession:
        options, sound = self._options, self._sound
        return DuplexSession(
            scene,
            line,
            self._agent.abilities,
            Wordings(scene.package, options.condition, options.seed, options.ms_per_word),
            self._clips,
            seed=options.seed,
            duplex=options.condition in DUPLEX,
            limits=sound.limits,
            channel=self._channel,
            listener=sound.listener,
            recorder=recorder,
            person=sound.person,
        )


def _fault(error: Exception) -> dict[str, str]:
    """Whose fault it is: the caller's, that of a phase of the line, or of something else."""
    if isinstance(error, CallerError):
        return {"fault": "caller"}
    return {"fault": error.phase if isinstance(error, LineError) else "infrastructure"}


def _closed(recorder: Recorder | None) -> Recording | None:
    if recorder is None:
        return None
    try:
        return recorder.close()
    finally:
        recorder.discard()


def _hang_up(line: Line) -> None:
    """Close a line; one that does not come to an end by itself is left behind."""
    closing = threading.Thread(target=GuardedLine(line).close, name="t2a-hang-up", daemon=True)
    closing.start()
    closing.join(HANG_UP_SECONDS)


def _dialled(dial: Callable[[], Line]) -> Line:
    """The line; whatever goes wrong unasked is a fault of the line."""
    try:
        return dial()
    except (AgentError, AgentFailedError, InfrastructureError):
        raise
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        raise LineError("connect", f"{type(error).__name__}: {text}") from error


def _within(limit_ms: int, dial: Callable[[], Line]) -> Line:
    """The line, or LineError where it takes longer than the limit."""
    answers: queue.SimpleQueue[Line | BaseException] = queue.SimpleQueue()
    given_up = threading.Event()

    def work() -> None:
        try:
            line = _dialled(dial)
        except BaseException as error:
            answers.put(error)
            return
        answers.put(line)
        if given_up.is_set():
            _hang_up(line)

    threading.Thread(target=work, name="t2a-dial", daemon=True).start()
    try:
        answer = answers.get(timeout=limit_ms / 1000)
    except queue.Empty:
        given_up.set()
        raise LineError("connect", f"no answer within {limit_ms} ms") from None
    if isinstance(answer, BaseException):
        raise answer
    return answer
