"""``talk2agent speak``: scripts beside the task file, their review, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.recording.review import Review
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.conftest import TASKS


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS, encoding="utf-8")
    return path


def test_scripts_are_written_and_shown_as_changes(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speak", str(tasks), "--script"]) == 0
    out = capsys.readouterr().out
    assert "files/set-port (proposed)\n  Set the port to [-8080-]{+eight thousand eighty+} and restart nginx." in out
    assert "2 scripts (2 proposed); 3 of 3 literals come back" in out
    entry = Review.beside(tasks).entries["files/copy-report"]
    assert entry.script.startswith("Copy report underscore final dot docx to slash s r v slash archive")


def test_a_second_run_keeps_what_was_accepted(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["speak", str(tasks), "--script"])
    assert main(["speak", str(tasks), "--accept", "--task", "*set-port"]) == 0
    assert capsys.readouterr().out.endswith("files/set-port: accepted\n")
    tasks.write_text(TASKS.replace("port to 8080", "port to 8082").replace('"8080"', '"8082"'), encoding="utf-8")
    assert main(["speak", str(tasks), "--script", "--json"]) == 0
    rows = {row["task"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["files/set-port"]["outdated"]
    assert "eight thousand eighty " in rows["files/set-port"]["script"]
    assert "eight thousand eighty two" in rows["files/set-port"]["proposal"]
    assert rows["files/copy-report"]["state"] == "proposed"


def test_what_does_not_come_back_is_a_finding(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks.write_text(TASKS.replace("report_final.docx", "report→final_1.docx"), encoding="utf-8")
    assert main(["speak", str(tasks), "--script"]) == 1
    assert "lost: 'report→final_1.docx' (filename)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "say what to do"),
        (["--script", "--task", "nothing"], "no task matches 'nothing'"),
        (["--accept"], "run `talk2agent speak --script` first"),
        (["--script", "--rewrite", "tidy"], "--rewrite takes llm:MODEL"),
    ],
)
def test_what_is_refused(tasks: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str) -> None:
    assert main(["speak", str(tasks), *arguments]) == 2
    assert fault in capsys.readouterr().err
    assert not Review.beside(tasks).path.exists()


BEEP = """
import sys, numpy, soundfile
time = numpy.arange(1600 * len(sys.argv[1].split())) / 16000
soundfile.write(sys.argv[2], 0.5 * numpy.sin(2 * numpy.pi * 300 * time), 16000)
"""


def test_scripts_are_recorded_and_listed_for_pytest(
    tasks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tasks.parent)
    Path("beep.py").write_text(BEEP, encoding="utf-8")
    voice = f"beep=command:{sys.executable} beep.py {{text}} {{out}}"
    assert main(["speak", str(tasks), "--voice", voice]) == 0
    assert "2 recordings, 0 of them known" in capsys.readouterr().out
    manifest = read_manifest(Path("recordings/manifest.jsonl"))
    assert manifest.scripts["files/set-port"] == "set the port to eighty eighty and restart nginx"
    assert {recording.take for one in manifest.recordings.values() for recording in one} == {"beep"}
    assert main(["speak", str(tasks), "--voice", voice]) == 0
    assert "2 recordings, 2 of them known" in capsys.readouterr().out


WAITING = """
import pathlib, time
while pathlib.Path("first").exists() and not pathlib.Path("go").exists():
    time.sleep(0.02)
pathlib.Path("first").touch()
"""


def test_a_run_that_was_killed_goes_on_where_it_stopped(
    tasks: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tasks.parent)
    Path("beep.py").write_text(WAITING + BEEP, encoding="utf-8")
    arguments = ["speak", "tasks.yaml", "--workers", "1"]
    arguments += ["--voice", f"beep=command:{sys.executable} beep.py {{text}} {{out}}"]
    command = [sys.executable, "-m", "pytest_talk2agent.cli", *arguments]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "files-copy-report.beep.flac\n", "the second waits for ever"
        os.killpg(process.pid, signal.SIGKILL)
    [first] = Path("recordings").glob("*.flac")
    kept = first.read_bytes()
    assert not Path("recordings/manifest.jsonl").exists()
    Path("go").touch()
    assert main(arguments) == 0
    assert "2 recordings, 1 of them known" in capsys.readouterr().out
    assert first.read_bytes() == kept
    assert len(read_manifest(Path("recordings/manifest.jsonl")).recordings) == 2


def test_an_outdated_script_is_not_recorded(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(line for line in TASKS.splitlines(keepends=True) if not line.startswith("script:"))
    tasks.write_text(text, encoding="utf-8")
    main(["speak", str(tasks), "--script"])
    tasks.write_text(text.replace("8080", "8082"), encoding="utf-8")
    assert main(["speak", str(tasks), "--voice", f"command:{sys.executable} {{out}}"]) == 2
    assert "the script of files/set-port is outdated" in capsys.readouterr().err
