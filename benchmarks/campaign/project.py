"""The small green project that faults are put into: six recorded tasks in two files, and a recogniser of a table."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile

from campaign.observed import Ended, end_all, look, wait_until_gone

COUNT = 6
LOSSY = "r1"
"""The recording that a lossy recogniser hears wrong: another port."""
MODES: Mapping[str, tuple[str, ...]] = {"alone": (), "workers": ("-n", "2"), "no-xdist": ("-p", "no:xdist")}
HEAR = "--t2a-interface=python:asr:R"
BASELINE = "--t2a-baseline=b.json"
REPORT = "--t2a-report=rep"
LIMIT = 150.0
"""Seconds after which a run that has not ended hangs. A green one takes two to five, on a busy machine thirty."""
_ABSENT = ("GITHUB_", "PYTEST_", "COV_", "T2A_", "CAMPAIGN_", "OPENAI_")

RECOGNISER = '''
"""Answers from a table, and writes down what it was asked."""
import json
import os
import time
from pathlib import Path

HERE = Path(__file__).parent


class R:
    def identity(self):
        return {"weights": os.environ.get("CAMPAIGN_WEIGHTS", "1")}

    def transcribe(self, batch):
        answers = json.loads((HERE / "answers.json").read_text())
        found = []
        for utterance in batch:
            stem = Path(utterance.path).stem
            with (HERE / "asked.txt").open("a") as stream:
                stream.write(stem + "\\n")
            time.sleep(float(os.environ.get("CAMPAIGN_SLOW", "0")))
            found.append(answers[stem])
        return found


class Loses(R):
    """Another one, that hears no value."""

    def transcribe(self, batch):
        return ["Good morning to all of you." for _ in batch]
'''


def task(number: int) -> str:
    """One task as YAML."""
    port = 8000 + number
    return f"""\
id: net/port-{number}
tags: [net]
instruction: Set the port to {port} and restart nginx.
script: set the port to {port} and restart nginx
recordings:
  - {{audio: audio/r{number}.wav, speaker: amy}}
intentions:
  port: {{say: "{port}", kind: number}}
  service: {{say: nginx, kind: term}}
