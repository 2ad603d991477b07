"""``talk2agent call`` and ``callers``: a person plays the caller of a workflow, and people beside synthetic callers."""

from __future__ import annotations

import argparse
import re
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.commands.common import Commands, add_json, declared, write, write_json
from pytest_talk2agent.execution.agents.agent_spec import parse_agents
from pytest_talk2agent.judging.judge import JudgeError
from pytest_talk2agent.recording.page.serving import Place, listen, server_of
from pytest_talk2agent.reporting.call_folder import SESSIONS, write_calls
from pytest_talk2agent.reporting.caller_tables import HEAD, transfer_json, transfer_notes, transfer_rows
from pytest_talk2agent.reporting.floor_tables import delta_tables
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.reporting.workflows import session_headline
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.agents.voice import SAMPLE_RATE, VoiceAgent
from pytest_talk2agent.workflows.audio.activity import DETECTORS, LEVEL, SILERO, make_detector
from pytest_talk2agent.workflows.audio.calibration import TIMES, Calibration, calibrate
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.campaign.condition_delta import condition_deltas
from pytest_talk2agent.workflows.campaign.holding import Holder, NamedAgent
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign
from pytest_talk2agent.workflows.campaign.transfer import is_human, transfer_of
from pytest_talk2agent.workflows.human.card import card_of
from pytest_talk2agent.workflows.human.desk import Desk, Lost
from pytest_talk2agent.workflows.human.microphone import Microphone
from pytest_talk2agent.workflows.human.person import Person, sound_with
from pytest_talk2agent.workflows.human.reception import Absent, Arrived, Reception
from pytest_talk2agent.workflows.human.words import Words, make_voice_finder
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.model_judge import make_field_judge
from pytest_talk2agent.workflows.session.options import RunOptions

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.ports import Listener, Samples

PORT = 8766
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
_MISSING = (
    "talk2agent call needs the packages starlette, uvicorn and websockets; "
    "run: pip install 'pytest-talk2agent[record,calls]'"
)
THANKS = "Thank you. You can close this page."


def add_call(commands: Commands) -> None:
    """``call PACKAGE --agent SPEC``."""
    text = "a local page on which a person calls an agent as the caller of a workflow, scored as any session"
    command = declared(commands, "call", run_call, text)
    command.add_argument("package", type=Path, metavar="PACKAGE", help="the folder of a package")
    command.add_argument("--agent", required=True, metavar="SPEC", help="an agent with a voice, maybe LABEL=SPEC")
    command.add_argument(
        "--out", type=Path, default=Path("calls"), metavar="RUN", help="the run that the call is added to (calls)"
    )
    command.add_argument("--person", default="person1", metavar="NAME", help="a pseudonym of who calls (person1)")
    command.add_argument("--consent", type=Path, metavar="FILE", help="the text that the person agrees to first")
    command.add_argument(
        "--listener", metavar="SPEC", help="an interface that writes down what is said, such as whisper:tiny.en"
    )
    command.add_argument(
        "--detector", choices=DETECTORS, default=SILERO, help="what finds the person's words on the microphone (silero)"
    )
    command.add_argument("--judge", metavar="SPEC", help="who judges what rules cannot, as with --t2a-judge")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the workbench (1)")
    command.add_argument(
        "--reference", type=int, default=TIMES, metavar="N", help=f"stops of the reference agent first ({TIMES})"
    )
    command.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="to listen on (default: 127.0.0.1)")
    command.add_argument("--port", type=int, default=PORT, metavar="N", help=f"0 takes a free one (default: {PORT})")
    command.add_argument("--url", default="", metavar="URL", help="the address at which the person opens the page")
    command.add_argument("--certificate", type=Path, metavar="FILE", help="of the server, in PEM, for https")
    command.add_argument("--key", type=Path, metavar="FILE", help="of the certificate, in PEM")


def run_call(options: argparse.Namespace) -> int:
    """Serve the page for one call, hold it, and add it to the run; 1 where it has no result."""
    try:
        import websockets  # noqa: F401 what takes the page's socket

        from pytest_talk2agent.workflows.human.page import make_page
    except ImportError:
        raise ValueError(_MISSING) from None
    if not _NAME.fullmatch(options.person):
        raise ValueError(f"--person {options.person!r}: use at most 64 letters, digits and . _ + -, no blank")
    if options.reference < 1:
        raise ValueError(f"--reference must be at least 1, not {options.reference}")
    package, agent = load_package(options.package), _agent(options.agent)
    ear = _ear(options.listener, agent)
    place = Place(options.host, options.port, options.url, options.certificate, options.key)
    make_voice_finder(options.detector)
    make_detector(LEVEL if agent.agent.control else SILERO)
    preparing = _Preparing(lambda: calibrate(options.reference))
    holder = _holder(options, agent, ear, preparing.wait)
    repetition = holder.next_repetition(package, agent)
    card = card_of(package, Wordings(package, "C2", options.seed))
    consent = _consent(options.consent)
    reception = Reception(consent, card, detector=options.detector, ear=ear, ear_id=options.listener or "")
    token = secrets.token_urlsafe(32)
    with listen(place) as listening:
        origins = place.origins(listening.getsockname()[1])
        server = server_of(make_page(reception, token, origins), place, sockets=True)
        serving = threading.Thread(target=lambda: server.run(sockets=[listening]), name="t2a-page", daemon=True)
        record: SessionRecord | None = None
        try:
            serving.start()
            write([f"{package.id} by {agent.label}, call {repetition + 1}: {origins[0]}/#{token}", "Ctrl-C ends it"])
            sys.stdout.flush()
            preparing.start()
            record = _held(options, holder, package, agent, repetition, reception)
        except KeyboardInterrupt:
            reception.over("Nobody waits for this call any more.")
        finally:
            reception.told.wait(3)
            server.should_exit = True
            serving.join(10)
    if record is None:
        write(["no call was made"])
        return 1
    write_whole(options.out / f"consent-{reception.sha256[:16]}.txt", consent)
    specs = {agent.label: agent.spec}
    write_calls(options.out, holder.records, _known_agents(options.out) | specs, holder.judge.fingerprint)
    write([session_headline(record), f"{options.out}: {holder.log_path(record.key)}"])
    return 0 if record.finished else 1


