"""`talk2agent call` in a process of its own, on a port of its own, over the smallest package."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign
from tests.workflows.human.toy import badge
from tests.workflows.toys import write

SECONDS = 60


@dataclass
class CallServer:
    """One call that waits for its page."""

    out: Path
    process: subprocess.Popen[str]
    link: str
    number: int

    @property
    def address(self) -> str:
        return self.link.partition("/#")[0]

    @property
    def token(self) -> str:
        return self.link.partition("/#")[2]

    def end(self) -> tuple[int, str]:
        """Wait until it ends by itself; its status and what it printed since."""
        told, _ = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, told

    def record(self) -> SessionRecord:
        saved = read_saved_campaign(self.out)
        assert saved is not None
        return list(saved.records.values())[-1]

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def serve_call(folder: Path, *options: str) -> CallServer:
    """Start it; the caller kills it."""
    package = write(badge(), folder / "toy_badge")
    out = folder / "calls"
    command = [sys.executable, "-m", "pytest_talk2agent.cli", "call", str(package), "--agent=spoken:oracle"]
    # A shell starts what runs in its background with SIGINT ignored, and whoever is started then inherits that.
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(
        [*command, f"--out={out}", "--port=0", "--detector=level", "--reference=1", "--person=amy", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=heeds,
    )
    assert process.stdout is not None
    printed = []
    for said in process.stdout:
        printed.append(said)
        if found := re.search(r"call (\d+): (http://127\.0\.0\.1:\d+/#\S+)", said):
            process.stdout.readline()
            return CallServer(out, process, found[2], int(found[1]))
    raise AssertionError("".join(printed))