value: 0.5*port + 0.5*service
"""


def answers(*, lossy: bool = False) -> dict[str, str]:
    """What the recogniser hears in each recording."""
    heard = {f"r{number}": f"Set the port to {8000 + number} and restart nginx." for number in range(COUNT)}
    if lossy:
        heard[LOSSY] = "Set the port to 8081 and restart nginx."
    return heard


class Project:
    """One copy of the project in a folder of its own.

    ``url`` is that of a server, where a fault starts one; ``mark`` is that of the latest run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment: dict[str, str] = {}
        self.url = ""
        self.mark = ""
        self.closing: list[Callable[[], None]] = []

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.root / ".t2a" / "store"

    @property
    def temporary(self) -> Path:
        """What the run takes for the system's folder of temporary files."""
        return self.root / "tmp"

    def write(self, name: str, text: str) -> Path:
        """Write a file, in UTF-8. A module must be one: else a run would be red for a slip of the campaign."""
        path = self.root / name
        if name.endswith(".py"):
            compile(text, name, "exec")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.root / name).read_text(encoding="utf-8")

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Rewrite a file."""
        self.write(name, change(self.read(name)))

    def hear(self, other: Mapping[str, str] | None = None, *, lossy: bool = False) -> None:
        """Set what the recogniser hears; ``other`` is what it hears in some recordings."""
        self.write("answers.json", json.dumps({**answers(lossy=lossy), **(other or {})}))

    def records(self) -> list[Path]:
        """The files of the store that hold transcripts, in a fixed order."""
        return sorted(path for path in (self.store / "transcripts").rglob("*.json") if not path.name.startswith("."))

    def forget(self) -> None:
        """Empty the store."""
        shutil.rmtree(self.store, ignore_errors=True)

    def record_of(self, stem: str) -> Path:
        """The record of one recording: the one whose text has its port."""
        port = answers()[stem].split()[4]
        return next(path for path in self.records() if port in path.read_text(encoding="utf-8", errors="replace"))

    def command(self, program: str, arguments: Sequence[str]) -> list[str]:
        """The words of a run of pytest or of the command line."""
        if program == "pytest":
            plain = ["-p", "no:cacheprovider", "-q", "--junitxml=junit.xml"]
            more = ["-p", "sabotage"] if (self.root / "sabotage.py").exists() else []
            return [sys.executable, "-m", "pytest", *plain, *more, *arguments]
        return [sys.executable, "-m", program, *arguments]

    def begin(self, arguments: Sequence[str], program: str = "pytest") -> tuple[subprocess.Popen[bytes], str]:
        """Start a run; returns the process and the mark that it and all its children carry in their environment."""
        self.mark = mark = uuid.uuid4().hex
        self.temporary.mkdir(exist_ok=True)
        for name in ("junit.xml", "step.md", "asked.txt"):
            (self.root / name).unlink(missing_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_ABSENT)}
        environment = {
            **kept,
            "TMPDIR": str(self.temporary),
            "CAMPAIGN_MARK": mark,
            "GITHUB_STEP_SUMMARY": str(self.root / "step.md"),
            "PYTHONPATH": str(self.root),
            "COLUMNS": "200",
            **self.environment,
        }
        with (self.root / "out.txt").open("wb") as out:
            process = subprocess.Popen(
                self.command(program, [argument.replace("{url}", self.url) for argument in arguments]),
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return process, mark

    def run(self, *arguments: str, program: str = "pytest", limit: float = LIMIT) -> Ended:
        """Run to the end, or to the limit, and look at all that is left."""
        process, mark = self.begin(arguments, program)
        try:
            status: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        return self.ended(process, mark, status)

    def ended(self, process: subprocess.Popen[bytes], mark: str, status: int | None) -> Ended:
        """What can be seen of a run that is over; ends what it left."""
        left = [] if status is None else wait_until_gone(mark)
        end_all(process, mark)
        return look(self.root, self.temporary, status, left)

    def close(self) -> None:
        """End what a fault has started, and delete the copy."""
        for close in self.closing:
            close()
        shutil.rmtree(self.root, ignore_errors=True)


class Template:
    """The project, made once and run green once; each fault gets a copy with its store, baseline and report.

    ``sabotage`` is a plugin that every run of pytest loads, to see that the campaign can fail.
    """

    def __init__(self, folder: Path, sabotage: Path | None = None) -> None:
        self._folder = folder
        self.project = project = Project(folder / "template")
        (project.root / "suite" / "audio").mkdir(parents=True)
        if sabotage is not None:
            shutil.copyfile(sabotage, project.root / "sabotage.py")
        for number in range(COUNT):
            sound = np.random.default_rng(number).normal(0, 0.1, 8_000).astype("float32")
            soundfile.write(project.root / f"suite/audio/r{number}.wav", sound, 16_000)
        project.write("suite/tasks.yaml", "---\n".join(task(number) for number in range(4)))
        project.write("suite/more.yaml", "---\n".join(task(number) for number in range(4, COUNT)))
        project.write("asr.py", RECOGNISER)
        project.write("pytest.ini", "[pytest]\npythonpath = .\n")
        project.hear()
        for name, lossy in (("good", False), ("lossy", True)):
            rows = [{"task": f"net/port-{s[1:]}", "transcript": text} for s, text in answers(lossy=lossy).items()]
            project.write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        made = project.run("suite", HEAR, BASELINE, "--t2a-update-baseline", REPORT)
        if made.status != 0 or made.places["terminal"] != "green":
            raise RuntimeError(f"the project without a fault is not green:\n{made.out}")
        for name in ("out.txt", "asked.txt", "junit.xml", "step.md"):
            (project.root / name).unlink(missing_ok=True)

    def copy(self, name: str) -> Project:
        """A fresh copy."""
        root = self._folder / name
        shutil.copytree(self.project.root, root, symlinks=True)
        return Project(root)
