"""`talk2agent call` from the page's first message to the saved run, over a real socket and by the real clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import websockets.sync.client

from pytest_talk2agent.cli import main
from pytest_talk2agent.workflows.campaign.transfer import is_human
from pytest_talk2agent.workflows.session.replay import replay
from tests.commands.conftest import Say
from tests.workflows.human.people import SILENCE, TONE
from tests.workflows.human.serving import CallServer, serve_call
from tests.workflows.human.toy import LINE, badge
from tests.workflows.toys import write

Serve = Callable[..., CallServer]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    made: list[CallServer] = []

    def start(*options: str) -> CallServer:
        made.append(serve_call(tmp_path, *options))
        return made[-1]

    yield start
    for server in made:
        server.kill()


class Caller:
    """What a page does: a socket, a microphone that runs, and what came back."""

    def __init__(self, server: CallServer) -> None:
        address = f"{server.address.replace('http', 'ws')}/line"
        self.socket = websockets.sync.client.connect(address, origin=server.address)  # type: ignore[arg-type]
        self.tell(token=server.token)
        consent = json.loads(self.socket.recv(10))
        self.tell(type="agreed", sha256=consent["sha256"])
        self.card = json.loads(self.socket.recv(10))["card"]
        self.told: list[dict[str, Any]] = []
        self.heard = 0
        self.tones = 0
        self._over = threading.Event()

    def tell(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def call(self) -> None:
        """Until the server says that the call is over; a frame goes out for each that comes."""
        self.tell(type="ready", rate=24_000)
        for _ in range(5):
            self.socket.send(SILENCE)
        while True:
            came = self.socket.recv(20)
            if isinstance(came, bytes):
                self.heard += came != SILENCE
                self.tones -= 1
                self.socket.send(TONE if 0 <= self.tones < 30 else SILENCE)
                continue
            self.told.append(json.loads(came))
            if self.told[-1]["type"] == "over":
                self.socket.close()
                return
            if self.told[-1]["type"] == "calling":
                self.tell(type="mark", line=LINE)
                for _ in range(5):
                    self.socket.send(SILENCE)
                self.tones = 55


def test_a_call_is_a_graded_session_of_a_saved_run(serve: Serve, say: Say) -> None:
    server = serve()
    caller = Caller(server)
    caller.call()
    status, told = server.end()
    assert status == 0
    assert told.splitlines()[0].endswith(": passed"), told
    assert caller.told[-1]["text"] == "Thank you. You can close this page."
    assert caller.heard > 20
    record = server.record()
    assert record.outcome() == "passed"
    assert is_human(record)
    assert record.key.sound == "C2; caller=human; channel=clean"
    assert record.call is not None
    person = record.call.settings["person"]
    assert (person["caller"], person["name"]) == ("human", "amy")
    (consent,) = server.out.glob("consent-*.txt")
    assert consent.name == f"consent-{person['consent_sha256'][:16]}.txt"
    assert record.call.person["marks"]["before"] == 1
    assert record.call.settings["calibration"]["n"] == 1
    assert (server.out / "sessions" / record.call.recording).stat().st_size
    log = (server.out / "sessions" / record.log).read_bytes()
    assert replay(log).ending["state"] == "finished"
    assert server.token.encode() not in log
    assert "1 session" in say("report", server.out)
    again = serve()
    assert again.number == 2
    again.interrupt()
    assert again.end() == (1, "no call was made\n")


def test_a_page_that_is_closed_in_mid_call_is_missing_with_its_reason_and_recording(serve: Serve) -> None:
    server = serve()
    caller = Caller(server)
    caller.tell(type="ready", rate=24_000)
    sounds = 0
    while sounds < 40:
        came = caller.socket.recv(20)
        if isinstance(came, bytes):
            sounds += 1
            caller.socket.send(SILENCE)
    caller.socket.close(1001)
    status, told = server.end()
    assert status == 1
    assert "no result: caller: the page was closed in mid call" in told
    record = server.record()
    assert record.outcome() == "missing"
    assert record.call is not None
    assert (record.call.fault, record.call.caller_faults) == ("caller", 1)
    assert (server.out / "sessions" / record.call.recording).stat().st_size


def test_a_refused_microphone_is_missing_and_the_operator_may_end_a_call(serve: Serve) -> None:
    server = serve()
    caller = Caller(server)
    caller.tell(type="refused", reason="NotAllowedError")
    caller.tell(type="gave-up")
    status, told = server.end()
    assert (status, server.record().outcome()) == (1, "missing")
    assert "the microphone could not be used (NotAllowedError)" in told


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agent=oracle"], "it has no voice, and a person cannot call it; try spoken:oracle"),
        (["--agent=nobody"], "there is no such agent"),
        (["--agent=spoken:oracle", "--person=a b"], "no blank"),
        (["--agent=spoken:oracle", "--reference=0"], "--reference must be at least 1"),
        (["--agent=spoken:oracle", "--detector=level", "--host=0.0.0.0"], "say with --url https://"),
        (["--agent=spoken:oracle", "--detector=level", "--judge=what"], "judges no fields"),
        (["--agent=voice-ws:ws://127.0.0.1:1/x", "--detector=level"], "name what hears it with --listener"),
    ],
)
def test_what_cannot_be_called_is_said_before_anybody_is_asked(
    tmp_path: Path, complain: Say, options: list[str], said: str
) -> None:
    package = write(badge(), tmp_path / "toy_badge")
    assert said in complain("call", package, *options)


def test_a_folder_that_is_no_package_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", str(tmp_path), "--agent=spoken:oracle", "--detector=level"]) == 2
    assert capsys.readouterr().err