class _Preparing:
    """The reference agent is called while the person reads, before the call."""

    def __init__(self, measure: Callable[[], Calibration]) -> None:
        self._measure = measure
        self._found: list[Calibration] = []
        self._thread = threading.Thread(target=self._work, name="t2a-reference", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wait(self) -> Calibration:
        self._thread.join()
        if not self._found:
            raise ValueError("the reference agent could not be called, so nothing says how exactly this host measures")
        return self._found[0]

    def _work(self) -> None:
        self._found.append(self._measure())


def _agent(text: str) -> NamedAgent:
    (spec,) = parse_agents([text])
    made = make_agent(spec.text)
    if not isinstance(made, VoiceAgent):
        raise ValueError(f"--agent {spec.text}: it has no voice, and a person cannot call it; try spoken:{spec.text}")
    return NamedAgent(spec.label, spec.text, made)


def _ear(spec: str | None, agent: NamedAgent) -> Listener | None:
    """What writes down what is said; an agent without words of its own needs it, too."""
    if spec is None:
        if isinstance(agent.agent, VoiceAgent) and not agent.agent.abilities.words:
            raise ValueError(f"--agent {agent.spec}: it does not say what it says; name what hears it with --listener")
        return None
    from pytest_talk2agent.workflows.lines.ears import Ears

    ears = Ears(spec)
    ears.identity()

    def hear(samples: Samples) -> str:
        return ears.hear(samples.tobytes(), SAMPLE_RATE)

    return hear


def _consent(path: Path | None) -> str:
    if path is not None:
        return read_utf8(path)
    return files("pytest_talk2agent.workflows.human").joinpath("assets/consent.txt").read_text(encoding="utf-8")


def _holder(
    options: argparse.Namespace, agent: NamedAgent, ear: Listener | None, calibrated: Callable[[], Calibration]
) -> Holder:
    try:
        judge = make_field_judge(options.judge)
    except JudgeError as error:
        raise ValueError(str(error)) from None
    needs = isinstance(agent.agent, VoiceAgent) and not agent.agent.abilities.words
    sound = sound_with(None, listener=ear, listener_id=options.listener) if needs else sound_with(None)
    return Holder(
        options.out / SESSIONS,
        judge=judge,
        options=RunOptions(seed=options.seed, clock="real"),
        attempts=1,
        sound=sound,
        calibrate=calibrated,
    )


def _held(
    options: argparse.Namespace,
    holder: Holder,
    package: Package,
    agent: NamedAgent,
    repetition: int,
    reception: Reception,
) -> SessionRecord:
    """Wait for the person and hold the call; raises KeyboardInterrupt where it is ended before anybody has come."""
    came: Arrived | Absent | None = None
    while came is None:
        came = reception.wait(0.5)
    if isinstance(came, Arrived):
        desk = came.desk
    else:
        desk = Desk(Microphone(SAMPLE_RATE), _nobody, Words(make_voice_finder(options.detector)))
        desk.doings.put(Lost(came.reason))
    holder.sound = sound_with(
        Person(options.person, came.consent, desk),
        listener=None if holder.sound is None else holder.sound.listener,
        listener_id="" if holder.sound is None else holder.sound.listener_id,
    )
    found: list[SessionRecord] = []
    faults: list[BaseException] = []

    def hold() -> None:
        try:
            found.append(holder.hold(package, agent, repetition, str(options.package))[0])
        except BaseException as error:
            faults.append(error)

    holding = threading.Thread(target=hold, name="t2a-call", daemon=True)
    holding.start()
    while holding.is_alive():
        try:
            holding.join(0.2)
        except KeyboardInterrupt:
            desk.doings.put(Lost("the operator ended the call"))
    if faults:
        reception.over("The call could not be saved. Tell the person who sent you the link.")
        raise faults[0]
    record = found[0]
    reception.over(THANKS if record.finished else f"The call could not be finished: {record.reason}. {THANKS}")
    return record


def _nobody(what: bytes | Mapping[str, Any]) -> None:
    """There is no page."""


def _known_agents(folder: Path) -> dict[str, str]:
    """The agents of the calls that a run has."""
    saved = read_saved_campaign(folder) if folder.is_dir() else None
    return {} if saved is None else dict(saved.agents)


def add_callers(commands: Commands) -> None:
    """``callers RUN..``."""
    text = "the same workflows with a synthetic and a human caller: each gate side by side, with intervals"
    command = declared(commands, "callers", run_callers, text)
    command.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN", help="folders of --t2a-report with calls, and of `talk2agent call`"
    )
    add_json(command)


def run_callers(options: argparse.Namespace) -> int:
    """Print the table."""
    records: list[SessionRecord] = []
    for folder in options.runs:
        saved = read_saved_campaign(folder)
        if saved is None:
            raise ValueError(f"{folder}: no workflows in this run")
        records += saved.records.values()
    found = transfer_of(records)
    if options.json:
        write_json(transfer_json(found))
        return 0
    write([*table(HEAD, transfer_rows(found)), *transfer_notes(found)])
    calls = [record for record in records if record.key.sound]
    people = {record.key.sound for record in calls if is_human(record)}
    for title, head, rows in delta_tables([one for one in condition_deltas(calls) if one.condition in people]):
        write(["", title, *table(head, rows)])
    return 0
