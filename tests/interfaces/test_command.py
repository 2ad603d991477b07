from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.registry import fingerprint, make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, Interface, InterfaceError, TranscriptionError, Utterance


@pytest.fixture
def utterance(tmp_path: Path) -> Utterance:
    path = tmp_path / "a recording.wav"
    path.write_bytes(b"sound")
    return Utterance("files/copy", "amy", "", "", path)


def program(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "my-asr"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def command(arguments: object, options: str = "") -> Interface:
    return make_interface(parse_spec(f"command{options}:{arguments}"))


def failure(interface: Interface, utterance: Utterance) -> str:
    [result] = interface.transcribe([utterance])
    assert isinstance(result, TranscriptionError), result
    return str(result)


def test_the_output_is_the_transcript(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, r"print('heard', repr(sys.argv[1:]), '\n  é  ', flush=True)")
    [result] = command(f"{path} --words 'a b' --in={{audio}}").transcribe([utterance])
    assert isinstance(result, Hypothesis)
    assert result.text == f"heard ['--words', 'a b', '--in={utterance.path}'] é"


def test_no_shell_and_no_input(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, "print(len(sys.argv), repr(sys.stdin.read()))")
    [result] = command(f"{path} {{audio}} > /dev/null; $HOME").transcribe([utterance])
    assert isinstance(result, Hypothesis)
    assert result.text == "5 ''"


def test_a_relative_recording_is_named_in_full(
    tmp_path: Path, utterance: Utterance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path, "print(sys.argv[1])")
    [result] = command(f"./{path.name} {{audio}}").transcribe([Utterance("t", "1", "", "", Path("-a.wav"))])
    assert isinstance(result, Hypothesis)
    assert result.text == str(tmp_path / "-a.wav")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            "print('half'); print('loading', file=sys.stderr); sys.exit('no model\\n')",
            "failed with exit status 1: no model",
        ),
        ("sys.exit(3)", "failed with exit status 3: nothing on stderr"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9: nothing on stderr"),
        ("sys.stdout.buffer.write(b'\\xff')", "printed bytes that are not UTF-8"),
    ],
)
def test_a_failing_program_fails_one_utterance(tmp_path: Path, utterance: Utterance, body: str, fault: str) -> None:
    path = program(tmp_path, f"if 'good' in sys.argv[1]: print('fine')\nelse:\n    {body}")
    good = Utterance("t", "1", "", "", tmp_path / "good.wav")
    first, second = command(f"{path} {{audio}}").transcribe([utterance, good])
    assert isinstance(first, TranscriptionError)
    assert str(first).startswith(f"{utterance.path}: {path} {fault}")
    assert second == Hypothesis("fine", {"suspect": []})


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path, utterance: Utterance) -> None:
    # The child holds the pipe open: ending only the program would wait for it.
    path = program(
        tmp_path,
        "child = os.fork()\n"
        "if child: open(os.path.join(os.path.dirname(sys.argv[1]), 'child'), 'w').write(str(child))\n"
        "time.sleep(60)",
    )
    begin = time.monotonic()
    assert "took longer than 1 s; raise command?timeout" in failure(
        command(f"{path} {{audio}}", "?timeout=1"), utterance
    )
    assert time.monotonic() - begin < 10
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and "zombie" not in Path(f"/proc/{child}/status").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_utterance_without_a_recording(tmp_path: Path) -> None:
    interface = command(f"{program(tmp_path, '')} {{audio}}")
    assert "no recording to hear" in failure(interface, Utterance("t", "1", "", ""))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("command:./asr", r"would hear nothing; put \{audio\}"),
        ("command:./asr '{audio}", "No closing quotation"),
        ("command?timeout=0:./asr {audio}", "number of seconds above 0"),
        ("command?timeout=nan:./asr {audio}", "number of seconds above 0"),
        ("command?time=1:./asr {audio}", r"unknown option 'time' \(did you mean 'timeout'\?\)"),
    ],
)
def test_wrong_specs(text: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        make_interface(parse_spec(text))


def test_a_missing_program_is_found_before_the_run(tmp_path: Path, utterance: Utterance) -> None:
    interface = command(f"{tmp_path}/none {{audio}}")
    with pytest.raises(InterfaceError, match="is not there or not on PATH"):
        interface.check()
    with pytest.raises(InterfaceError, match="is not there"):
        interface.transcribe([utterance])
    program(tmp_path, "").chmod(0o644)
    with pytest.raises(InterfaceError, match="is not executable"):
        command(f"{tmp_path}/my-asr {{audio}}").check()


def test_the_identity_follows_the_program_and_its_files(tmp_path: Path) -> None:
    script = tmp_path / "asr.py"
    script.write_text("print(1)")
    interface = command(f"{sys.executable} {script} {{audio}}", "?timeout=5")
    identity = interface.identity()
    assert identity[f"sha256 of {script}"] == hashlib.sha256(b"print(1)").hexdigest()
    assert set(identity) == {"name", "command", f"sha256 of {sys.executable}", f"sha256 of {script}"}
    before = fingerprint(interface)
    assert before == fingerprint(command(f"{sys.executable} {script} {{audio}}"))
    script.write_text("print(2)")
    assert fingerprint(interface) != before


def test_a_program_on_the_path(tmp_path: Path, utterance: Utterance, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "print('found')")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert command("my-asr {audio}").transcribe([utterance]) == [Hypothesis("found", {"suspect": []})]
    assert "sha256 of my-asr" in command("my-asr {audio}").identity()
